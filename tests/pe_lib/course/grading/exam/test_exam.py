"""An exam: own numbers, a library that gives nothing away, and everybody graded on theirs."""

import io
import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pe_lib.course.grading.exam import hand_out, seeds, wheel
from pe_lib.course.grading.exam.student import Sheet
from pe_lib.course.grading.exam.terms import of_exam
from pe_lib.course.grading.marks import report, roster
from pe_lib.course.grading.marks.roster import Roster
from pe_lib.course.grading.marks.students import students
from pe_lib.course.grading.running.fair import NOT_YOURS
from pe_lib.course.grading.running.folder import grade_folder
from pe_lib.course.grading.running.terms import Grade, Terms
from pe_lib.course.grading.sheet import Content, Question, load, names

KEY = b"a key that stays with the teacher"
SHEET = load("02")


@pytest.fixture
def class_(tmp_path: Path) -> Roster:
    path = tmp_path / "roster.csv"
    path.write_text("Name,Student ID\nAda Lovelace,1815\nZoë Müller,zm/1\nBob,77123\n", "utf-8")
    return roster.read(path)


def made(content: Content, who: str) -> dict[str, Any]:
    return hand_out.notebook(content, seeds.seed(KEY, content.name, who), who)


def answered(content: Content, who: str, own: bool = True) -> dict[str, Any]:
    """A student's notebook with the right answers, computed from what stands in it, or typed."""
    notebook, questions = made(content, who), list(content.questions.values())
    cells = [c for c in notebook["cells"] if "answer" in c["metadata"].get("tags", [])]
    for question, cell in zip(questions, cells, strict=True):
        if question.kind == "code" or own:
            numbers = cell["source"].splitlines()[:1] if question.kind != "code" else []
            numbers = [line for line in numbers if line.startswith("given = ")]
            cell["source"] = "\n".join([*numbers, question.solution.code])
        else:
            right = question.defined(question.solution.code, seeds.seed(KEY, content.name, who))
            cell["source"] = f"from numpy import array\n{question.answer} = {right!r}"
    return notebook


def graded(folder: Path, class_: Roster, submitted: dict[str, Any]) -> dict[str, Grade]:
    (folder / "in").mkdir()
    for name, notebook in submitted.items():
        (folder / "in" / name).write_text(json.dumps(notebook), "utf-8")
    terms = of_exam(Terms(SHEET), class_, KEY, submitted)
    return grade_folder(folder / "in", folder / "kept", terms, 2, io.StringIO())


def read_by_students(folder: Path, class_: Roster, grades: dict[str, Grade]) -> dict[str, str]:
    """The feedback pages; raises AssertionError if one names another student or a seed."""
    terms = of_exam(Terms(SHEET), class_, KEY, grades)
    report.write(folder / "scores.csv", grades, terms, class_, "", "")
    told = {p.name: p.read_text("utf-8") for p in (folder / "scores/feedback").iterdir()}
    people = {p.name: [p.name, p.id] for p in class_.people}
    seeds_ = [str(seed) for seed in terms.people.values()]
    for page in [*told.values(), (folder / "scores/class.html").read_text("utf-8")]:
        own = next((name for name in people if f"<h1>{name}</h1>" in page), "")
        others = [word for name, words in people.items() if name != own for word in words]
        assert not [word for word in [*others, *seeds_, "--seed"] if word in page]
    return told


def test_a_seed_needs_the_key(tmp_path: Path) -> None:
    all_ = {seeds.seed(key, sheet, who) for key in (KEY, KEY + b"!") for sheet in ("02", "03")
            for who in ("ada", "bob", "a", "da")}  # fmt: skip
    assert len(all_) == 16
    assert all(0 <= seed < 2**31 for seed in all_)
    path = tmp_path / "key"
    first = seeds.new_key(path)
    assert seeds.new_key(path) == seeds.key(path) == first
    assert len(first) == 64
    (tmp_path / "short").write_text("secret\n")
    with pytest.raises(ValueError, match="holds 6 bytes; a key has at least 16"):
        seeds.key(tmp_path / "short")


@pytest.mark.parametrize("name", names())
def test_everybodys_notebook_has_numbers_and_no_seed(name: str) -> None:
    content = load(name)
    one, other = (json.dumps(made(content, who)) for who in ("ada", "bob"))
    assert one.replace("ada", "bob") != other
    for text, who in ((one, "ada"), (other, "bob")):
        assert "seed=" not in text
        assert str(seeds.seed(KEY, content.name, who)) not in text
        assert not [q for q in content.questions.values() for h in q.hints if h in text]


def test_the_files_name_finds_the_student(tmp_path: Path, class_: Roster) -> None:
    hand_out.write(SHEET, class_, KEY, tmp_path / "exam")
    files = sorted(path.name for path in (tmp_path / "exam/notebooks").iterdir())
    assert files == [f"02-the-formula_{who}.ipynb" for who in ("1815", "77123", "zm-1")]
    found = {student.name: student.files for student in students(files, class_)}
    assert found == {"Ada Lovelace": (files[0],), "Zoë Müller": (files[2],), "Bob": (files[1],)}
    with pytest.raises(ValueError, match="is not empty"):
        hand_out.write(SHEET, class_, KEY, tmp_path / "exam")


def test_two_who_can_not_be_told_apart_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("Name\nAda\nada\n")
    with pytest.raises(ValueError, match="has 'ada' twice"):
        seeds.people(roster.read(path))


@pytest.mark.parametrize("ids", [["7", "812"], ["a/b", "a-b"], ["...", "812"]])
def test_an_id_that_a_file_can_not_tell_is_refused(tmp_path: Path, ids: list[str]) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("Name,Student ID\n" + "".join(f"Student {n},{n}\n" for n in ids))
    with pytest.raises(ValueError, match="doesn't tell that it is Student"):
        hand_out.write(SHEET, roster.read(path), KEY, tmp_path / "exam")
    assert not (tmp_path / "exam").exists()


def test_everybody_is_graded_on_their_own_numbers(tmp_path: Path, class_: Roster) -> None:
    ada, bob = answered(SHEET, "1815"), answered(SHEET, "77123", own=False)
    stolen = json.loads(
        json.dumps(answered(SHEET, "1815", own=False)).replace('\\"1815\\"', '\\"zm/1\\"')
    )
    grades = graded(tmp_path, class_, {"x_1815.ipynb": ada, "x_77123.ipynb": bob,
                                       "x_zm-1.ipynb": stolen, "x.ipynb": bob})  # fmt: skip
    assert [grades[f"x_{who}.ipynb"].score for who in ("1815", "77123")] == [SHEET.total] * 2
    theirs = grades["x_zm-1.ipynb"]
    assert theirs.score < SHEET.total
    assert theirs.flags[0].endswith("answers are right for 1815's numbers")
    assert theirs.results["one_entry"].hint == NOT_YOURS
    told = read_by_students(tmp_path, class_, grades)
    assert NOT_YOURS in told["Zoë-Müller.html"] and "are not those" not in told["Bob.html"]
    assert "no student of the roster is in its name" in grades["x.ipynb"].reason


def test_a_notebook_handed_in_for_another_is_told(tmp_path: Path, class_: Roster) -> None:
    grade = graded(tmp_path, class_, {"x_77123.ipynb": answered(SHEET, "1815")})["x_77123.ipynb"]
    assert grade.reason.startswith("it shows the numbers of 1815, not of 77123: by those it has 22")
    assert (grade.own, grade.score) == (22, 14)  # functions, and an answer that is both's
    told = read_by_students(tmp_path, class_, {"x_77123.ipynb": grade})
    assert NOT_YOURS in told["Bob.html"]
    assert "22 of 22" not in told["Bob.html"]
    rows = (tmp_path / "scores.csv").read_text("utf-8")
    assert "it shows the numbers of 1815, not of 77123" in rows


SECRETS = [(name, q) for name in names() for q in load(name).questions.values()]


@pytest.mark.parametrize("name", names())
def test_the_wheel_holds_neither_solutions_nor_mistakes_nor_hints(name: str) -> None:
    files = {path: data.decode() for path, data in wheel.files_for(load(name)).items()}
    assert not [path for path in files if path.endswith(".md") or "/packages/" in path]
    whole = "\n".join(text for path, text in files.items() if "/course/grading/" in path)
    for _, question in SECRETS:
        told = [question.solution.text, question.solution.code, question.probe_code]
        told += [m.text for m in question.mistakes] + list(question.hints)
        assert not [text for text in told if text and text in whole], question.name


def test_the_wheel_is_the_same_again_and_installs_by_itself(tmp_path: Path) -> None:
    """In an empty environment: pip takes it, and the notebook's first cells run."""
    data = wheel.wheel(SHEET)
    assert data == wheel.wheel(SHEET)
    path = tmp_path / wheel.file_name()
    path.write_bytes(data)
    with zipfile.ZipFile(path) as package:
        assert package.testzip() is None
    venv.create(tmp_path / "env", system_site_packages=False, with_pip=False)
    python = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "-q"]
    subprocess.run([*install, "--no-index", str(path)], check=True)
    code = (
        "import sys; sys.path.append(sys.argv[1])\n"  # numpy, as pip would have brought it
        "import pe_lib; assert 'env' in pe_lib.__file__, pe_lib.__file__\n"
        "from pe_lib.course.grading import Sheet\n"
        "sheet = Sheet('02-the-formula')\nentry = 0.5\nprint(sheet.check('one_entry'))\n"
        "print(sheet.solution('one_entry'))\n"
    )
    import numpy as np

    packages = str(Path(np.__file__).parents[1])
    said = subprocess.run(
        [str(python), "-I", "-c", code, packages], check=True, capture_output=True, text=True
    ).stdout
    assert said.splitlines() == [
        "✓ `entry` is there, and is a number. Whether it is right is not said.",
        "Not in an exam.",
    ]


def checked(question: Question, answer: Any) -> str:
    sheet = Sheet(SHEET.name, {question.name: wheel.form(question)})
    return repr(sheet.check(question.name, {question.answer: answer}))


@pytest.mark.parametrize("name", names())
def test_a_check_says_the_same_of_right_and_wrong_answers(name: str) -> None:
    for question in load(name).questions.values():
        right = question.defined(question.solution.code, 3)
        assert checked(question, right).startswith("✓"), question.name
        for mistake in question.mistakes:
            said = checked(question, question.defined(mistake.code, 3))
            assert said == checked(question, right) or said.startswith("✗"), mistake.name
        start = question.run(question.starter)[question.answer]
        assert checked(question, start).startswith("○"), question.name


def test_a_check_says_what_form_is_wanted() -> None:
    questions = SHEET.questions
    assert checked(questions["one_entry"], [1, 2]) == "✗ `entry` should be a number; it is [1, 2]."
    assert "should be 8 numbers" in checked(questions["whole_vector"], [1, 2])
    assert "one of a, b" in checked(questions["which_way"], "z")
    assert "a function of t, d_model" in checked(questions["write_encoding"], lambda t: t)
    assert checked(questions["one_entry"], None).startswith("○")


def test_the_commands_make_an_exam_and_grade_it(tmp_path: Path, class_: Roster) -> None:
    command = [sys.executable, "-m", "pe_lib.course.grading"]
    key, out = tmp_path / "key", tmp_path / "exam"
    words = ["--roster", str(class_.path), "--key", str(key)]
    subprocess.run([*command, "exam", "02", *words, "--out", str(out)], check=True)
    assert (key.stat().st_mode & 0o777 == 0o600) or sys.platform == "win32"
    grade = [*command, "grade", str(out / "notebooks"), "--sheet", "02"]
    grade += ["--out", str(tmp_path / "scores.csv")]
    ran = subprocess.run([*grade, *words], check=True, capture_output=True, text=True)
    assert "3 students, of 22 points: lowest 0, median 0, highest 0" in ran.stdout
    alone = subprocess.run([*grade, "--key", str(key)], capture_output=True, text=True, check=False)
    assert (alone.returncode, "needs --roster" in alone.stderr) == (1, True)


def test_a_function_is_tried_on_the_same_secret_numbers_for_all(class_: Roster) -> None:
    terms = of_exam(Terms(SHEET), class_, KEY, ["x_1815.ipynb"])
    value, function = SHEET.questions["one_entry"], SHEET.questions["write_encoding"]
    own = terms.of("x_1815.ipynb")
    assert own.seeds(value) == [seeds.seed(KEY, SHEET.name, "1815")]
    assert own.seeds(function) == terms.seeds(function) == list(seeds.secret_seeds(KEY, SHEET.name))
    assert Terms(SHEET, secrets=(5,)).seeds(function) == [0, 5]
