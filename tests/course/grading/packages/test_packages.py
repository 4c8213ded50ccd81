"""What a class gets: full marks for solutions, none for starters, and no secrets in between."""

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

from pe_lib.course.grading import notebooks
from pe_lib.course.grading.packages import LONG_AGO, nbgrader
from pe_lib.course.grading.packages import otter as packages
from pe_lib.course.grading.sheet import Content, Question, load, names

ROOT = Path(__file__).resolve().parents[4]
SEED, SECRETS = 7, (314_159, 271_828)

every_sheet = pytest.mark.parametrize("content", [load(name) for name in names()], ids=names())
WITH_FUNCTION = "02"


class OtterCase:
    """All of otter's `test_case` that a test file uses."""

    def __init__(self, name: str, points: float, hidden: bool) -> None:
        self.name, self.points, self.hidden = name, points, hidden

    def __call__(self, function: Callable[[dict[str, Any]], None]) -> "OtterCase":
        self.function = function
        return self


@pytest.fixture
def otter(monkeypatch: pytest.MonkeyPatch) -> None:
    """otter's interface, as far as the packages use it."""
    package, files, generate = map(
        types.ModuleType, ("otter", "otter.test_files", "otter.generate")
    )
    files.test_case = OtterCase  # type: ignore[attr-defined]
    generate.main = generated  # type: ignore[attr-defined]
    for module in (package, files, generate):
        monkeypatch.setitem(sys.modules, module.__name__, module)


def generated(*, tests_dir: str, output_path: str, config: str, **_: Any) -> None:
    """A zip like that of `otter generate`, with the time of day in it."""
    with zipfile.ZipFile(output_path, "w") as made:
        for path in Path(tests_dir).iterdir():
            made.write(path, f"tests/{path.name}")
        made.write(config, "otter_config.json")
        for name in ("setup.sh", "run_autograder", "environment.yml"):
            made.writestr(name, "")
        made.writestr("run_otter.py", '"""Runs otter."""\n')


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
            text = packages.otter_test(question, SEED, secrets)
            assert sum(case.points for case in cases(text)) == question.total
            everything = answered(question, question.solution.code)
            assert run(text, everything) == (question.total, {}), question
            score, said = run(text, answered(question, question.starter))
            assert score == 0 and len(said) == len(cases(text)), question
        text = packages.otter_test(question, SEED)
        for mistake in question.mistakes:
            score, said = run(text, answered(question, mistake.code))
            assert score < question.total
            assert mistake.text in said.values(), (question, mistake.name)
        assert run(text, {})[0] == 0, "not even the name is there"


@pytest.mark.usefixtures("otter")
def test_solutions_score_all_starters_nothing_and_mistakes_get_their_hint() -> None:
    otter_tells_what_the_notebook_tells(load(WITH_FUNCTION))


@pytest.mark.usefixtures("otter")
def test_a_part_gives_its_points() -> None:
    question = load(WITH_FUNCTION).questions["write_encoding"]
    code = question.solution.code.replace("np.sin(angle), np.cos(angle)", "np.sin(angle), 0.5")
    for secrets in ((), SECRETS):
        score, said = run(packages.otter_test(question, SEED, secrets), answered(question, code))
        assert score == 1
        assert said["cosines"].startswith("`cosines` at [0]: yours 0.5, expected")
        assert "sines" not in said
        both = code.replace("np.sin(angle), 0.5", "0.5, 0.5")
        _, said = run(packages.otter_test(question, SEED, secrets), answered(question, both))
        assert said["cosines"] == "See `sines`.", "one hint, not one for each part"


@pytest.mark.usefixtures("otter")
def test_right_on_the_known_numbers_only_is_found_on_the_secret_ones() -> None:
    question = load(WITH_FUNCTION).questions["write_encoding"]
    right = question.defined(question.solution.code)
    numbers = [question.given(SEED, draw) for draw in range(question.draws)]

    def learnt(k: int, d_model: int) -> Any:
        known = (k, d_model) in [(given.t, given.d_model) for given in numbers]
        return right(k, d_model) if known else right(0, d_model)

    assert run(packages.otter_test(question, SEED), {"pe": learnt})[0] == question.total
    text = packages.otter_test(question, SEED, SECRETS)
    score, said = run(text, {"pe": learnt})
    assert score == 0
    assert {name.partition(",")[0] for name in said} == set(question.points)
    assert set(said.values()) == {packages.OTHERS}, "no number of a secret seed in a message"
    assert [case.points for case in cases(text) if not case.hidden] == [0, 0]
    shown = [line for line in text.splitlines() if line.startswith("    ")]
    assert not [line for line in shown if re.search(r"\d{2}", line)], "otter shows that line"


@every_sheet
def test_students_get_neither_solutions_nor_secrets(content: Content) -> None:
    files = packages.student_files(content, SEED)
    assert len(files) == 1 + len(content.questions)
    notebook = json.loads(files[f"{content.name}.ipynb"])
    nbformat.validate(notebook)
    assert f'Sheet("{content.name}", seed={SEED})' in sources(notebook)
    everything = sources(notebook) + "".join(t for n, t in files.items() if n.endswith(".py"))
    for question in content.questions.values():
        assert question.solution.code not in everything
        assert question.solution.text not in everything
        assert not [
            m.name for m in question.mistakes if m.text in everything or m.code in everything
        ]
        assert f'sheet.check("{question.name}")' in everything
        assert "hidden=True" not in files[f"tests/{question.name}.py"]
    assert not [secret for secret in SECRETS if str(secret) in everything]


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.usefixtures("otter")
def test_the_folders_of_a_class(tmp_path: Path) -> None:
    content = load(WITH_FUNCTION)
    packages.write(content, tmp_path / "one", SEED, SECRETS)
    packages.write(content, tmp_path / "two", SEED, SECRETS)
    files = tree(tmp_path / "one")
    assert files == tree(tmp_path / "two"), "the same command, the same files"
    assert {name.split("/")[0] for name in files} == {"README.txt", "student", "autograder"}
    student = b"".join(data for name, data in files.items() if not name.startswith("autograder"))
    assert not [secret for secret in SECRETS if str(secret).encode() in student]
    solved = json.loads(files["autograder/solved.ipynb"])
    assert f"seed={SEED}, keep=False" in sources(solved)
    assert all(q.solution.code in sources(solved) for q in content.questions.values())
    with zipfile.ZipFile(io.BytesIO(files["autograder/autograder.zip"])) as package:
        entries = {entry.filename: entry for entry in package.infolist()}
        assert {entry.date_time for entry in entries.values()} == {LONG_AGO}
        assert entries["run_autograder"].external_attr >> 16 == 0o100755
        assert f"files/pe_lib/course/grading/sheets/{content.name}.md" in entries
        for name, question in content.questions.items():
            text = package.read(f"tests/{name}.py").decode()
            secret = "hidden=True" in text and all(str(seed) in text for seed in SECRETS)
            assert secret == (question.kind == "code"), "what is typed in has no secret numbers"
        config = json.loads(package.read("otter_config.json"))
    (plugin,) = config["plugins"]
    assert plugin == {
        "pe_lib.course.grading.packages.otter.Grader": {
            "sheet": content.name, "seed": SEED, "secrets": list(SECRETS)
        }
    }  # fmt: skip


@pytest.mark.usefixtures("otter")
def test_nothing_is_overwritten_and_seeds_make_sense(tmp_path: Path) -> None:
    content = load(WITH_FUNCTION)
    Path(tmp_path, "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not empty"):
        packages.write(content, tmp_path)
    with pytest.raises(ValueError, match="from 0 on"):
        packages.write(content, tmp_path / "new", 0, (-1,))
    asks_for_none = Content("x", "X", "", {}, "", "")
    with pytest.raises(ValueError, match="asks for none"):
        packages.write(asks_for_none, tmp_path / "new", 0, (1,))
    nbgrader.write(content, tmp_path, SEED)
    with pytest.raises(ValueError, match="is there already"):
        nbgrader.write(content, tmp_path, SEED)
    assert not Path(tmp_path, "new").exists()


def submission(content: Content, **answers: str) -> notebooks.Notebook:
    """The student's notebook with answers, as nbformat reads it."""
    notebook = notebooks.student(content, SEED)
    for cell in notebook["cells"]:
        for name, code in answers.items():
            if cell["id"].endswith(f"-{name.replace('_', '-')}-answer"):
                given = re.match("given = .*\n", cell["source"])
                cell["source"] = (given[0] if given else "") + code
    return nbformat.from_dict(notebook)


def solutions(content: Content) -> dict[str, str]:
    return {question.name: question.solution.code for question in content.questions.values()}


class Results:
    """As much of otter's GradingResults as the plugin touches."""

    def __init__(self, results: dict[str, str]) -> None:
        self.results, self.output = results, ""

    def set_output(self, output: str) -> None:
        self.output = output


@pytest.mark.usefixtures("otter")
def test_the_plugin_grades_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless cell costs its own points; the tests then read what was found."""
    monkeypatch.setattr(packages, "SECONDS", 2.0)
    content = load(WITH_FUNCTION)
    endless = "while True:\n    pass"
    config = {"sheet": content.name, "seed": SEED, "secrets": list(SECRETS)}
    plugin = packages.Grader("", {}, config)
    notebook = plugin.before_execution(
        submission(content, **solutions(content) | {"write_encoding": endless})
    )
    (cell,) = notebook["cells"]
    nbformat.validate(notebook)
    monkeypatch.setattr(sys, "path", list(sys.path))
    env: dict[str, Any] = {"pe": lambda *_: "what a student's process says does not count"}
    exec(cell["source"], env)
    earned = {}
    for question in content.questions.values():
        earned[question.name], said = run(packages.otter_test(question, SEED, SECRETS), env)
        if question.name == "write_encoding":
            assert "ran for more than 2 seconds" in said["sines"]
    full = {q.name: q.total for q in content.questions.values()}
    assert earned == full | {"write_encoding": 0}
    results = Results(dict.fromkeys(reversed(content.questions), ""))
    plugin.after_grading(results)
    assert list(results.results) == list(content.questions), "in the order of the sheet"
    assert "ran for more than 2 seconds" in results.output


def test_what_could_not_be_tried_has_no_points() -> None:
    content = load(WITH_FUNCTION)
    graded = packages.Grade(reason="its process ended with code 1")
    found = packages.findings(graded, packages.Terms(content, SEED, SECRETS))
    for name, question in content.questions.items():
        secret = SECRETS if question.kind == "code" else ()
        assert list(found[name]) == [SEED, *secret]
        assert list(found[name][SEED]) == list(question.points)
        assert "ended with code 1" in found[name][SEED][next(iter(question.points))]


def released(source: str) -> str:
    """A cell as nbgrader releases it, with the empty stub of the written nbgrader_config.py."""
    return re.sub(r"### BEGIN SOLUTION\n.*\n### END SOLUTION", "", source, flags=re.DOTALL)


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
    notebook = notebooks.nbgrader(content, SEED)
    nbformat.validate(notebook)
    marks = [cell["metadata"]["nbgrader"] for cell in notebook["cells"]]
    assert len({mark["grade_id"] for mark in marks}) == len(marks)
    assert [mark["points"] for mark in marks if mark["grade"]] == [
        question.total for question in content.questions.values()
    ]
    assert all(mark["locked"] != mark["solution"] for mark in marks)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert scores(notebook["cells"]) == [q.total for q in content.questions.values()]
    assert not list(tmp_path.iterdir()), "grading is nobody's progress"

    for cell in notebook["cells"]:
        regions = cell["source"].count("### BEGIN SOLUTION")
        assert regions == cell["metadata"]["nbgrader"]["solution"]
        cell["source"] = released(cell["source"])
    student = {cell["id"]: cell["source"] for cell in notebooks.student(content, SEED)["cells"]}
    for cell in notebook["cells"]:
        if cell["metadata"]["nbgrader"]["solution"]:
            assert cell["source"].strip() == student[cell["id"]], "the starter, and no more"
    assert not [q for q in content.questions.values() if q.solution.code in sources(notebook)]
    zero = scores(notebook["cells"])
    assert zero == [0] * len(content.questions)
    for score in zero:
        assert float(repr(score)) == 0, "nbgrader gives full marks for what is no number"


def test_the_notebook_for_nbgrader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbgrader_gives_the_points(load(WITH_FUNCTION), tmp_path, monkeypatch)


def test_a_course_of_nbgrader(tmp_path: Path) -> None:
    content = load("04")
    said = nbgrader.write(content, tmp_path, SEED)
    assert f"nbgrader generate_assignment {content.name}" in said
    path = tmp_path / "source" / content.name / f"{content.name}.ipynb"
    assert json.loads(path.read_text("utf-8")) == notebooks.nbgrader(content, SEED)
    compile(Path(tmp_path, "nbgrader_config.py").read_text(), "nbgrader_config.py", "exec")
    Path(tmp_path, "nbgrader_config.py").write_text("c = get_config()\n")
    said = nbgrader.write(load(WITH_FUNCTION), tmp_path)
    assert "Add to" in said and "code_stub" in said, "the teacher's file is the teacher's"
    assert Path(tmp_path, "nbgrader_config.py").read_text() == "c = get_config()\n"
