"""Test the linter for GitHub workflows, and that no proposed update breaks Jupyter Book 1."""

import re
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOW = """\
on:
  schedule:
    - cron: "17 5 * * 1"
jobs:
  links:
    runs-on: ubuntu-latest
    steps:
      - run: echo "${{ github.sha }}"
"""


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("schedule:", "schedule:", ""),
        ("github.sha", "github.shaa", '"shaa" is not defined'),
        ("github.sha", "steps.none.outputs.x", '"none" is not defined'),
        ("runs-on:", "run-on:", 'unexpected key "run-on"'),
        ("17 5 * * 1", "17 5 * 1", "invalid CRON format"),
    ],
)
def test_a_mistake_in_a_workflow_is_told(
    tmp_path: Path, right: str, wrong: str, message: str
) -> None:
    path = tmp_path / "links.yml"
    path.write_text(WORKFLOW.replace(right, wrong), "utf-8")
    command = ["node", "tools/workflows.mjs", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, bool(done.stderr)) == (bool(message), bool(message))
    assert message in done.stderr


def test_the_report_on_links_is_read_where_it_is_written() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (report,) = re.findall(r"^LINKS +:= (\S+)$", makefile, re.MULTILINE)
    assert report in (ROOT / ".github/workflows/weekly.yml").read_text("utf-8")


def cap_of(specifier: str) -> tuple[int, ...]:
    """Return the first version that a requirement excludes, such as (9,) for `click<9,>=7.1`."""
    if match := re.search(r"<([\d.]+)", specifier):
        return tuple(int(part) for part in re.sub(r"(\.0)+$", "", match[1]).split("."))
    if match := re.search(r"~=([\d.]+)", specifier):
        *start, last = [int(part) for part in match[1].split(".")][:-1]
        return *start, last + 1
    return ()


def caps_below(name: str) -> dict[str, tuple[int, ...]]:
    """Return the highest versions that a distribution allows for its dependencies.

    The limits set by those dependencies are included too.
    """
    caps: dict[str, tuple[int, ...]] = {}
    for requirement in metadata.requires(name) or []:
        text, _, marker = requirement.partition(";")
        match = re.match(r"[\w.-]+", text)
        if marker or match is None or not (cap := cap_of(text)):
            continue
        below = caps_below(match[0])
        for package, lower in ({match[0].lower(): cap} | below).items():
            caps[package] = min(lower, caps.get(package, lower))
    return caps


def test_no_update_is_proposed_that_jupyter_book_1_refuses() -> None:
    proposals = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text("utf-8"))["updates"]
    (pip,) = (entry for entry in proposals if entry["package-ecosystem"] == "pip")
    ignored = {entry["dependency-name"]: entry.get("versions") for entry in pip["ignore"]}
    assert ignored.pop("jupyter-book") == [">=2"]
    projects = [ROOT / folder.strip("/") / "pyproject.toml" for folder in pip["directories"]]
    names = [tomllib.loads(path.read_text("utf-8"))["project"]["name"] for path in projects]
    assert names == ["pe-lib", "order-matters", "order-matters-classroom"]
    assert ignored.pop("pe-lib") is ignored.pop("order-matters") is None
    caps = {name: ".".join(map(str, cap)) for name, cap in caps_below("jupyter-book").items()}
    assert len(caps) > 20
    assert ignored == {name: [f">={cap}"] for name, cap in caps.items()}
