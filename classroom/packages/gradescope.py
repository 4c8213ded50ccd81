"""A sheet as an autograder for Gradescope: a zip that does there what `grade` does at home.

Gradescope builds a machine by setup.sh, and runs run_autograder on it for each submission
(https://gradescope-autograders.readthedocs.io). The one notebook that was handed in is run in a
process of its own, with limits of time and memory.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import classroom
import pe_lib
from classroom.packages import NEEDS, library, put, zipped
from classroom.running import jail
from classroom.running.folder import submissions
from classroom.running.grader import grade_one
from classroom.running.terms import Grade, Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import Content, load

SECONDS, TOTAL = 10.0, 300.0  # for a cell, and for a submission, on half a processor
SCRIPTS = ("setup.sh", "run_autograder")


def write(content: Content, out: Path, seed: int = 0, secrets: tuple[int, ...] = ()) -> str:
    """Write the zip for Gradescope, the students' notebook, and a solved one to try it with.

    Raises FileExistsError where one of them is there already.
    """
    config = {"sheet": content.name, "seed": seed, "secrets": secrets}
    files = library(pe_lib, classroom) | {
        "config.json": json.dumps(config).encode(),
        "requirements.txt": "\n".join(NEEDS).encode(),
    }
    files |= {name: Path(__file__).with_name(name).read_bytes() for name in SCRIPTS}
    student, solved = (
        make(content, seed) for make in (notebooks.make_student, notebooks.make_solved)
    )
    put(out / "autograder.zip", zipped(files))
    put(out / "student" / f"{content.name}.ipynb", notebooks.format_notebook(student).encode())
    put(out / "solved.ipynb", notebooks.format_notebook(solved).encode())
    return (
        f"Written: {out}. Gradescope: a Programming Assignment of {content.total:g} points;"
        " autograder.zip under Configure Autograder, solved.ipynb under Test Autograder."
    )


def results(grade: Grade, terms: Terms) -> dict[str, Any]:
    """What Gradescope reads: a test for each question; with secret seeds once marks are out."""
    tests = []
    for name, question in terms.content.questions.items():
        result = grade.results.get(name)
        tests.append({
            "name": question.title,
            "score": result.score if result else 0,
            "max_score": question.total,
            "output": repr(result) if result else "It was not run.",
        })  # fmt: skip
    shown = "after_published" if terms.secrets else "visible"
    return {"visibility": shown, "output": grade.reason or "All cells ran.", "tests": tests}


def take_config(path: Path) -> dict[str, Any]:
    """Read the package's settings, and leave their secret seeds where no submission finds them.

    Where no namespaces can be made, a submission may open every file that this process may open,
    and read its memory. So the file goes before any cell runs; Gradescope unpacks it anew for each
    submission. Raises OSError if it is not there, or cannot be removed.
    """
    config: dict[str, Any] = json.loads(path.read_text("utf-8"))
    path.unlink()
    jail.hide_own_memory()
    return config


def main(folder: str, out: str) -> None:
    """Grade the notebook in the folder by config.json. Of several the best counts."""
    config = take_config(Path("config.json"))
    terms = Terms(load(config["sheet"]), config["seed"], tuple(config["secrets"]), SECONDS, TOTAL)
    grades = [grade_one(path, terms) for path in submissions(Path(folder)).values()]
    best = max(grades, key=lambda grade: grade.score, default=Grade())
    if not grades:
        best.reasons.append("there is no notebook among the files that were handed in")
    Path(out).write_text(json.dumps(results(best, terms)), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
