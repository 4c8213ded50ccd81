"""Test that hostile submissions harm only themselves, and no honest submissions in the class.

The code of the hostile submissions is in hostile.md.
"""

import io
import json
import os
import re
import select
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import pe_lib
from classroom.running import sandbox
from classroom.running.folder import grade_folder
from classroom.running.terms import Grade, Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows keeps nothing apart")
SHEET = load("04")
SECRET = 987_654_321
MARKER = f"order-matters-hostile-{os.getpid()}"
LOOK = """
import os
class FOUND(BaseException): pass
def look(paths):
    for path in paths:
        try:
            open(path, 'rb').read(10_000)
        except OSError:
            continue
        raise FOUND(path)
"""


def read_bank() -> dict[str, dict[str, str]]:
    """Return the code of each entry in hostile.md, by the section and title of the entry."""
    entries_by_section: dict[str, dict[str, str]] = {}
    text = (Path(__file__).parent / "hostile.md").read_text("utf-8")
    for section in text.split("\n## ")[1:]:
        entries = re.findall(
            r"^### ([^\n]+)\n\n```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL
        )
        assert len(entries) == section.count("\n### ")
        entries_by_section[section.partition(":")[0]] = dict(entries)
    return entries_by_section


BANK = read_bank()


@dataclass
class GradedClass:
    """The grades of a class, with whether any submission changed files or reached the network."""

    kind: str
    grades: dict[str, Grade]
    changed: bool
    called: bool

    def grade(self, name: str) -> Grade:
        if f"{name}.ipynb" not in self.grades:
            pytest.skip("only where submissions are kept apart from the system")
        return self.grades[f"{name}.ipynb"]


def solved_notebook(*extra: str) -> str:
    notebook = notebooks.make_solved(SHEET)
    cell = {"cell_type": "code", "id": "extra", "metadata": {}, "outputs": []}
    notebook["cells"] += [cell | {"source": source} for source in extra]
    return json.dumps(notebook)


def read_files(*folders: Path) -> dict[str, bytes]:
    files = [path for folder in folders for path in folder.rglob("*")]
    return {str(p): p.read_bytes() for p in files if p.is_file() and p.suffix != ".pyc"}


@pytest.fixture(scope="module", params=list(sandbox.KINDS))
def graded_class(request: pytest.FixtureRequest) -> Iterator[GradedClass]:
    kind = request.param
    if kind not in ("none", sandbox.strongest_kind()):
        pytest.skip(f"{kind} doesn't work on this system")
    outside = Path(tempfile.mkdtemp(dir=Path.home(), prefix=".order-matters-"))
    server = socket.create_server(("127.0.0.1", 0))
    quiet = socket.socket(socket.AF_UNIX) if sys.platform == "linux" else None
    if quiet:
        quiet.bind(f"\0{MARKER}")
        quiet.listen()
    folder, canary = outside / "class", outside / "canary.txt"
    folder.mkdir()
    canary.write_text("for nobody")
    places = {
        "folder": str(folder),
        "neighbour": str(folder / "a neighbour.ipynb"),
        "canary": str(canary),
        "port": server.getsockname()[1],
        "backwards": int(str(SECRET)[::-1]),
        "marker": MARKER,
    }
    preamble = "".join(f"{name} = {value!r}\n" for name, value in places.items()) + LOOK
    for name in ("a neighbour", "z neighbour"):
        (folder / f"{name}.ipynb").write_text(solved_notebook())
    for section, entries in BANK.items():
        for name, code in entries.items():
            if not (kind == "none" and section == "alone"):
                (folder / f"{name}.ipynb").write_text(solved_notebook(preamble + code))
    os.environ["ORDER_MATTERS_CANARY"] = "for nobody"
    try:
        library = [Path(path) for path in pe_lib.__path__]
        before, library_before = read_files(outside), read_files(*library)
        terms = Terms(SHEET, secrets=(SECRET,), seconds=2, total=20, memory=1024, sandbox=kind)
        grades = grade_folder(folder, terms, 2, io.StringIO())
        assert read_files(*library) == library_before, "the library is as it was"
        called = bool(select.select([server], [], [], 0)[0])
        yield GradedClass(kind, grades, read_files(outside) != before, called)
    finally:
        del os.environ["ORDER_MATTERS_CANARY"]
        server.close()
        if quiet:
            quiet.close()
        shutil.rmtree(outside)


def test_neighbours_get_all_their_points_and_keep_their_files(graded_class: GradedClass) -> None:
    for name in ("a neighbour", "z neighbour"):
        grade = graded_class.grade(name)
        assert (grade.score, grade.reason) == (SHEET.total, "")
    assert not graded_class.changed
    assert len(graded_class.grades) > 30
    assert graded_class.kind == "none" or not graded_class.called, "nobody calls home"


@pytest.mark.parametrize("name", [*BANK["alone"], *BANK["everywhere"]])
def test_what_is_tried_in_vain_costs_nothing(graded_class: GradedClass, name: str) -> None:
    grade = graded_class.grade(name)
    assert "FOUND" not in grade.reason
    assert grade.score == SHEET.total, grade.reason


@pytest.mark.parametrize("name", [*BANK["costly"], *BANK["fatal"]])
def test_what_breaks_the_own_answers_gives_no_points(graded_class: GradedClass, name: str) -> None:
    grade = graded_class.grade(name)
    assert grade.score < SHEET.total
    decode = grade.results.get("decode_vector")
    if name in BANK["fatal"] or not decode:
        assert grade.reason
    else:
        assert decode.score == 0 and decode.hint


@pytest.mark.skipif(sys.platform != "linux", reason="only there we find what a process left")
def test_nothing_lives_on(graded_class: GradedClass) -> None:
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            commands.append(path.read_bytes())
    assert len(commands) > 1
    assert not [c for c in commands if MARKER.encode() in c]
