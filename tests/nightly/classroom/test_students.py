"""Whose notebook is it: names as Moodle and Canvas write them, rosters, and folders by hand."""

import re
from pathlib import Path

import pytest

from classroom.marks import roster as rosters
from classroom.marks.roster import Roster
from classroom.marks.students import named, students

PEOPLE = [("Ada Lovelace", 123), ("Zoë O'Neill-Ångström", 7), ("van der Berg, Jan", 55),
          ("李 明", 1001), ("R2 D2 99", 12)]  # fmt: skip
IN_MOODLE = "_assignsubmission_file/a.ipynb"


def moodle_prefix(name: str, number: int) -> str:
    """As mod/assign/classes/downloader.php does it."""
    return re.sub(r"[&<>\"`|':\\/]", "", f"{name.replace('_', ' ')}_{number}")


def canvas_name(name: str, number: int, late: bool) -> str:
    """As lib/content_zipper.rb does it."""
    user = re.sub(r"_(\d+)_", r"\1", name).lower()
    return re.sub(r"[^\w]", "", "_".join([user, *(["LATE"] if late else []), str(number)]))


@pytest.mark.parametrize(("name", "number"), PEOPLE)
def test_moodles_and_canvas_names_say_who(name: str, number: int) -> None:
    prefix = moodle_prefix(name, number)
    for path in (
        f"{prefix}_assignsubmission_file/02_07_2024_answers.ipynb",
        f"all/{prefix}_assignsubmission_file_/deeper/a.ipynb",
        f"{prefix}_assignsubmission_file_answers.ipynb",
    ):
        said = named(path)
        assert (said.system, said.number) == ("Moodle", str(number))
        assert said.name == prefix.rpartition("_")[0]
    for late in (False, True):
        said = named(f"{canvas_name(name, number, late)}_98765_02-the-formula-1.ipynb")
        assert (said.system, said.number, said.late) == ("Canvas", str(number), late)
        assert said.name == canvas_name(name, number, False).rpartition("_")[0]


def test_names_without_names() -> None:
    said = named("anon_LATE_aB3xZ_98765_02.ipynb")
    assert (said.name, said.number, said.late) == ("anon aB3xZ", "aB3xZ", True)
    for path in ("02-the-formula.ipynb", "02_07_2024_answers.ipynb", "ada/a.ipynb", "ada_2.ipynb"):
        assert named(path).system == ""


@pytest.mark.parametrize(
    ("paths", "wanted"),
    [
        (["ada.ipynb", "bob.ipynb"], ["ada", "bob"]),
        (["ada/02.ipynb", "bob/02.ipynb"], ["ada", "bob"]),
        (["02/ada.ipynb", "02/bob.ipynb"], ["ada", "bob"]),
        (["A/ada/02.ipynb", "A/bob/x/02.ipynb", "B/ada/02.ipynb", "B/z/2.ipynb"],
         ["A/ada", "bob", "B/ada", "z"]),
        (["ada/1.ipynb", "ada/2.ipynb", "bob/1.ipynb"], ["ada/1", "ada/2", "bob"]),
        (["ada/02.ipynb"], ["ada"]),
        (["02.ipynb"], ["02"]),
    ],
)  # fmt: skip
def test_without_a_roster_each_notebook_is_a_row(paths: list[str], wanted: list[str]) -> None:
    found = students(paths)
    assert [s.name for s in found] == wanted
    assert [s.files for s in found] == [(path,) for path in paths]


def made(tmp_path: Path, text: str, encoding: str = "utf-8") -> Roster:
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return rosters.read(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_list_in_any_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    known = made(tmp_path, OWN, encoding)
    assert [(p.id, p.name) for p in known.people][2] == ("0815", "Jürgen Müller-Lüdenscheidt")


OWN = "Surname;First name;Matriculation number;E-Mail\nLovelace;Ada;4711;al@uni.edu\n\
Byron;Ada;4712;ab@uni.edu\nMüller-Lüdenscheidt;Jürgen;0815;jml@uni.edu\nNobody;Nemo;9;n@uni.edu\n"
WORKSHEET = """Identifier,Full name,ID number,Email address,Status,Grade,Maximum grade,"Online text"
"Participant 123","Ada Lovelace",4711,a@x.y,"Submitted",,22.00,"two
lines"
"Participant 7","Zoë O'Neill",4712,z@x.y,"Submitted",,22.00,
"""
GRADEBOOK = """Student,ID,SIS User ID,SIS Login ID,Section,Sheet 2 (991),Final Score
,,,,,Manual Posting,
    Points Possible,,,,,22,(read only)
"Lovelace, Ada",45,,al1,"A, and B",,88
"O'Neill, Zoë",46,S46,zo2,A,12,77
"""
UNNAMED = 'Identifier,"Full name",Grade\nParticipant 12,"Participant 12 (Ada)",\nParticipant 13,,'


@pytest.mark.parametrize(
    ("roster", "system", "paths", "wanted"),
    [
        # a team's folder with another's number, and a student's whose name lost its apostrophe
        (WORKSHEET, "Moodle",
         ["Ada Lovelace_123_assignsubmission_file/Zoë O'Neill.ipynb", f"Team_7{IN_MOODLE}",
          f"Zoë ONeill_7{IN_MOODLE}"],
         [("Ada Lovelace", [0], None), ("Zoë O'Neill", [2], None), ("Team", [1], ())]),
        # by name, by number within a name, by an address; a first name of two is nobody's
        (OWN, "",
         ["lovelace ada/02.ipynb", "hand in/hw-4712-final.ipynb",
          "Juergen/Jürgen Müller-Lüdenscheidt (2).ipynb", "jml@uni.edu.ipynb", "ada.ipynb"],
         [("Ada Lovelace", [0], None), ("Ada Byron", [1], None),
          ("Jürgen Müller-Lüdenscheidt", [2, 3], None), ("Nemo Nobody", [], None),
          ("ada", [4], ())]),
        (UNNAMED, "Moodle", [f"Participant_12{IN_MOODLE}"],
         [("Participant 12 (Ada)", [0], None), ("Participant 13", [], None)]),
        (GRADEBOOK, "Canvas",
         ["lovelaceada_LATE_45_1_a.ipynb", "oneillzoë_46_2_a.ipynb", "strangerx_47_3_a.ipynb"],
         [("Lovelace, Ada", [0], None), ("O'Neill, Zoë", [1], None),
          ("strangerx", [2], ())]),
        # fits two, and is given to neither
        ("Name,ID\nJan Berg,1001\nBerg Jan,1002\n", "", ["jan berg.ipynb"],
         [("Jan Berg", [], None), ("Berg Jan", [], None),
          ("jan berg", [0], ("Jan Berg", "Berg Jan"))]),
        # the longer name wins, and the outer folder counts
        ("Name\nAda Lovelace\nAda Lovelace Smith\nBob Jones\n", "",
         ["Ada Lovelace Smith/copy of Bob Jones.ipynb", "Ada Lovelace/a.ipynb"],
         [("Ada Lovelace", [1], None), ("Ada Lovelace Smith", [0], None), ("Bob Jones", [], None)]),
        # who stands there twice is one
        ("Name,ID\nAda Lovelace,4711\nAda Lovelace,4711\n", "", ["4711.ipynb"],
         [("Ada Lovelace", [0], None)]),
    ],
    ids=["Moodle", "own", "unnamed", "Canvas", "two fit", "longer", "twice"],
)  # fmt: skip
def test_a_roster_says_whose_it_is(
    tmp_path: Path, roster: str, system: str, paths: list[str], wanted: list[tuple[str, list, str]]
) -> None:
    known = made(tmp_path, roster)
    assert known.system == system
    found = students(paths, known)
    assert [(s.name, [paths.index(f) for f in s.files], s.fits) for s in found] == wanted


@pytest.mark.parametrize("text", ["", "\n\n", "Shoe,Hat\n44,61\n"])
def test_a_list_without_names_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"is empty|no column of names or ids"):
        made(tmp_path, text)
