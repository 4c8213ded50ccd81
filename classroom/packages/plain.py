"""A sheet for a class that has nothing but Python: its notebook, and the course as a wheel."""

from __future__ import annotations

from pathlib import Path

import pe_lib
from classroom.packages import HERE, NEEDS, library, put, wheel
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import Content

NAME = "order_matters_class"


def write(content: Content, out: Path, seed: int = 0) -> str:
    """Write notebook and wheel; says what was written. Raises FileExistsError where it is."""
    path, made = out / f"{content.name}.ipynb", notebooks.make_student(content, seed)
    name, data = wheel(NAME, "Order Matters, for a class", NEEDS, library(pe_lib))
    code = (HERE / "install").read_text("utf-8").format(wheel=name).strip()
    made["cells"].insert(1, notebooks.make_cell("code", content.name, "install", code))
    put(path, notebooks.format_notebook(made).encode())
    (out / name).write_bytes(data)  # the course as it is now, for all sheets of the class
    return f"Written: {path}, {out / name}"
