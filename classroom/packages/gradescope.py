"""Make an autograder for Gradescope, which gives the same grades as the command `grade`.

Gradescope sets up a machine with setup.sh, and runs run_autograder there for each submission
(https://gradescope-autograders.readthedocs.io). The submitted notebook runs in a separate process
whose time and memory are limited.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import classroom
import pe_lib
from classroom.packages import REQUIREMENTS, library_files, write_new, zip_files
from classroom.running import sandbox
from classroom.running.folder import find_submissions
from classroom.running.grader import grade_one
from classroom.running.terms import Grade, Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import Content, load

# these limits are generous, because Gradescope's smallest machine is slow
SECONDS, TOTAL_SECONDS = 10.0, 300.0
SCRIPTS = ("setup.sh", "run_autograder")


def write(content: Content, out: Path, seed: int = 0, secrets: tuple[int, ...] = ()) -> str:
    """Write an archive for Gradescope, a notebook for students, and a solved notebook as a test.

    Return a message about the next steps. Raise FileExistsError if a file already exists.
    """
    config = {"sheet": content.name, "seed": seed, "secrets": secrets}
    files = library_files(pe_lib, classroom) | {
        "config.json": json.dumps(config).encode(),
        "requirements.txt": "\n".join(REQUIREMENTS).encode(),
    }
    files |= {name: Path(__file__).with_name(name).read_bytes() for name in SCRIPTS}
    student, solved = notebooks.make_student(content, seed), notebooks.make_solved(content, seed)
    write_new(out / "autograder.zip", zip_files(files))
    write_new(
        out / "student" / f"{content.name}.ipynb", notebooks.format_notebook(student).encode()
    )
    write_new(out / "solved.ipynb", notebooks.format_notebook(solved).encode())
    return (
        f"Written: {out}. On Gradescope, make a Programming Assignment of {content.total:g} points."
        " Upload autograder.zip under Configure Autograder, then solved.ipynb under Test"
        " Autograder."
    )


def results(grade: Grade, terms: Terms) -> dict[str, Any]:
    """Return a grade in the JSON format of Gradescope, with one test for each question.

    With secret seeds, students see their results only after the grades are published, because a
    hint may contain a secret number.
    """
    tests = []
    for name, question in terms.content.questions.items():
        result = grade.results.get(name)
        tests.append({
            "name": question.title,
            "score": result.score if result else 0,
            "max_score": question.total,
            "output": repr(result) if result else "It was not run.",
        })  # fmt: skip
    visibility = "after_published" if terms.secrets else "visible"
    return {"visibility": visibility, "output": grade.reason or "All cells ran.", "tests": tests}


def take_config(path: Path) -> dict[str, Any]:
    """Read the settings in the package, and delete the secret seeds, which no submission may read.

    On a system without namespaces, a submission may read every file that this process may read,
    and its memory. So the file is deleted before any cell runs. Gradescope unpacks the file again
    for the next submission. Raise OSError if the file is missing or cannot be deleted.
    """
    config: dict[str, Any] = json.loads(path.read_text("utf-8"))
    path.unlink()
    sandbox.hide_own_memory()
    return config


def main(folder: str, out: str) -> None:
    """Grade the notebooks in a folder, using the settings in config.json.

    Only the best grade is written to `out`.
    """
    config = take_config(Path("config.json"))
    content, secrets = load(config["sheet"]), tuple(config["secrets"])
    terms = Terms(content, config["seed"], secrets, SECONDS, TOTAL_SECONDS)
    grades = [grade_one(path, terms) for path in find_submissions(Path(folder)).values()]
    best = max(grades, key=lambda grade: grade.score, default=Grade())
    if not grades:
        best.reasons.append("there is no notebook among the files that were handed in")
    Path(out).write_text(json.dumps(results(best, terms)), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
