"""Check that all commands, files, versions and workflows that the repository mentions exist."""

import ast
import json
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CONTAINER = (ROOT / "Containerfile").read_text("utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "contributing").glob("*.md")]
every_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.stem)
def test_a_text_names_only_commands_and_files_that_exist(path: Path) -> None:
    text = path.read_text("utf-8")
    for line in re.findall(r"`make ([^`]+)`|^ *make (.+)$", text, re.MULTILINE):
        for target in "".join(line).split():
            if not re.fullmatch(r"[a-z-]+", target):
                break  # the words after this one are arguments of the command
            assert target in TARGETS, target
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", re.sub(r"`[^`]*`", "", text)):
        assert (path.parent / link).exists(), link
    for file in re.findall(r"`((?:_ext|classroom|pe_lib|tests|tools|benchmarks)/[\w./-]+)`", text):
        # files that are only named as examples need not exist
        if "hand" not in file and "NN" not in file:
            assert (ROOT / file).exists(), file


def commands(path: Path) -> list[str]:
    jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"].values()
    run = [step.get("run", "") for job in jobs for step in job.get("steps", [])]
    return [line.strip() for text in run for line in text.splitlines()]


@every_workflow
def test_a_workflow_is_pinned_has_few_rights_and_hushes_nothing_up(path: Path) -> None:
    text = path.read_text("utf-8")
    for line in re.findall(r"uses: (?!\./).*", text):
        assert re.fullmatch(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line
    assert "continue-on-error" not in text and "|| true" not in text
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job.get("timeout-minutes", 90 if "uses" in job else 999) <= 90, name


@every_workflow
def test_a_workflow_runs_commands_that_exist(path: Path) -> None:
    for command in commands(path):
        for names in re.findall(r"^(?:sudo )?make ([a-z-]+(?: [a-z-]+)*)", command):
            assert set(names.split()) <= TARGETS, command
        for file in re.findall(r"(?:python|^)\s?((?:tools|\.ci)/\S+)", command):
            assert (ROOT / file).is_file(), command


def test_a_change_of_the_classroom_is_tested_at_once() -> None:
    text = (ROOT / ".github/workflows/classroom.yml").read_text("utf-8")
    paths = re.findall(r"^      - (\S+)$", text, re.MULTILINE)
    assert {"classroom/**", "pe_lib/course/**"} < set(paths)
    assert all((ROOT / path.removesuffix("/**")).exists() for path in paths)
    assert "tests/nightly/classroom" in commands(ROOT / ".github/workflows/classroom.yml")[-1]


def test_nothing_is_published_before_all_tests_have_passed() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text("utf-8"))["jobs"]
    assert jobs["test"] == {"uses": "./.github/workflows/test.yml"}
    assert jobs["build"]["needs"] == "test" and jobs["deploy"]["needs"] == "build"
    released = commands(ROOT / ".github/workflows/release.yml")
    assert released.index(".ci/run") < released.index('make release TAG="$GITHUB_REF_NAME"')


def test_without_make_the_commands_are_those_that_are_told() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text[text.index("## Without make") : text.index("## What stays")]
    told = "\n".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL)).splitlines()
    ours = ("python -m tools.build", "ruff", "mypy", "npm run", "python tools/")
    run = [c for c in commands(ROOT / ".github/workflows/test.yml") if c.startswith(ours)]
    assert len(run) >= 6 and set(run) <= set(told)


def test_the_readme_is_read_in_three_minutes_and_lists_every_chapter() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(re.sub(r"<!--.*?-->", "", readme).split()) <= 720
    line = r"^(\d+)\. \[(.+)\]\((?:https?://.+/)?(chapters/.+)\.(?:ipynb|html)\)$"
    listed = [
        (n, title, f"{name}.ipynb") for n, title, name in re.findall(line, readme, re.MULTILINE)
    ]
    notebooks = sorted((ROOT / "chapters").glob("[01]*.ipynb"))
    files = [f"chapters/{path.name}" for path in notebooks if not path.stem.endswith("-deeper")]
    assert [(int(n), file) for n, _, file in listed] == list(enumerate(files))
    for number, title, file in listed:
        cells = json.loads((ROOT / file).read_text("utf-8"))["cells"]
        assert "".join(cells[0]["source"]).startswith(f"# {number}. {title}\n"), file


def test_every_machine_has_a_python_that_is_tested() -> None:
    """Check that Binder, both containers and the readers' guides name a tested Python version."""
    nightly = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text("utf-8"))
    tested = set(nightly["jobs"]["systems"]["strategy"]["matrix"]["python"])
    editor = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    binder = (ROOT / "binder" / "runtime.txt").read_text("utf-8")
    for named in (binder, re.findall(r"^FROM .+$", CONTAINER, re.MULTILINE)[0], editor["image"]):
        assert re.search(r"python[:-](\d+\.\d+)", named)[1] in tested
    for page in ("README.md", "index.md"):
        (told,) = re.findall(r"You need Python ([\d., or]+), git", (ROOT / page).read_text("utf-8"))
        assert set(re.findall(r"3\.\d+", told)) == tested
    assert PROJECT["requires-python"] == f">={min(tested, key=lambda v: int(v[2:]))}"


def test_the_container_copies_what_is_there_and_what_chapters_read() -> None:
    lines = re.findall(r"^COPY --chown=learner (.+) \S+$", CONTAINER, re.MULTILINE)
    copied = [name for line in lines for name in line.split()]
    seen = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    for name in copied:
        assert (ROOT / name).exists() and {f"!{name}", f"!{name.split('/')[0]}"} & set(seen)
    wanted = {"chapters", "exercises", "pe_lib", "constraints.txt", "pyproject.toml"}
    assert wanted | {"LICENSE", "LICENSE-text"} <= set(copied)
    for chapter in (ROOT / "chapters").glob("*.ipynb"):
        for name in re.findall(r'find_file\(\\"([^"]+)\\"\)', chapter.read_text("utf-8")):
            file = (chapter.parent / name).resolve().relative_to(ROOT)
            assert any(file.is_relative_to(folder) for folder in copied), name


@cache
def list_named_modules(path: Path) -> set[str]:
    """Return the modules that a file imports, and the names that it imports from modules.

    Such a name may be a module too.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def list_all_imports(path: Path) -> set[str]:
    """Return all modules of this repository that a file imports, directly or through others."""
    found, files = set(), [path]
    for file in files:  # the loop itself appends to this list
        for name in list_named_modules(file) - found:
            found.add(name)
            inside = ROOT / name.replace(".", "/")
            places = inside.with_suffix(".py"), inside / "__init__.py", file.with_name(f"{name}.py")
            files += [place for place in places if place.is_file()]
    return found


def test_neither_library_nor_course_knows_the_classroom() -> None:
    assert "pe_lib.course.grading.sheet" in list_all_imports(ROOT / "classroom/__main__.py")
    for path in (ROOT / "pe_lib").rglob("*.py"):
        assert "classroom" not in {name.split(".")[0] for name in list_named_modules(path)}, path


def test_no_two_files_of_tests_have_one_name() -> None:
    """Check that no two test files have the same name.

    pytest could not collect two files with the same name in one run, as `make nightly` does.
    """
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert not {name for name in names if names.count(name) > 1}


def test_no_test_of_make_check_can_start_a_browser() -> None:
    """Check that only tests in tests/site or tests/nightly start a browser.

    `make check` must run without a browser.
    """
    later = {ROOT / "tests" / name for name in ("site", "nightly")}
    files = [path for path in (ROOT / "tests").rglob("*.py") if not later & set(path.parents)]
    assert len(files) > 20 and "playwright.sync_api" in list_all_imports(
        ROOT / "tests/site/test_pages.py"
    )
    for path in [*files, ROOT / "conftest.py"]:
        assert "playwright.sync_api" not in list_all_imports(path), path
        if path != Path(__file__):  # the test must not start a browser in a subprocess, either
            command = re.search(r"tools[./](browser|pdf|rooms)\b", path.read_text("utf-8"))
            assert not command, path


def list_distributions(*requirements: str) -> set[str]:
    """Return the names of the distributions that these requirements name."""
    names = (re.match(r"[\w.-]+", line) for line in requirements)
    return {name[0].lower().replace("_", "-") for name in names if name}


EXTRAS = PROJECT["optional-dependencies"]
LIBRARY = list_distributions(*PROJECT["dependencies"])
COURSE = LIBRARY | list_distributions(*EXTRAS["course"])
BOOK = COURSE | list_distributions(*(ROOT / "requirements.txt").read_text("utf-8").splitlines())
# for the tests, developers have installed these packages
TOOLS = BOOK | list_distributions(*EXTRAS["test"])
TESTS = TOOLS | list_distributions(*EXTRAS["peers"])
OWN = tomllib.loads((ROOT / "classroom/pyproject.toml").read_text("utf-8"))["project"]
CLASSROOM = TOOLS | list_distributions(*OWN["dependencies"])
ROOMS = {
    "pe_lib/course": COURSE,
    "pe_lib": LIBRARY,
    "_ext": BOOK,
    "classroom": CLASSROOM,
    "tools": TOOLS,
    "tests": TESTS,
}


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_room_imports_is_declared_for_it(room: str) -> None:
    files = [
        path
        for path in (ROOT / room).rglob("*.py")
        if room != "pe_lib" or "course" not in path.parts
    ]
    beside = [*files, *(ROOT / "tests").rglob("*.py")]
    own = {*ROOMS, *(path.stem for path in beside)} | sys.stdlib_module_names
    brought_by = packages_distributions()
    # Only pytest imports the module that offers a fixture.
    files = [path for path in files if path.name != "pytest_plugin.py"]
    for path in files:
        for name in {name.split(".")[0] for name in list_named_modules(path)} - own:
            assert list_distributions(name, *brought_by.get(name, [])) & ROOMS[room], (
                f"{path}: {name}"
            )
