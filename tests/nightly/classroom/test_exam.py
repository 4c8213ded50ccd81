"""Test that each student's exam has different numbers, and that exams are graded fairly."""

import csv
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pe_lib
from classroom.exam import hand_out, wheel
from classroom.exam.hand_out import exam_terms
from classroom.marks import report, roster
from classroom.marks.roster import Roster, Student, match_students
from classroom.running.folder import grade_folder
from classroom.running.grader import NOT_YOURS
from classroom.running.terms import Terms
from pe_lib.course.grading.borrowed import allowed_names
from pe_lib.course.grading.sealed import check_form, seal
from pe_lib.course.grading.sheet import Question, load, names, parse

KEY = b"a key that stays with the teacher"
SHEET = load("02")


def write_roster(folder: Path, *lines: str) -> Roster:
    path = folder / "roster.csv"
    path.write_text("\n".join(["Name,Student ID", *lines]), "utf-8")
    return roster.read_roster(path)


@pytest.fixture
def class_(tmp_path: Path) -> Roster:
    return write_roster(tmp_path, "Ada Lovelace,1815", "Zoë Müller,zm/1", "Bob,77123")


def seed_of(who: str) -> int:
    return hand_out.student_seed(KEY, SHEET.name, who)


def answer_all(who: str) -> dict[str, Any]:
    """Return a student's notebook after filling in all answers correctly."""
    notebook = hand_out.make_notebook(SHEET, seed_of(who), Student(who))
    cells = [c for c in notebook["cells"] if "answer" in c["metadata"].get("tags", [])]
    for question, cell in zip(SHEET.questions.values(), cells, strict=True):
        code = question.solution.code
        if question.kind != "code":
            right = question.run_answer(code, seed_of(who))
            code = f"from numpy import array\n{question.answer} = {right!r}"
        cell["source"] = code
    return notebook


def test_a_seed_needs_the_key(tmp_path: Path) -> None:
    seeds = {
        hand_out.student_seed(key, "02", who) for key in (KEY, KEY + b"!") for who in ("ada", "da")
    }
    assert len(seeds) == 4
    path = tmp_path / "key"
    key = hand_out.read_key(path, create=True)
    assert key == hand_out.read_key(path, create=True) == hand_out.read_key(path)
    path.write_text("secret\n")
    with pytest.raises(ValueError, match="has 6 bytes; a key has at least 16"):
        hand_out.read_key(path)


def test_everybodys_notebook_has_own_numbers_no_seed_and_a_file_that_tells_whose(
    tmp_path: Path, class_: Roster
) -> None:
    texts = {
        who: json.dumps(hand_out.make_notebook(SHEET, seed_of(who), Student(who)))
        for who in ("ada", "bob")
    }
    assert texts["ada"].replace("ada", "bob") != texts["bob"]
    for who, text in texts.items():
        assert "seed=" not in text and str(seed_of(who)) not in text
        assert not [q for q in SHEET.questions.values() for h in q.hints if h in text]
    hand_out.write(SHEET, class_, KEY, tmp_path / "exam")
    files = sorted(path.name for path in (tmp_path / "exam/notebooks").iterdir())
    assert files == [f"02-the-formula_{who}.ipynb" for who in ("1815", "77123", "zm-1")]
    files_by_name = {student.name: student.files for student in match_students(files, class_)}
    assert files_by_name == {
        "Ada Lovelace": (files[0],),
        "Zoë Müller": (files[2],),
        "Bob": (files[1],),
    }
    with (tmp_path / "exam/hand-out.csv").open(encoding="utf-8", newline="") as table:
        listed = {line["student"]: line["file"] for line in csv.DictReader(table)}
    assert listed == {who: f"notebooks/{file}" for who, (file,) in files_by_name.items()}
    assert all((tmp_path / "exam" / file).is_file() for file in listed.values())


@pytest.mark.parametrize("ids", [["7", "812"], ["a/b", "a-b"], ["...", "812"], ["ada", "ADA"]])
def test_who_can_not_be_told_apart_is_refused(tmp_path: Path, ids: list[str]) -> None:
    roster_ = write_roster(tmp_path, *(f"Student {n},{n}" for n in ids))
    with pytest.raises(ValueError, match="would not tell that it is Student"):
        hand_out.write(SHEET, roster_, KEY, tmp_path / "exam")
    assert not (tmp_path / "exam").exists()


def test_everybody_is_graded_on_their_own_numbers(tmp_path: Path, class_: Roster) -> None:
    """Check that copied notebooks lose points, and that no page names a seed or another student."""
    ada = answer_all("1815")
    stolen = json.loads(json.dumps(ada).replace('\\"1815\\"', '\\"zm/1\\"'))
    submitted = {"x_1815.ipynb": ada, "x_zm-1.ipynb": stolen, "x_77123.ipynb": ada, "x.ipynb": ada}
    (tmp_path / "in").mkdir()
    for name, notebook in submitted.items():
        (tmp_path / "in" / name).write_text(json.dumps(notebook), "utf-8")
    terms = exam_terms(Terms(SHEET), class_, KEY, submitted)
    grades = grade_folder(tmp_path / "in", terms, 2, io.StringIO())
    assert grades["x_1815.ipynb"].score == SHEET.total
    theirs = grades["x_zm-1.ipynb"]
    assert theirs.score < SHEET.total
    assert theirs.flags[0].endswith("answers are right for 1815's numbers")
    assert theirs.results["similarity_after"].hint == NOT_YOURS
    other = grades["x_77123.ipynb"]
    assert "shows the numbers of 1815" in other.flags
    # the functions and the choice do not depend on the numbers, so they still earn points
    assert other.score == sum(
        question.total
        for question in SHEET.questions.values()
        if question.kind in ("code", "choice")
    )
    assert "no student of the roster is in its name" in grades["x.ipynb"].reason
    report.write(tmp_path / "scores.csv", grades, terms, class_, "", "")
    feedback = {p.name: p.read_text("utf-8") for p in (tmp_path / "scores/feedback").iterdir()}
    secret = [str(seed) for seed in terms.student_seeds.values()]
    for page in [*feedback.values(), (tmp_path / "scores/class.html").read_text("utf-8")]:
        others = [p for p in class_.people if f"<h1>{p.name}</h1>" not in page]
        words = [*(word for p in others for word in (p.name, p.id)), *secret, "--seed"]
        assert not [word for word in words if word in page]
    assert NOT_YOURS in feedback["Zoë-Müller.html"]
    assert NOT_YOURS in feedback["Bob.html"]
    assert NOT_YOURS not in feedback["Ada-Lovelace.html"]


@pytest.mark.parametrize("name", names())
def test_the_wheel_holds_neither_solutions_nor_mistakes_nor_hints(name: str) -> None:
    files = {path: data.decode() for path, data in wheel.wheel_files(load(name)).items()}
    assert [path for path in files if path.endswith(".md")] == [
        f"pe_lib/course/grading/sheets/{name}.md"
    ]
    whole = "\n".join(text for path, text in files.items() if "/course/grading/" in path)
    for question in [q for sheet in names() for q in load(sheet).questions.values()]:
        secrets = [question.solution.text, question.solution.code, question.probe_code]
        secrets += [m.text for m in question.mistakes] + list(question.hints)
        assert not [text for text in secrets if text and text in whole], question.name


@pytest.mark.parametrize("name", names())
def test_a_check_says_the_same_of_right_and_wrong_answers(name: str) -> None:
    sealed = parse(seal(load(name)), name)
    for question in load(name).questions.values():
        sealed_question = sealed.questions[question.name]

        def check_answer(answer: Any, question: Question = sealed_question) -> str:
            return check_form(question, {question.answer: answer})

        right = question.run_answer(question.solution.code, 3)
        assert check_answer(right).startswith("✓"), question.name
        for mistake in question.mistakes:
            message = check_answer(question.run_answer(mistake.code, 3))
            assert message == check_answer(right) or message.startswith("✗"), mistake.name
        assert check_answer(question.run(question.starter)[question.answer]).startswith("○")


RUN = """
import json, sys
sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])
import pe_lib
assert pe_lib.__file__.startswith(sys.argv[1])
notebook, ways = json.load(sys.stdin)
for cell in notebook["cells"]:
    if cell["cell_type"] == "code":
        shown = cell["source"].startswith("sheet.check")
        exec(f"print({cell['source']})" if shown else cell["source"])
for way in ways:
    exec(way, {})
print(sheet.hint(ASKED), sheet.solution(ASKED), *dir(pe_lib))
"""


@pytest.mark.parametrize("name", names())
def test_notebook_and_right_ways_run_with_the_wheel_which_lacks_what_is_to_be_built(
    name: str, tmp_path: Path
) -> None:
    """Run the exam's notebook and all correct solutions with the pe_lib in the exam's wheel."""
    content, (_, data) = load(name), wheel.make_wheel(load(name))
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        package.extractall(tmp_path)
    code = [q for q in content.questions.values() if q.kind == "code"]
    ways = [f"{q.setup}\n{way.code}" for q in code for way in (q.solution, *q.also_right)]
    stdin = json.dumps([hand_out.make_notebook(content, 77, Student("ada")), ways])
    run = RUN.replace("ASKED", repr(next(iter(content.questions))))
    numpy = str(Path(np.__file__).parents[1])  # the folder in which numpy is installed
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", run, str(tmp_path), numpy],
                         check=True, capture_output=True, text=True, input=stdin)  # fmt: skip
    *checks, last = ran.stdout.splitlines()
    count = len(content.questions)
    assert [check[0] for check in checks[:count]] == ["○"] * count
    assert "There are no hints here." in ran.stdout and "Not in an exam." in ran.stdout
    public_names = set(last.split()) & set(pe_lib.__all__)
    assert public_names <= set().union(*map(allowed_names, code)) | set(
        re.findall(r"\w+", content.setup)
    )


def test_a_function_is_tried_on_the_same_secret_numbers_for_all(class_: Roster) -> None:
    terms = exam_terms(Terms(SHEET), class_, KEY, ["x_1815.ipynb"])
    value, function = SHEET.questions["similarity_after"], SHEET.questions["write_encoding"]
    theirs = terms.for_submission("x_1815.ipynb")
    assert theirs.seeds(value) == [seed_of("1815")]
    assert theirs.seeds(function) == terms.seeds(function) == list(terms.secrets)
    assert len(terms.secrets) == 2 and Terms(SHEET, secrets=(5,)).seeds(function) == [0, 5]


def test_pip_takes_the_wheel(tmp_path: Path) -> None:
    name, data = wheel.make_wheel(SHEET)
    path = tmp_path / name
    path.write_bytes(data)
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q"]
    subprocess.run([*install, "--target", str(tmp_path / "there"), str(path)], check=True)
    assert (tmp_path / "there" / "pe_lib" / "course" / "grading" / "__init__.py").exists()


@pytest.mark.parametrize(
    ("typed_text", "value"), [("k = 1234", "1234"), ("1 234,5", "1234.5"), ("6 digits", "6")]
)
def test_a_check_reads_what_is_typed_as_it_will_be_graded(typed_text: str, value: str) -> None:
    question = load("04").questions["slow_sine"]
    assert f"is a number. It is read as {value}." in check_form(
        question, {question.answer: typed_text}
    )
    assert check_form(question, {question.answer: "some"}).startswith("✗")
