"""Whose notebook is it: names as Moodle and Canvas write them, rosters, and folders by hand."""

import re
from pathlib import Path

import pytest

from pe_lib.course.grading.marks import roster as rosters
from pe_lib.course.grading.marks.roster import Roster
from pe_lib.course.grading.marks.students import named, students

PEOPLE = [("Ada Lovelace", 123), ("Zoë O'Neill-Ångström", 7), ("van der Berg, Jan", 55),
          ("李 明", 1001), ("R2 D2 99", 12)]  # fmt: skip


def moodle_prefix(name: str, number: int) -> str:
    """As mod/assign/classes/downloader.php does it."""
    return re.sub(r"[&<>\"`|':\\/]", "", f"{name.replace('_', ' ')}_{number}")


def canvas_name(name: str, number: int, late: bool) -> str:
    """As lib/content_zipper.rb does it."""
    user = re.sub(r"_(\d+)_", r"\1", name).lower()
    return re.sub(r"[^\w]", "", "_".join([user, *(["LATE"] if late else []), str(number)]))


@pytest.mark.parametrize(("name", "number"), PEOPLE)
@pytest.mark.parametrize("end", ["_assignsubmission_file", "_assignsubmission_file_"])
def test_moodles_folders_and_files_say_who(name: str, number: int, end: str) -> None:
    for path in (
        f"{moodle_prefix(name, number)}{end}/02_07_2024_answers.ipynb",
        f"all/{moodle_prefix(name, number)}{end}/deeper/a.ipynb",
        f"{moodle_prefix(name, number)}_assignsubmission_file_answers.ipynb",
    ):
        said = named(path)
        assert (said.system, said.number) == ("Moodle", str(number))
        assert said.name == moodle_prefix(name, number).rpartition("_")[0]


@pytest.mark.parametrize(("name", "number"), PEOPLE)
@pytest.mark.parametrize("late", [False, True])
def test_canvas_files_say_who(name: str, number: int, late: bool) -> None:
    said = named(f"{canvas_name(name, number, late)}_98765_02-the-formula-1.ipynb")
    assert (said.system, said.number, said.late) == ("Canvas", str(number), late)
    assert said.name == canvas_name(name, number, False).rpartition("_")[0]


def test_canvas_without_names() -> None:
    said = named("anon_aB3xZ_98765_02.ipynb")
    assert (said.name, said.number, said.late) == ("anon aB3xZ", "aB3xZ", False)
    assert named("anon_LATE_aB3xZ_98765_02.ipynb").late


@pytest.mark.parametrize(
    "path", ["02-the-formula.ipynb", "02_07_2024_answers.ipynb", "ada/answers.ipynb", "ada_2.ipynb"]
)
def test_other_names_are_nobodys(path: str) -> None:
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


def test_a_system_s_number_joins_two_notebooks_of_one_student() -> None:
    paths = ["Ada_1_assignsubmission_file/a.ipynb", "Ada_1_assignsubmission_file/b.ipynb",
             "Ada_2_assignsubmission_file/a.ipynb"]  # fmt: skip
    assert [s.files for s in students(paths)] == [tuple(paths[:2]), (paths[2],)]


def made(tmp_path: Path, text: str, encoding: str = "utf-8") -> Roster:
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return rosters.read(path)


OWN = "Surname;First name;Matriculation number;E-Mail\nLovelace;Ada;4711;al@uni.edu\n\
Byron;Ada;4712;ab@uni.edu\nMüller-Lüdenscheidt;Jürgen;0815;jml@uni.edu\nNobody;Nemo;9;n@uni.edu\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_list_of_one_s_own_finds_everybody(tmp_path: Path, encoding: str) -> None:
    known = made(tmp_path, OWN, encoding)
    assert (known.system, [p.id for p in known.people]) == ("", ["4711", "4712", "0815", "9"])
    paths = [
        "lovelace ada/02.ipynb",
        "hand in/hw-4712-final.ipynb",
        "Juergen/Jürgen Müller-Lüdenscheidt (2).ipynb",
        "jml@uni.edu.ipynb",
        "ada.ipynb",
    ]
    found = students(paths, known)
    assert [(s.name, s.files, s.note) for s in found] == [
        ("Ada Lovelace", (paths[0],), ""),
        ("Ada Byron", (paths[1],), ""),
        ("Jürgen Müller-Lüdenscheidt", (paths[2], paths[3]), ""),
        ("Nemo Nobody", (), ""),
        ("ada", (paths[4],), "not on the roster"),
    ]


def test_a_notebook_that_fits_two_is_given_to_neither(tmp_path: Path) -> None:
    known = made(tmp_path, "Name,ID\nJan Berg,1001\nBerg Jan,1002\nAda Lovelace,1003\n")
    (first, second, _, other) = students(["jan berg.ipynb"], known)
    assert (first.files, second.files) == ((), ())
    assert other.note == "fits both Jan Berg and Berg Jan"


def test_the_longer_name_wins_and_the_outer_folder_counts(tmp_path: Path) -> None:
    known = made(tmp_path, "Name\nAda Lovelace\nAda Lovelace Smith\nBob Jones\n")
    paths = ["Ada Lovelace Smith/copy of Bob Jones.ipynb", "Ada Lovelace/a.ipynb"]
    found = students(paths, known)
    assert [s.files for s in found] == [(paths[1],), (paths[0],), ()]


WORKSHEET = """Identifier,Full name,ID number,Email address,Status,Grade,Maximum grade,"Online text"
"Participant 123","Ada Lovelace",4711,a@x.y,"Submitted",,22.00,"two
lines"
"Participant 7","Zoë O'Neill",4712,z@x.y,"Submitted",,22.00,
"""


def test_moodles_worksheet_goes_by_number_unless_the_folder_is_a_team_s(tmp_path: Path) -> None:
    known = made(tmp_path, WORKSHEET)
    assert known.system == "Moodle"
    assert [(p.name, p.number, p.id) for p in known.people] == [
        ("Ada Lovelace", "123", "4711"), ("Zoë O'Neill", "7", "4712")]  # fmt: skip
    paths = ["Ada Lovelace_123_assignsubmission_file/Zoë O'Neill.ipynb",
             "Team_7_assignsubmission_file/a.ipynb",
             "Zoë ONeill_7_assignsubmission_file/a.ipynb"]  # fmt: skip
    found = students(paths, known)
    assert [s.files for s in found] == [(paths[0],), (paths[2],), (paths[1],)]
    assert [s.note for s in found] == ["", "", "not on the roster"]


def test_moodle_without_names_but_for_who_may_see_them(tmp_path: Path) -> None:
    lines = [f'Participant {n},"Participant {n} (Ada {n})",a{n}@x.y,' for n in (12, 13)]
    known = made(tmp_path, "\n".join(["Identifier,Full name,Email address,Grade", *lines]))
    found = students(["Participant_12_assignsubmission_file/a.ipynb"], known)
    assert [(s.name, len(s.files)) for s in found] == [
        ("Participant 12 (Ada 12)", 1),
        ("Participant 13 (Ada 13)", 0),
    ]


def test_two_of_one_name_are_told_apart() -> None:
    paths = [f"Participant_{n}_assignsubmission_file/a.ipynb" for n in (1, 2)]
    assert [s.name for s in students(paths)] == ["Participant 1", "Participant 2"]


def test_moodle_without_names(tmp_path: Path) -> None:
    known = made(tmp_path, "Identifier,Status,Grade\nParticipant 12,,\nParticipant 13,,\n")
    found = students(["Participant_12_assignsubmission_file/a.ipynb"], known)
    assert [(s.name, len(s.files)) for s in found] == [("Participant 12", 1), ("Participant 13", 0)]


GRADEBOOK = """Student,ID,SIS User ID,SIS Login ID,Section,Sheet 2 (991),Final Score
,,,,,Manual Posting,
    Points Possible,,,,,22,(read only)
"Lovelace, Ada",45,,al1,"A, and B",,88
"O'Neill, Zoë",46,S46,zo2,A,12,77
"""


def test_canvas_gradebook_goes_by_number(tmp_path: Path) -> None:
    known = made(tmp_path, GRADEBOOK)
    assert known.system == "Canvas"
    assert [(p.name, p.number, p.id) for p in known.people] == [
        ("Lovelace, Ada", "45", "al1"), ("O'Neill, Zoë", "46", "S46")]  # fmt: skip
    paths = ["lovelaceada_LATE_45_1_a.ipynb", "oneillzoë_46_2_a.ipynb", "strangerx_47_3_a.ipynb"]
    found = students(paths, known)
    assert [s.files for s in found] == [(path,) for path in paths]
    assert found[2].note == "not on the roster"


def test_who_stands_there_twice_is_one(tmp_path: Path) -> None:
    known = made(tmp_path, "Name,ID\nAda Lovelace,4711\nAda Lovelace,4711\n")
    assert [s.files for s in students(["4711.ipynb"], known)] == [("4711.ipynb",)]


GERMAN = "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung\n\
Teilnehmer/in12,Ada Lovelace,a@x.y,,,10\nTeilnehmer/in13,Zoë O'Neill,z@x.y,,,10\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GERMAN, "another language"),
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("Shoe,Hat\n44,61\n", "no column of names or ids"),
    ],
)
def test_a_list_without_names_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        made(tmp_path, text)
