"""A class of hostile submissions and two honest ones: each costs itself, and nobody else."""

import io
import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import hostile
import pytest

import pe_lib
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.running import jail
from pe_lib.course.grading.running.edition import library
from pe_lib.course.grading.running.folder import grade_folder
from pe_lib.course.grading.running.terms import Grade, Terms
from pe_lib.course.grading.sheet import load

SHEET = load("04")
SECRET = 987_654_321
MARKER = f"order-matters-hostile-{os.getpid()}"
BANK = hostile.ALONE | hostile.EVERYWHERE | hostile.COSTLY | hostile.FATAL
# what the system's root starts is not counted by any limit, and bubblewrap leaves it its number
ROOT_IN_BWRAP = "many processes"


@dataclass
class Played:
    """A class that was graded: what each got, and what was there before and after."""

    kind: str
    grades: dict[str, Grade]
    before: dict[str, bytes]
    after: dict[str, bytes]
    calls: int


def solved(*extra: str) -> str:
    made = notebooks.solved(SHEET)
    cell = {"cell_type": "code", "id": "extra", "metadata": {}, "outputs": []}
    made["cells"] += [cell | {"source": source} for source in extra]
    return json.dumps(made)


def everything(*folders: Path) -> dict[str, bytes]:
    files = [path for folder in folders for path in folder.rglob("*")]
    return {str(p): p.read_bytes() for p in files if p.is_file() and p.suffix != ".pyc"}


@pytest.fixture(scope="module", params=list(jail.KINDS))
def played(request: pytest.FixtureRequest) -> Iterator[Played]:
    kind = request.param
    if kind != "none" and not jail.works(kind):
        pytest.skip(f"{kind} doesn't work on this system")
    if os.name == "nt":
        pytest.skip("most entries are about Unix")
    outside = Path(tempfile.mkdtemp(dir=Path.home(), prefix=".order-matters-"))
    server = socket.create_server(("127.0.0.1", 0))
    quiet = socket.socket(socket.AF_UNIX) if sys.platform == "linux" else None
    if quiet:
        quiet.bind(f"\0{MARKER}")
        quiet.listen()
    server.setblocking(False)
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
    for name in ("a neighbour", "z neighbour"):
        (folder / f"{name}.ipynb").write_text(solved())
    left_out = set(hostile.ALONE) if kind == "none" else set()
    if kind == "bwrap" and os.geteuid() == 0:
        left_out.add(ROOT_IN_BWRAP)
    for name in set(BANK) - left_out:
        (folder / f"{name}.ipynb").write_text(solved(BANK[name].format(**places)))
    os.environ["ORDER_MATTERS_CANARY"] = "for nobody"
    try:
        before, known = everything(outside), library()
        terms = Terms(SHEET, secrets=(SECRET,), seconds=1, total=10, memory=1024, jail=kind)
        grades = grade_folder(folder, outside / "kept.jsonl", terms, 2, io.StringIO())
        (outside / "kept.jsonl").unlink()
        library.cache_clear()
        assert library() == known
        calls = 0
        while True:
            try:
                server.accept()
                calls += 1
            except OSError:
                break
        yield Played(kind, grades, before, everything(outside), calls)
    finally:
        del os.environ["ORDER_MATTERS_CANARY"]
        server.close()
        if quiet:
            quiet.close()
        shutil.rmtree(outside)


def grade(played: Played, name: str) -> Grade:
    if f"{name}.ipynb" not in played.grades:
        pytest.skip("only where submissions are kept apart from the system")
    return played.grades[f"{name}.ipynb"]


def test_neighbours_get_all_their_points_and_keep_their_files(played: Played) -> None:
    for name in ("a neighbour", "z neighbour"):
        assert (grade(played, name).score, grade(played, name).reason) == (SHEET.total, "")
    assert played.after == played.before
    assert len(played.grades) > 30


@pytest.mark.parametrize("name", [*hostile.ALONE, *hostile.EVERYWHERE])
def test_what_is_tried_in_vain_costs_nothing(played: Played, name: str) -> None:
    got = grade(played, name)
    assert "FOUND" not in got.reason
    assert got.score == SHEET.total, got.reason


@pytest.mark.parametrize("name", hostile.COSTLY)
def test_what_breaks_the_own_answers_gives_no_points(played: Played, name: str) -> None:
    got = grade(played, name)
    decode = got.results.get("decode_vector")
    assert decode is None or decode.score == 0
    assert decode is None or decode.hint
    assert decode or got.reason


@pytest.mark.parametrize("name", hostile.FATAL)
def test_what_ends_its_process_is_told(played: Played, name: str) -> None:
    got = grade(played, name)
    assert got.score < SHEET.total
    assert got.reason


def test_nothing_lives_on(played: Played) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux lets us find what a process left")
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            commands.append(path.read_bytes())
        except OSError:
            continue
    assert len(commands) > 1
    assert not [c for c in commands if MARKER.encode() in c]


def test_nobody_calls_home(played: Played) -> None:
    assert played.kind == "none" or not played.calls


def test_the_library_is_where_it_was(played: Played) -> None:
    assert Path(pe_lib.__path__[0]).is_dir()
