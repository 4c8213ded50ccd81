"""A sheet in a course of nbgrader."""

from __future__ import annotations

from pathlib import Path

from classroom.packages import put
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import Content

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
    put(path, notebooks.written(notebooks.nbgrader(content, seed)).encode())
    config = out / "nbgrader_config.py"
    if not config.exists():
        put(config, CONFIG.encode())
    elif "code_stub" not in config.read_text("utf-8"):
        return f"Written: {path}\nAdd to {config}: {CONFIG.splitlines()[-1]}"
    return f"Written: {path}\nNext, in {out}: nbgrader generate_assignment {content.name}"
