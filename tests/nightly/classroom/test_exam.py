"""An exam: own numbers, a library that gives nothing away, and everybody graded on theirs."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classroom.exam import hand_out, seeds, wheel
from classroom.exam.seeds import of_exam
from classroom.exam.student import Sheet
from classroom.marks import report, roster
from classroom.marks.roster import Roster
from classroom.marks.students import students
from classroom.running.fair import NOT_YOURS
from classroom.running.folder import grade_folder
from classroom.running.terms import Terms
from pe_lib.course.grading.sheet import Question, load, names

KEY = b"a key that stays with the teacher"
SHEET = load("02")
MAY = {  # what of pe_lib an exam on the sheet has
    "00": {"encode"}, "01": {"encode"}, "04": {"encode", "frequencies"},
    "05": {"encode", "frequencies", "rotation"}, "07": {"encode"},
    "11": {"encode", "rotation", "shift"},
}  # fmt: skip


def class_of(folder: Path, *lines: str) -> Roster:
    path = folder / "roster.csv"
    path.write_text("\n".join(["Name,Student ID", *lines]), "utf-8")
    return roster.read(path)


@pytest.fixture
def class_(tmp_path: Path) -> Roster:
    return class_of(tmp_path, "Ada Lovelace,1815", "Zoë Müller,zm/1", "Bob,77123")


def own(who: str) -> int:
    return seeds.seed(KEY, SHEET.name, who)


def answered(who: str) -> dict[str, Any]:
    """A student's notebook with the right answers, as they are typed."""
    notebook = hand_out.notebook(SHEET, own(who), who)
    cells = [c for c in notebook["cells"] if "answer" in c["metadata"].get("tags", [])]
    for question, cell in zip(SHEET.questions.values(), cells, strict=True):
        code = question.solution.code
        if question.kind != "code":
            right = question.defined(code, own(who))
            code = f"from numpy import array\n{question.answer} = {right!r}"
        cell["source"] = code
    return notebook


def test_a_seed_needs_the_key(tmp_path: Path) -> None:
    drawn = {seeds.seed(key, "02", who) for key in (KEY, KEY + b"!") for who in ("ada", "da")}
    assert len(drawn) == 4
    path = tmp_path / "key"
    assert seeds.new_key(path) == seeds.new_key(path) == seeds.key(path)
    path.write_text("secret\n")
    with pytest.raises(ValueError, match="holds 6 bytes; a key has at least 16"):
        seeds.key(path)


def test_everybodys_notebook_has_own_numbers_no_seed_and_a_file_that_tells_whose(
    tmp_path: Path, class_: Roster
) -> None:
    texts = {who: json.dumps(hand_out.notebook(SHEET, own(who), who)) for who in ("ada", "bob")}
    assert texts["ada"].replace("ada", "bob") != texts["bob"]
    for who, text in texts.items():
        assert "seed=" not in text and str(own(who)) not in text
        assert not [q for q in SHEET.questions.values() for h in q.hints if h in text]
    hand_out.write(SHEET, class_, KEY, tmp_path / "exam")
    files = sorted(path.name for path in (tmp_path / "exam/notebooks").iterdir())
    assert files == [f"02-the-formula_{who}.ipynb" for who in ("1815", "77123", "zm-1")]
    found = {student.name: student.files for student in students(files, class_)}
    assert found == {"Ada Lovelace": (files[0],), "Zoë Müller": (files[2],), "Bob": (files[1],)}


@pytest.mark.parametrize("ids", [["7", "812"], ["a/b", "a-b"], ["...", "812"], ["ada", "ADA"]])
def test_who_can_not_be_told_apart_is_refused(tmp_path: Path, ids: list[str]) -> None:
    known = class_of(tmp_path, *(f"Student {n},{n}" for n in ids))
    with pytest.raises(ValueError, match=r"doesn't tell that it is Student|has 'ada' twice"):
        hand_out.write(SHEET, known, KEY, tmp_path / "exam")
    assert not (tmp_path / "exam").exists()


def test_everybody_is_graded_on_their_own_numbers(tmp_path: Path, class_: Roster) -> None:
    """And reads of nobody else, and of no seed."""
    ada = answered("1815")
    stolen = json.loads(json.dumps(ada).replace('\\"1815\\"', '\\"zm/1\\"'))
    submitted = {"x_1815.ipynb": ada, "x_zm-1.ipynb": stolen, "x_77123.ipynb": ada, "x.ipynb": ada}
    (tmp_path / "in").mkdir()
    for name, notebook in submitted.items():
        (tmp_path / "in" / name).write_text(json.dumps(notebook), "utf-8")
    terms = of_exam(Terms(SHEET), class_, KEY, submitted)
    grades = grade_folder(tmp_path / "in", tmp_path / "kept", terms, 2, io.StringIO())
    assert grades["x_1815.ipynb"].score == SHEET.total
    theirs = grades["x_zm-1.ipynb"]
    assert theirs.score < SHEET.total
    assert theirs.flags[0].endswith("answers are right for 1815's numbers")
    assert theirs.results["one_entry"].hint == NOT_YOURS
    other = grades["x_77123.ipynb"]
    by_those = f"it shows the numbers of 1815, not of 77123: by those it has {SHEET.total:g}"
    assert other.reason.startswith(by_those)
    assert (other.own, other.score) == (SHEET.total, 15)  # functions, and an answer that is both's
    assert "no student of the roster is in its name" in grades["x.ipynb"].reason
    report.write(tmp_path / "scores.csv", grades, terms, class_, "", "")
    told = {p.name: p.read_text("utf-8") for p in (tmp_path / "scores/feedback").iterdir()}
    secret = [str(seed) for seed in terms.people.values()]
    for page in [*told.values(), (tmp_path / "scores/class.html").read_text("utf-8")]:
        others = [p for p in class_.people if f"<h1>{p.name}</h1>" not in page]
        words = [*(word for p in others for word in (p.name, p.id)), *secret, "--seed"]
        assert not [word for word in words if word in page]
    assert [NOT_YOURS in told[f"{who}.html"] for who in ("Zoë-Müller", "Bob", "Ada-Lovelace")] == [
        True, True, False
    ]  # fmt: skip


@pytest.mark.parametrize("name", names())
def test_the_wheel_holds_neither_solutions_nor_mistakes_nor_hints(name: str) -> None:
    files = {path: data.decode() for path, data in wheel.files_for(load(name)).items()}
    assert not [path for path in files if path.endswith(".md") or "/packages/" in path]
    whole = "\n".join(text for path, text in files.items() if "/course/grading/" in path)
    for question in [q for sheet in names() for q in load(sheet).questions.values()]:
        told = [question.solution.text, question.solution.code, question.probe_code]
        told += [m.text for m in question.mistakes] + list(question.hints)
        assert not [text for text in told if text and text in whole], question.name


def test_the_wheel_is_the_same_again_and_says_nothing_of_an_answer(tmp_path: Path) -> None:
    data = wheel.wheel(SHEET)
    assert data == wheel.wheel(SHEET)
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        package.extractall(tmp_path / "installed")
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]; sys.path.append(sys.argv[2])\n"
        "import pe_lib; assert 'installed' in pe_lib.__file__, pe_lib.__file__\n"
        "from pe_lib.course.grading import Sheet\n"
        "sheet = Sheet('02-the-formula')\nentry = 0.5\nprint(sheet.check('one_entry'))\n"
        "print(sheet.solution('one_entry'))\n"
    )
    numpy = Path(np.__file__).parents[1]  # as pip would bring it
    said = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(tmp_path / "installed"), str(numpy)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert said.stdout.splitlines() == [
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


def test_a_function_is_tried_on_the_same_secret_numbers_for_all(class_: Roster) -> None:
    terms = of_exam(Terms(SHEET), class_, KEY, ["x_1815.ipynb"])
    value, function = SHEET.questions["one_entry"], SHEET.questions["write_encoding"]
    theirs = terms.of("x_1815.ipynb")
    assert theirs.seeds(value) == [own("1815")]
    secret = list(seeds.secret_seeds(KEY, SHEET.name))
    assert theirs.seeds(function) == terms.seeds(function) == secret
    assert Terms(SHEET, secrets=(5,)).seeds(function) == [0, 5]


def test_pip_takes_the_wheel(tmp_path: Path) -> None:
    path = tmp_path / wheel.file_name()
    path.write_bytes(wheel.wheel(SHEET))
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q"]
    subprocess.run([*install, "--target", str(tmp_path / "there"), str(path)], check=True)
    assert (tmp_path / "there" / "pe_lib" / "course" / "grading" / "__init__.py").exists()


@pytest.mark.parametrize("name", names())
def test_the_wheel_has_what_an_answer_may_call_and_not_what_it_is_to_build(
    name: str, tmp_path: Path
) -> None:
    """Setup and right ways run with it, in a process that has no other pe_lib."""
    with zipfile.ZipFile(io.BytesIO(wheel.wheel(load(name)))) as package:
        package.extractall(tmp_path)
    code = [q for q in load(name).questions.values() if q.kind == "code"]
    tried = [[q.setup, way.code] for q in code for way in (q.solution, *q.also_right)]
    run = (
        "import json, sys; sys.path[:0] = [sys.argv[1]]; sys.path.append(sys.argv[2])\n"
        "import pe_lib\n"
        "for codes in json.load(sys.stdin):\n"
        "    names = {}\n"
        "    for code in codes: exec(code, names)\n"
        "print(*(n for n in dir(pe_lib) if callable(getattr(pe_lib, n))))\n"
    )
    numpy = Path(np.__file__).parents[1]
    said = subprocess.run(
        [sys.executable, "-I", "-S", "-c", run, str(tmp_path), str(numpy)],
        check=True, capture_output=True, text=True, input=json.dumps(tried),
    )  # fmt: skip
    assert set(said.stdout.split()) == MAY.get(name[:2], set())
    held = {path.stem for path in tmp_path.glob("pe_lib/*")}
    assert not held & {"decoding", "doctor", "checkpoints"} or name == "11-choosing"  # which asks


@pytest.mark.parametrize(
    ("typed", "read"), [("k = 1234", "1234"), ("1 234,5", "1234.5"), ("6 digits", "6")]
)
def test_a_check_reads_what_is_typed_as_it_will_be_graded(typed: str, read: str) -> None:
    assert f"is a number. It is read as {read}." in checked(SHEET.questions["one_entry"], typed)
    assert checked(SHEET.questions["one_entry"], "some").startswith("✗")
