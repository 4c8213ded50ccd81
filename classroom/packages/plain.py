"""Make a package for a class that uses only Python: a notebook, and a wheel of the course."""

from __future__ import annotations

from pathlib import Path

import pe_lib
from classroom.packages import FOLDER, REQUIREMENTS, library_files, make_wheel, write_new
from pe_lib.course import explorers
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import Content

NAME = "order_matters_class"


def write(content: Content, out: Path, seed: int = 0) -> str:
    """Write a sheet's notebook and the wheel of the course, and return a message about the files.

    Raise FileExistsError if the notebook already exists. The wheel is the same for all sheets of a
    class. An existing wheel is replaced by a wheel of the current course.
    """
    path, notebook = out / f"{content.name}.ipynb", notebooks.make_student(content, seed)
    summary = "Order Matters, for a class"
    # students have no esbuild, so the scripts of explorers must be built before
    explorers.build_scripts()
    name, data = make_wheel(NAME, summary, REQUIREMENTS, library_files(pe_lib))
    code = (FOLDER / "install").read_text("utf-8").format(wheel=name).strip()
    notebook["cells"].insert(1, notebooks.make_cell("code", content.name, "install", code))
    write_new(path, notebooks.format_notebook(notebook).encode())
    (out / name).write_bytes(data)
    return f"Written: {path}, {out / name}"
