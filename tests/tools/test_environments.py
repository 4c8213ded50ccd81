"""The course on other machines: Binder, containers, JupyterLite. What they name exists here."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from pe_lib.course.grading import progress
from tools.unpack import unpack

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CONTAINER = (ROOT / "Containerfile").read_text("utf-8")
DEVELOPMENT = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
BINDER = (ROOT / "binder" / "requirements.txt").read_text("utf-8")


def pythons() -> set[str]:
    """The versions of Python on which the course is tested."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8"))
    return set(workflow["jobs"]["test"]["strategy"]["matrix"]["python"])


@pytest.mark.parametrize(
    "named",
    [
        (ROOT / "binder" / "runtime.txt").read_text("utf-8"),
        re.search(r"^FROM (.+)$", CONTAINER, re.M)[1],
        DEVELOPMENT["image"],
    ],
)
def test_every_machine_has_a_python_that_is_tested(named: str) -> None:
    version = re.search(r"python[:-](\d+\.\d+)", named)[1]
    assert version in pythons()
    assert version in SpecifierSet(PROJECT["requires-python"])


@pytest.mark.parametrize("page", ["README.md", "index.md"])
def test_readers_are_told_every_python_that_is_tested(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    (told,) = re.findall(r"You need Python ([\d., or]+), git and make", text)
    assert set(re.findall(r"3\.\d+", told)) == pythons()


def copied() -> list[str]:
    lines = re.findall(r"^COPY --chown=learner (.+) \S+$", CONTAINER, re.M)
    return [name for line in lines for name in line.split()]


def test_the_container_copies_what_is_there_and_what_chapters_read() -> None:
    assert copied() and all((ROOT / name).exists() for name in copied())
    wanted = {"chapters", "exercises", "pe_lib", "constraints.txt", PROJECT["readme"]}
    wanted |= {"LICENSE", "LICENSE-text", "tools/unpack.py"}
    assert wanted <= set(copied())
    for chapter in (ROOT / "chapters").glob("*.ipynb"):
        for name in re.findall(r'Path\(\\"([^"]+)\\"\)', chapter.read_text("utf-8")):
            file = (chapter.parent / name).resolve().relative_to(ROOT)
            assert any(file.is_relative_to(folder) for folder in copied()), name


def test_the_container_sees_what_it_copies() -> None:
    ignore = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    seen = {line[1:] for line in ignore if line.startswith("!")}
    assert "*" in ignore
    assert all(name in seen or name.split("/")[0] in seen for name in copied())


def test_nobody_is_root_in_the_container() -> None:
    instructions = re.findall(r"^(USER|RUN|CMD) (.+)$", CONTAINER, re.M)
    user = next(number for number, (name, _) in enumerate(instructions) if name == "USER")
    assert [command.split()[0] for _, command in instructions[:user]] == ["useradd"]
    assert instructions[user][1] == "learner"
    assert [value for name, value in instructions if name == "USER"] == ["learner"]


def test_binder_and_the_container_install_the_same_locked_versions() -> None:
    lines = [line for line in BINDER.splitlines() if not line.startswith("#")]
    assert lines == ["-c ../constraints.txt", "-e .[course]", "jupyterlab"]
    assert '-c constraints.txt -e ".[course]" jupyterlab' in CONTAINER


def test_the_development_container_runs_commands_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(r"^TEST_READY := (\S+)$", makefile, re.M)[1] in DEVELOPMENT["onCreateCommand"]
    for port in DEVELOPMENT["portsAttributes"].values():
        assert re.search(rf"^{re.search('make ([a-z]+)', port['label'])[1]}:", makefile, re.M)


def test_what_jupyterlite_needs_is_locked() -> None:
    locked = (ROOT / "constraints.txt").read_text("utf-8")
    for wanted in PROJECT["optional-dependencies"]["lite"]:
        assert f"\n{Requirement(wanted).name}==" in locked


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        file = folder / "chapters" / f"{name}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def read(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in (folder / "chapters").iterdir()}


def test_a_volume_gets_the_newer_course_and_keeps_what_was_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the container does at each start, with an image's course and a learner's volume."""
    image, volume = tmp_path / "image", tmp_path / "volume"
    write(image, a="a1", b="b1", c="c1")
    unpack(image, volume)
    assert read(volume) == {"a": "a1", "b": "b1", "c": "c1"}
    write(volume, b="mine", mine="too")
    unpack(image, volume)
    assert read(volume) == {"a": "a1", "b": "mine", "c": "c1", "mine": "too"}
    write(image, a="a2", b="b2", d="d2")
    assert capsys.readouterr().out == ""
    beside = f"{Path('chapters', 'b.new.ipynb')}: the newer edition of a file that you changed\n"
    for told in (beside, ""):  # once
        unpack(image, volume)
        assert capsys.readouterr().out == told
        seen = {"a": "a2", "b": "mine", "b.new": "b2", "c": "c1", "d": "d2", "mine": "too"}
        assert read(volume) == seen
    write(volume, **{"b.new": "mine, too"})
    write(image, b="b3")
    unpack(image, volume)
    assert read(volume) == seen | {"b.new": "mine, too", "b.new.new": "b3"}


def test_a_volume_of_before_loses_nothing_and_hides_nothing(tmp_path: Path) -> None:
    """It has no record of what was given."""
    image, volume = tmp_path / "image", tmp_path / "volume"
    write(image, a="new", b="same")
    write(volume, a="old or changed", b="same")
    unpack(image, volume)
    assert read(volume) == {"a": "old or changed", "a.new": "new", "b": "same"}


def test_the_container_opens_what_make_lab_opens() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (place,) = set(re.findall(r"--LabApp\.default_url=/lab/tree/([^\s\"]+)", makefile + CONTAINER))
    assert (ROOT / place).is_dir() and place in copied()
    assert makefile.count("default_url") == CONTAINER.count("default_url") == 1


def test_the_container_keeps_progress_where_it_keeps_notebooks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = re.search(r"ORDER_MATTERS_HOME=(\S+)", CONTAINER)[1]
    kept = re.search(r"-v order-matters:(\S+)", CONTAINER)[1]
    last = re.findall(r"^WORKDIR (\S+)$", CONTAINER, re.M)[-1]
    assert kept == last and Path(home).is_relative_to(kept) and "--notebook-dir=." in CONTAINER
    monkeypatch.setenv("ORDER_MATTERS_HOME", home)
    assert progress.path().is_relative_to(home)
