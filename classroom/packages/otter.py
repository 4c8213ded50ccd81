"""A sheet as a package for otter-grader and Gradescope.

otter-grader (tried with 7.0.0) makes the autograder for Gradescope. The plugin in it, Grader, runs
a submission as `python -m classroom grade` does, in a process of its own with limits
of time and memory, and hands what it found to the tests. Without the plugin, in `otter check`, the
tests try the answers themselves.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import classroom
import pe_lib
from classroom.optional import needed
from classroom.packages import NEEDS, library, put, zipped
from classroom.running.grader import grade_one
from classroom.running.terms import Grade, Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.otter import FOUND, told
from pe_lib.course.grading.sheet import Content, Question, load

SECONDS, TOTAL = 10.0, 300.0  # for a cell, and for a submission, on half a processor

TEST = """\
OK_FORMAT = False

from functools import partial

from otter.test_files import test_case
from pe_lib.course.grading.otter import expect

name = {name!r}
right = partial(expect, {sheet!r}, name, [{seed}])
"""
ELSEWHERE = """\
right_elsewhere = partial(expect, {sheet!r}, name, {seeds})
"""
CASE = """

@test_case(name={title!r}, points={points!r}, hidden={hidden})
def case_{number}(env):
    {right}(env, {part!r})
"""
FIRST = '''\
"""Before otter: pe_lib is found, and of a submission nothing but its notebook counts."""

import shutil
import sys
from pathlib import Path

source = Path(__file__).resolve().parent
sys.path.insert(0, str(source / "files"))
if source == Path("/autograder/source"):  # in the autograder's container, and nowhere else
    for path in Path("/autograder/submission").iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.suffix != ".ipynb":
            path.unlink()
    metadata = Path("/autograder/submission_metadata.json")
    if metadata.is_file() and not metadata.stat().st_size:  # `otter grade` leaves it empty
        metadata.write_text("{}")

'''
README = """\
{title}: a package for otter-grader and Gradescope, {points:g} points

1. Gradescope: make a Programming Assignment with {points:g} autograder points. Under Configure
   Autograder upload autograder/autograder.zip (base image: Ubuntu) and wait until it is built.
   Then upload autograder/solved.ipynb with Test Autograder: it must get {points:g} points.
2. Give the students the folder student, and nothing else. They need the course where they run
   the notebook: `pip install . ./pe_lib/course` in its folder. The folder tests is for those who
   have otter-grader, and run `otter check` or its Notebook().check.
3. Students hand in the notebook alone. {seen}

Without Gradescope, where pe_lib and otter-grader are installed:
    otter run -a autograder/autograder.zip NOTEBOOK.ipynb
"""
AT_ONCE = "They see hints and points at once."
LATER = """They see at once what their answers give on the
   numbers of the sheet; what functions give on the secret seeds, and all points, when you publish
   the grades. The secret seeds stand in autograder.zip, and nowhere else."""


def write(content: Content, out: Path, seed: int = 0, secrets: tuple[int, ...] = ()) -> str:
    """Write the folders for the students and for Gradescope; says what was written.

    Raises ValueError where otter-grader is missing, or the folder has something in it.
    """
    generate = needed("otter.generate", "otter-grader").main
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty; name a folder that is new")
    if min([seed, *secrets]) < 0:
        raise ValueError("a seed is a whole number from 0 on")
    if secrets and all(question.kind != "code" for question in content.questions.values()):
        raise ValueError("secret seeds are for functions, and this sheet asks for none")
    secrets = tuple(dict.fromkeys(s for s in secrets if s != seed))
    files = {f"student/{name}": text for name, text in student_files(content, seed).items()}
    files["autograder/solved.ipynb"] = notebooks.written(notebooks.solved(content, seed))
    seen = LATER if secrets else AT_ONCE
    files["README.txt"] = README.format(title=content.title, points=content.total, seen=seen)
    package = autograder(content, seed, secrets, generate)
    for name, text in files.items():
        put(out / name, text.encode())
    put(out / "autograder/autograder.zip", package)
    return f"Written: {out}. {out / 'README.txt'} says what to do with it."


def student_files(content: Content, seed: int) -> dict[str, str]:
    """What students get, text by path: the notebook, and a test for each question."""
    files = {f"{content.name}.ipynb": notebooks.written(notebooks.student(content, seed))}
    for question in content.questions.values():
        files[f"tests/{question.name}.py"] = otter_test(question, seed)
    return files


def otter_test(question: Question, seed: int, secrets: tuple[int, ...] = ()) -> str:
    """The test file of a question: one case a part.

    With secret seeds a function gets its points for what is right on all of them, too, in hidden
    cases. The visible ones then are worth nothing by themselves. A failed case shows its last
    line, so that no seed may stand in it.
    """
    text = TEST.format(name=question.name, sheet=question.sheet, seed=seed)
    cases = [(part, worth, False) for part, worth in question.points.items()]
    if question.kind == "code" and secrets:
        text += ELSEWHERE.format(sheet=question.sheet, seeds=[seed, *secrets])
        cases = [(part, 0.0, False) for part in question.points]
        cases += [(part, worth, True) for part, worth in question.points.items()]
    for number, (part, worth, hidden) in enumerate(cases, start=1):
        text += CASE.format(
            title=f"{part}, on other numbers" if hidden else part,
            points=worth,
            hidden=hidden,
            number=number,
            right="right_elsewhere" if hidden else "right",
            part=part,
        )
    return text


class Grader:
    """The plugin for otter: grades the notebook before otter runs it, in a process of its own.

    Then otter has nothing to run but the tests. A cell that never ends costs its own points, and
    the student is told; otter alone would wait for it, and Gradescope give no points at all.
    """

    def __init__(self, path: str, metadata: dict[str, Any], config: dict[str, Any]) -> None:
        secrets = tuple(config["secrets"])
        self.terms = Terms(load(config["sheet"]), config["seed"], secrets, SECONDS, TOTAL)
        self.graded = Grade()

    def before_execution(self, notebook: Any) -> Any:
        """Put what was found in place of all cells."""
        import nbformat

        cell: Callable[[str], Any] = nbformat.v4.new_code_cell
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "submission.ipynb")
            path.write_text(json.dumps(notebook), "utf-8")
            graded = grade_one(path, self.terms)
        self.graded = graded
        paths = [str(Path(entry).absolute()) for entry in sys.path if entry]
        found = f"import sys\nsys.path[:] = {paths!r}\n{FOUND} = {findings(graded, self.terms)!r}"
        notebook.cells = [cell(found)]
        return notebook

    def after_grading(self, results: Any) -> None:
        """Bring the questions into the order of the sheet, and say what the notebook lacks."""
        results.results = {name: results.results[name] for name in self.terms.content.questions}
        if self.graded.stopped:
            results.set_output(f"The notebook did not run to its end: {self.graded.stopped}.")
        elif self.graded.reason:
            results.set_output(f"About this notebook: {self.graded.reason}.")


def findings(graded: Grade, terms: Terms) -> dict[str, dict[int, dict[str, str]]]:
    """By question and seed: for each part what to tell the student."""
    failed = f"It could not be tried: {graded.reason}."
    found: dict[str, dict[int, dict[str, str]]] = {}
    for name, question in terms.content.questions.items():
        results = graded.tried.get(name, {})
        found[name] = {
            seed: told(results[seed], graded.stopped)
            if seed in results
            else dict.fromkeys(question.points, failed)
            for seed in terms.seeds(question)
        }
    return found


def autograder(
    content: Content, seed: int, secrets: tuple[int, ...], generate: Callable[..., None]
) -> bytes:
    """The zip that otter's `generate` makes for Gradescope, with a grader and the secret seeds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for question in content.questions.values():
            text = otter_test(question, seed, secrets)
            put(folder / f"tests/{question.name}.py", text.encode())
        put(folder / "requirements.txt", "\n".join(NEEDS).encode())
        put(folder / "otter_config.json", json.dumps(_config(content, seed, secrets)).encode())
        generate(
            tests_dir=str(folder / "tests"),
            output_path=str(folder / "made.zip"),
            config=str(folder / "otter_config.json"),
            requirements=str(folder / "requirements.txt"),
            no_environment=True,
        )
        with zipfile.ZipFile(folder / "made.zip") as made:
            files = {name: made.read(name) for name in made.namelist()}
    files["run_otter.py"] = FIRST.encode() + files["run_otter.py"]
    return zipped(files | {f"files/{name}": data for name, data in library(pe_lib, classroom)})


def _config(content: Content, seed: int, secrets: tuple[int, ...]) -> dict[str, Any]:
    """Students see hidden cases, and points, when grades are published; without any, at once."""
    given = {"sheet": content.name, "seed": seed, "secrets": secrets}
    return {
        "plugins": [{f"{__name__}.{Grader.__name__}": given}],
        "show_all_public": True,
        "show_hidden": True,
        "force_public_test_summary": bool(secrets),
    }
