"""The workflows of the public repository: pinned, with few rights, and only commands that exist.

They run nowhere but there; what can be held to the repository from inside it is held here.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
every_workflow = pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)


def steps(path: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [])]


def commands(path: Path) -> list[str]:
    return [line.strip() for s in steps(path) if "run" in s for line in s["run"].splitlines()]


@every_workflow
def test_actions_are_pinned_by_commit_and_say_which_version_that_is(path: Path) -> None:
    used = [line for line in path.read_text("utf-8").splitlines() if "uses:" in line]
    used = [line for line in used if "uses: ./" not in line]  # our own
    assert used
    for line in used:
        assert re.search(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


@every_workflow
def test_one_action_has_one_commit_everywhere(path: Path) -> None:
    everywhere = {s["uses"] for p in FILES for s in steps(p) if "uses" in s}
    names = [use.split("@")[0] for use in everywhere]
    assert len(names) == len(set(names))


@every_workflow
def test_a_job_may_only_read_unless_it_says_more_and_it_ends(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        if "uses" in job:  # one of our own workflows, which says it itself
            assert (ROOT / job["uses"]).is_file()
            continue
        assert job["timeout-minutes"] <= 90, name


@every_workflow
def test_no_failure_is_hushed_up(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "continue-on-error" not in text and "|| true" not in text


@every_workflow
def test_commands_exist(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for command in commands(path):
        for target in re.findall(r"^make ([a-z-]+(?: [a-z-]+)*)", command):
            for name in target.split():
                assert re.search(rf"^{name}:", makefile, re.MULTILINE), command
        for file in re.findall(r"(?:python|^)\s?((?:tools|\.ci)/\S+)", command):
            assert (ROOT / file).is_file(), command


def test_without_make_the_commands_are_those_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    folded = readme[readme.index("<details>") : readme.index("</details>")]
    blocks = [block.splitlines() for block in re.findall(r"```sh\n(.*?)```", folded, re.DOTALL)]
    (build,) = [line for block in blocks for line in block if line.startswith("jupyter-book build")]
    # after the installation, which the workflow does in one line; the PDF is made by a test
    checks = [line for line in blocks[-2][1:] + blocks[-1] if not line.endswith("tools.pdf")]
    ours = commands(ROOT / ".github" / "workflows" / "test.yml")
    assert len(checks) == 5
    for command in [build, *checks]:
        assert command in ours, command
    assert ".ci/run" in ours


def test_nothing_is_published_before_all_tests_have_passed() -> None:
    """A job waits for those that it needs; `test.yml` is what each change is judged by."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text("utf-8"))["jobs"]
    assert jobs["test"] == {"uses": "./.github/workflows/test.yml"}
    assert jobs["build"]["needs"] == "test" and jobs["deploy"]["needs"] == "build"
    called = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))
    assert set(called[True]) == {"pull_request", "workflow_call"}  # YAML takes `on` for true


def test_a_release_checks_its_tag_before_it_tests() -> None:
    release = commands(ROOT / ".github/workflows/release.yml")
    assert release[0].startswith('python -m tools.release "$GITHUB_REF_NAME" --check')
    assert release.index(".ci/run") == 1
