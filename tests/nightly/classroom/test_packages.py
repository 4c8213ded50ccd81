"""What a class gets: full marks for solutions, none for starters, and no secrets in between.

One sheet is tried here, and all of them in tests/nightly/grading.
"""

import ast
import io
import json
import re
import sys
import types
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from classroom.packages import LONG_AGO, moodle, nbgrader, otter, plain, qti
from classroom.running.terms import Reason
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.otter import OTHERS
from pe_lib.course.grading.sheet import Content, Question, load, names

SEED, SECRETS = 7, (314_159, 271_828)
SHEET = load("02")  # with functions
WRITE = SHEET.questions["write_encoding"]


class OtterCase:
    """All of otter's `test_case` that a test file uses."""

    def __init__(self, name: str, points: float, hidden: bool) -> None:
        self.name, self.points, self.hidden = name, points, hidden

    def __call__(self, function: Callable[[dict[str, Any]], None]) -> "OtterCase":
        self.function = function
        return self


@pytest.fixture(autouse=True)
def interface(monkeypatch: pytest.MonkeyPatch) -> None:
    """otter's interface, as far as the packages use it."""
    parts = {name: types.ModuleType(name) for name in ("otter.test_files", "otter.generate")}
    vars(parts["otter.test_files"])["test_case"] = OtterCase
    vars(parts["otter.generate"])["main"] = generated
    for name, module in parts.items() | {("otter", types.ModuleType("otter"))}:
        monkeypatch.setitem(sys.modules, name, module)


def generated(*, tests_dir: str, output_path: str, config: str, **_: Any) -> None:
    """A zip like that of `otter generate`, with the time of day in it."""
    with zipfile.ZipFile(output_path, "w") as made:
        for path in Path(tests_dir).iterdir():
            made.write(path, f"tests/{path.name}")
        made.write(config, "otter_config.json")
        for name in ("setup.sh", "run_autograder", "run_otter.py"):
            made.writestr(name, "")


def cases(text: str) -> list[OtterCase]:
    """The cases of a test file."""
    scope: dict[str, Any] = {}
    exec(compile(text, "<test file>", "exec"), scope)
    assert scope["OK_FORMAT"] is False, "otter asks for it"
    return [value for value in scope.values() if isinstance(value, OtterCase)]


def run(text: str, env: dict[str, Any]) -> tuple[float, dict[str, str]]:
    """The points, and what the failed cases say, by name."""
    score, said = 0.0, {}
    for case in cases(text):
        try:
            case.function(env)
            score += case.points
        except AssertionError as error:
            said[case.name] = str(error)
    return score, said


def answered(question: Question, code: str) -> dict[str, Any]:
    return {question.answer: question.defined(code, SEED)}


def sources(notebook: notebooks.Notebook) -> str:
    return "\n".join(cell["source"] for cell in notebook["cells"])


def otter_tells_what_the_notebook_tells(content: Content) -> None:
    for question in content.questions.values():
        for secrets in ((), SECRETS):
            text = otter.otter_test(question, SEED, secrets)
            assert sum(case.points for case in cases(text)) == question.total
            everything = answered(question, question.solution.code)
            assert run(text, everything) == (question.total, {}), question
            score, said = run(text, answered(question, question.starter))
            assert score == 0 and len(said) == len(cases(text)), question
        text = otter.otter_test(question, SEED)
        for mistake in question.mistakes:
            score, said = run(text, answered(question, mistake.code))
            assert score < question.total
            assert mistake.text in said.values(), (question, mistake.name)


def test_otter_tells_what_the_notebook_tells() -> None:
    otter_tells_what_the_notebook_tells(SHEET)


def test_a_part_gives_its_points() -> None:
    code = WRITE.solution.code.replace("np.sin(angle), np.cos(angle)", "np.sin(angle), 0.5")
    for secrets in ((), SECRETS):
        score, said = run(otter.otter_test(WRITE, SEED, secrets), answered(WRITE, code))
        assert score == 1
        assert "cosines" in said and "sines" not in said


def test_right_on_the_known_numbers_only_is_found_on_the_secret_ones() -> None:
    right = WRITE.defined(WRITE.solution.code)
    numbers = [WRITE.given(SEED, draw) for draw in range(WRITE.draws)]

    def learnt(k: int, d_model: int) -> Any:
        known = (k, d_model) in [(given.t, given.d_model) for given in numbers]
        return right(k, d_model) if known else right(0, d_model)

    assert run(otter.otter_test(WRITE, SEED), {"pe": learnt})[0] == WRITE.total
    text = otter.otter_test(WRITE, SEED, SECRETS)
    score, said = run(text, {"pe": learnt})
    assert score == 0
    assert set(said.values()) == {OTHERS}, "no number of a secret seed in a message"
    assert [case.points for case in cases(text) if not case.hidden] == [0, 0]
    shown = [line for line in text.splitlines() if line.startswith("    ")]
    assert not [line for line in shown if re.search(r"\d{2}", line)], "otter shows that line"


@pytest.mark.parametrize("name", names())
def test_students_get_neither_solutions_nor_mistakes(name: str) -> None:
    content = load(name)
    files = otter.student_files(content, SEED)
    notebook = json.loads(files.pop(f"{content.name}.ipynb"))
    nbformat.validate(notebook)
    assert f'Sheet("{content.name}", seed={SEED})' in sources(notebook)
    assert files.keys() == {f"tests/{name}.py" for name in content.questions}
    everything = "\n".join([sources(notebook), *files.values()])
    assert "hidden=True" not in everything
    for question in content.questions.values():
        told = [question.solution.code, question.solution.text]
        told += [text for m in question.mistakes for text in (m.text, m.code)]
        assert not [text for text in told if text in everything]


def test_the_folders_of_a_class(tmp_path: Path) -> None:
    trees = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        otter.write(SHEET, folder, SEED, SECRETS)
        paths = [path for path in folder.rglob("*") if path.is_file()]
        trees.append({path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})
    files = trees[0]
    assert trees[1] == files, "the same command, the same files"
    student = b"".join(data for name, data in files.items() if not name.startswith("autograder"))
    assert not [secret for secret in SECRETS if str(secret).encode() in student]
    assert f"seed={SEED}, keep=False" in sources(json.loads(files["autograder/solved.ipynb"]))
    with zipfile.ZipFile(io.BytesIO(files["autograder/autograder.zip"])) as package:
        entries = {entry.filename: entry for entry in package.infolist()}
        assert {entry.date_time for entry in entries.values()} == {LONG_AGO}
        assert entries["run_autograder"].external_attr >> 16 == 0o100755
        assert f"files/pe_lib/course/grading/sheets/{SHEET.name}.md" in entries
        for name, question in SHEET.questions.items():
            text = package.read(f"tests/{name}.py").decode()
            secret = "hidden=True" in text and all(str(seed) in text for seed in SECRETS)
            assert secret == (question.kind == "code"), "what is typed in has no secret numbers"
        (plugin,) = json.loads(package.read("otter_config.json"))["plugins"]
    [(path, given)] = plugin.items()
    assert path == f"{otter.__name__}.Grader"
    assert given == {"sheet": SHEET.name, "seed": SEED, "secrets": list(SECRETS)}


@pytest.mark.parametrize(
    "platform", [otter, nbgrader, moodle, qti, plain], ids=lambda p: p.__name__.rsplit(".")[-1]
)
def test_what_is_written_is_not_written_over(platform: types.ModuleType, tmp_path: Path) -> None:
    platform.write(load("04"), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=r"is not empty|is there already"):
        platform.write(load("04"), tmp_path)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_a_class_with_nothing_but_python_gets_a_notebook_and_a_wheel(tmp_path: Path) -> None:
    plain.write(SHEET, tmp_path, 17)
    made = json.loads((tmp_path / f"{SHEET.name}.ipynb").read_text("utf-8"))
    [wheel] = tmp_path.glob("*.whl")
    assert f"%pip install -q ./{wheel.name}" in made["cells"].pop(1)["source"]
    assert made["cells"] == notebooks.student(SHEET, 17)["cells"]
    with zipfile.ZipFile(wheel) as package:
        assert f"pe_lib/course/grading/sheets/{SHEET.name}.md" in package.namelist()


def test_the_plugin_grades_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless cell costs its own points; the tests then read what was found."""
    monkeypatch.setattr(otter, "SECONDS", 2.0)
    config = {"sheet": SHEET.name, "seed": SEED, "secrets": list(SECRETS)}
    plugin = otter.Grader("", {}, config)
    submitted = notebooks.solved(SHEET, SEED)
    cell = next(c for c in submitted["cells"] if c["source"].endswith(WRITE.solution.code))
    cell["source"] = "while True:\n    pass"
    notebook = plugin.before_execution(nbformat.from_dict(submitted))
    (cell,) = notebook["cells"]
    nbformat.validate(notebook)
    monkeypatch.setattr(sys, "path", list(sys.path))
    env: dict[str, Any] = {"pe": lambda *_: "what a student's process says does not count"}
    exec(cell["source"], env)
    found = {q: run(otter.otter_test(q, SEED, SECRETS), env) for q in SHEET.questions.values()}
    full = {q: q.total for q in SHEET.questions.values()}
    assert {q: score for q, (score, _) in found.items()} == full | {WRITE: 0}
    assert "ran for more than 2 seconds" in found[WRITE][1]["sines"]
    outputs: list[str] = []
    results = types.SimpleNamespace(
        results=dict.fromkeys(reversed(SHEET.questions), ""), set_output=outputs.append
    )
    plugin.after_grading(results)
    assert list(results.results) == list(SHEET.questions), "in the order of the sheet"
    assert "ran for more than 2 seconds" in outputs[0]


def test_what_could_not_be_tried_has_no_points() -> None:
    graded = otter.Grade(reasons=[Reason("its process ended with code 1")])
    found = otter.findings(graded, otter.Terms(SHEET, SEED, SECRETS))
    assert found.keys() == SHEET.questions.keys()
    assert set(found["write_encoding"]) == {SEED, *SECRETS}
    said = {hint for of in found.values() for parts in of.values() for hint in parts.values()}
    assert said == {"It could not be tried: its process ended with code 1."}


def scores(cells: list[notebooks.Cell]) -> list[Any]:
    """What the code cells end with, the number that nbgrader takes, where they are graded."""
    scope: dict[str, Any] = {"display": lambda *_: None}
    ends = []
    for cell in cells:
        if cell["cell_type"] == "code":
            *body, last = ast.parse(cell["source"]).body
            graded = cell["metadata"]["nbgrader"]["grade"]
            exec(compile(ast.Module(body if graded else [*body, last], []), "cell", "exec"), scope)
            if graded:
                assert isinstance(last, ast.Expr)
                ends.append(eval(compile(ast.Expression(last.value), "cell", "eval"), scope))
    return ends


def nbgrader_gives_the_points(
    content: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDER_MATTERS_HOME", str(tmp_path))
    notebook = nbgrader.notebook(content, SEED)
    nbformat.validate(notebook)
    full = [question.total for question in content.questions.values()]
    marks = [cell["metadata"]["nbgrader"] for cell in notebook["cells"]]
    assert len({mark["grade_id"] for mark in marks}) == len(marks)
    assert [mark["points"] for mark in marks if mark["grade"]] == full
    assert all(mark["locked"] != mark["solution"] for mark in marks)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert scores(notebook["cells"]) == full
    assert not list(tmp_path.iterdir()), "grading is nobody's progress"
    # as nbgrader releases it, with the empty stub of the written nbgrader_config.py
    region = re.compile(r"### BEGIN SOLUTION\n.*\n### END SOLUTION", re.DOTALL)
    student = {cell["id"]: cell["source"] for cell in notebooks.student(content, SEED)["cells"]}
    for cell in notebook["cells"]:
        cell["source"], cut = region.subn("", cell["source"])
        assert cut == cell["metadata"]["nbgrader"]["solution"]
        assert not cut or cell["source"].strip() == student[cell["id"]], "the starter, and no more"
    zero = scores(notebook["cells"])
    assert [float(repr(score)) for score in zero] == [0] * len(full), "full marks for no number"


def test_nbgrader_gives_the_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbgrader_gives_the_points(SHEET, tmp_path, monkeypatch)


def test_a_course_of_nbgrader(tmp_path: Path) -> None:
    nbgrader.write(SHEET, tmp_path, SEED)
    path = tmp_path / "source" / SHEET.name / f"{SHEET.name}.ipynb"
    assert json.loads(path.read_text("utf-8")) == nbgrader.notebook(SHEET, SEED)
    config = tmp_path / "nbgrader_config.py"
    compile(config.read_text(), config.name, "exec")
    config.write_text("c = get_config()\n")
    assert "code_stub" in nbgrader.write(load("04"), tmp_path)
    assert config.read_text() == "c = get_config()\n", "the teacher's file is the teacher's"
