"""A sheet in a course of nbgrader."""

from __future__ import annotations

from pathlib import Path

from classroom.packages import put
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.notebooks import Cell, Notebook
from pe_lib.course.grading.sheet import Content

# nbgrader takes the number that a cell ends with for its points; the note above it holds the hint
SCORED = "checked = {check}\ndisplay(checked)\nchecked.score"
CONFIG = """\
c = get_config()
# Where a solution was taken out the starter stays; nbgrader would add NotImplementedError
c.ClearSolutions.code_stub = {"python": ""}
"""


def write(content: Content, out: Path, seed: int = 0) -> str:
    """Add the sheet to the course of nbgrader in that folder; says what was written.

    Raises ValueError if the course has it already.
    """
    path = out / "source" / content.name / f"{content.name}.ipynb"
    if path.exists():
        raise ValueError(f"{path} is there already")
    put(path, notebooks.written(notebook(content, seed)).encode())
    config = out / "nbgrader_config.py"
    if not config.exists():
        put(config, CONFIG.encode())
    elif "code_stub" not in config.read_text("utf-8"):
        return f"Written: {path}\nAdd to {config}: {CONFIG.splitlines()[-1]}"
    return f"Written: {path}\nNext, in {out}: nbgrader generate_assignment {content.name}"


def notebook(content: Content, seed: int = 0) -> Notebook:
    """The solved notebook with the marks from which nbgrader makes the students' version.

    nbgrader takes out the region of the solution; the starter before it stays.
    """
    made = notebooks.student(content, seed)
    made["cells"].pop()  # the teacher's own progress would come into every student's feedback
    del made["metadata"]["order_matters"]
    by_tag: dict[str, list[Cell]] = {"answer": [], "check": []}
    for cell in made["cells"]:
        tags = cell["metadata"].get("tags", [])
        mark = {"schema_version": 3, "grade_id": cell["id"], "task": False}
        mark |= {"grade": False, "solution": False, "locked": True}
        cell["metadata"] = {"nbgrader": mark, "tags": tags}
        for tag in tags:
            by_tag[tag].append(cell)
    for question, answer, check in zip(content.questions.values(), *by_tag.values(), strict=True):
        answer["metadata"]["nbgrader"] |= {"solution": True, "locked": False}
        answer["source"] += f"\n### BEGIN SOLUTION\n{question.solution.code}\n### END SOLUTION"
        check["metadata"]["nbgrader"] |= {"grade": True, "points": question.total}
        check["source"] = SCORED.format(check=check["source"])
    return made
