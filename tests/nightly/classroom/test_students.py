"""Test that notebooks are matched to students by the names of files and folders."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from classroom.marks import roster as rosters
from classroom.marks.roster import Roster, match_students

PEOPLE = [("Ada Lovelace", 123), ("Zoë O'Neill-Ångström", 7), ("van der Berg, Jan", 55),
          ("李 明", 1001), ("R2 D2 99", 12)]  # fmt: skip
TABLES = yaml.safe_load(Path(__file__).with_name("tables.yml").read_text("utf-8"))
ROSTERS = {case["name"]: case for case in TABLES["rosters"]}


def moodle_prefix(name: str, number: int) -> str:
    """Return how Moodle begins the names of folders (mod/assign/classes/downloader.php)."""
    return re.sub(r"[&<>\"`|':\\/]", "", f"{name.replace('_', ' ')}_{number}")


def canvas_name(name: str, number: int) -> str:
    """Return how Canvas begins the names of files (lib/content_zipper.rb)."""
    user = re.sub(r"_(\d+)_", r"\1", name).lower()
    return re.sub(r"[^\w]", "", f"{user}_{number}")


@pytest.mark.parametrize("system", ["moodle", "canvas", "hidden"])
def test_moodles_and_canvas_names_say_who(system: str, tmp_path: Path) -> None:
    if system == "canvas":
        lines = [f'"{name}",{number},,,A' for name, number in PEOPLE]
        class_roster = make_roster(
            tmp_path, "\n".join(["Student,ID,SIS User ID,SIS Login ID,Section", *lines])
        )
        paths = [f"{canvas_name(name, number)}_98765_02.ipynb" for name, number in PEOPLE]
    else:
        shown_names = {name: name if system == "moodle" else "" for name, _ in PEOPLE}
        lines = [f'Participant {number},"{shown_names[name]}",' for name, number in PEOPLE]
        class_roster = make_roster(tmp_path, "\n".join(["Identifier,Full name,Grade", *lines]))
        names = [(shown_names[name] or "Participant", number) for name, number in PEOPLE]
        paths = [f"{moodle_prefix(*who)}_assignsubmission_file/02_07_2024.ipynb" for who in names]
    matches = match_students(paths, class_roster)
    assert [s.files for s in matches] == [(path,) for path in paths]


@pytest.mark.parametrize(("paths", "expected"), TABLES["unlisted"])
def test_without_a_roster_each_notebook_is_a_row(paths: list[str], expected: list[str]) -> None:
    matches = match_students(paths)
    assert [s.name for s in matches] == expected
    assert [s.files for s in matches] == [(path,) for path in paths]


def make_roster(tmp_path: Path, text: str, encoding: str = "utf-8") -> Roster:
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return rosters.read_roster(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_list_in_any_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    class_roster = make_roster(tmp_path, ROSTERS["own"]["roster"], encoding)
    assert [(p.id, p.name) for p in class_roster.people][2] == (
        "0815",
        "Jürgen Müller-Lüdenscheidt",
    )


@pytest.mark.parametrize("case", ROSTERS.values(), ids=ROSTERS)
def test_a_roster_says_whose_it_is(tmp_path: Path, case: dict[str, Any]) -> None:
    class_roster, paths = make_roster(tmp_path, case["roster"]), case["paths"]
    matches = [[s.name, [paths.index(f) for f in s.files], s.doubt]
             for s in match_students(paths, class_roster)]  # fmt: skip
    assert matches == case["wanted"]


@pytest.mark.parametrize("text", ["", "\n\n", "Shoe,Hat\n44,61\n"])
def test_a_list_without_names_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"is empty|no column of names or ids"):
        make_roster(tmp_path, text)
