"""Test that the importers of Moodle and Canvas would read the files with grades correctly."""

import csv
import io
import re
from pathlib import Path

import pytest
import yaml
from class_grades import grade_with
from small import mistake

from classroom.marks import lms, roster, table
from classroom.marks.roster import Roster, match_students
from classroom.marks.table import Mark

TABLES = yaml.safe_load(Path(__file__).with_name("tables.yml").read_text("utf-8"))
WORKSHEET, GRADEBOOK = TABLES["worksheet"], TABLES["gradebook"]


def read_as_roster(tmp_path: Path, text: str) -> Roster:
    path = tmp_path / "roster.csv"
    path.write_text("\ufeff" + text, "utf-8")
    return roster.read_roster(path)


def make_marks(class_roster: Roster, first: str, second: str) -> list[Mark]:
    grades = {first: grade_with(), second: grade_with(double=mistake("double", "squared"))}
    return table.mark_students(match_students(grades, class_roster), grades)


def read_as_moodle(text: str) -> dict[str, tuple[str, str]]:
    """Return each participant's grade and feedback, as Moodle's importgradeslib.php reads them."""
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    at = {name: rows[0].index(name) for name in ("Identifier", "Grade", "Feedback comments")}
    assert "Last modified (grade)" in rows[0]
    assert all(len(row) == len(rows[0]) for row in rows)
    picked = [[row[n] for n in at.values()] for row in rows[1:]]
    return {name[len("Participant ") :]: (grade, comment) for name, grade, comment in picked}


def test_moodle_reads_the_grades(tmp_path: Path) -> None:
    class_roster = read_as_roster(tmp_path, WORKSHEET)
    folder = "_assignsubmission_file/a.ipynb"
    marks = make_marks(class_roster, f"Ada Lovelace_101{folder}", f"Bob, Junior_102{folder}")
    lms.write(tmp_path / "moodle.csv", class_roster, marks, 9, "")
    text = (tmp_path / "moodle.csv").read_text("utf-8")
    # In Moodle, the maximum grade is 18 instead of 9, and the teacher's own feedback is kept
    assert read_as_moodle(text) == {
        "101": ("18", "9 of 9 points."),
        "102": ("14", "- see me"),
        "103": ("5.00", ""),
    }
    again = read_as_roster(tmp_path, text.replace("9 of 9 points.", "3 of 9 points. Old: words."))
    lms.write(tmp_path / "moodle.csv", again, marks, 9, "")
    assert (
        read_as_moodle((tmp_path / "moodle.csv").read_text("utf-8"))["101"][1] == "9 of 9 points."
    )
    assert "'=HYPERLINK" in text and "'=Nemo" in text


def read_as_canvas(text: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return the assignments and all grades, as Canvas's gradebook_importer.rb reads them."""
    rows = list(csv.reader(io.StringIO(text), delimiter=";"))
    header = rows[0]
    assert "Student" in header[0] and "ID" in header[1]
    assert re.search(r"SIS\s+User\s+ID", header[2]) and re.search(r"SIS\s+Login\s+ID", header[3])
    assert "Section" in header[4]
    points = [row for row in rows if "Points Possible" in row[0]]
    assert [row[5:] for row in points] == [["18,00"]]
    skipped = [row for row in rows[1:] if re.fullmatch(r"[;, ]*", ";".join(row))]
    student_rows = [row for row in rows[1:] if row not in points and row not in skipped]
    return header[5:], {row[1]: row[5:] for row in student_rows}


def test_canvas_reads_the_grades_of_one_assignment_and_nothing_else(tmp_path: Path) -> None:
    class_roster = read_as_roster(tmp_path, GRADEBOOK)
    marks = make_marks(class_roster, "lovelaceada_45_7_a.ipynb", "jonesbob_46_8_a.ipynb")
    lms.write(tmp_path / "canvas.csv", class_roster, marks, 9, "Sheet 2")
    names, grades = read_as_canvas((tmp_path / "canvas.csv").read_text("utf-8"))
    assert names == ["Sheet 2 (991)"]
    assert grades == {"45": ["18"], "46": ["14"], "47": ["5"]}
    for title in ("", "Sheet", "Quiz"):
        with pytest.raises(ValueError, match=r"--column; .* Sheet 2 \(991\), Sheet 20 \(992\)"):
            lms.find_grade_column(class_roster, title)


@pytest.mark.parametrize(
    ("old", "new"), [("18.00", "-"), ("18.00", "0"), ("Maximum grade", "Most")]
)
def test_full_marks_are_one_number(tmp_path: Path, old: str, new: str) -> None:
    class_roster = read_as_roster(tmp_path, WORKSHEET.replace(old, new))
    with pytest.raises(ValueError, match="one number above 0 as Maximum grade"):
        lms.find_grade_column(class_roster)
