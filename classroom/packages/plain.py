"""A sheet for a class that has nothing but Python: its notebook, and the course as a wheel."""

from __future__ import annotations

from pathlib import Path

import pe_lib
from classroom.packages import NEEDS, library, put, wheel, wheel_name
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import Content

NAME = "order_matters_class"
INSTALL = """\
# Installs the course, unless it is there, from the file that belongs beside this notebook
try:
    import pe_lib
except ModuleNotFoundError:
    %pip install -q ./{wheel}
"""


def write(content: Content, out: Path, seed: int = 0) -> str:
    """Write notebook and wheel; says what was written. Raises FileExistsError where it is."""
    path = out / f"{content.name}.ipynb"
    made, file = notebooks.student(content, seed), wheel_name(NAME)
    install = notebooks.cell("code", content.name, "install", INSTALL.format(wheel=file).strip())
    made["cells"].insert(1, install)
    put(path, notebooks.written(made).encode())
    if not (out / file).exists():  # beside another sheet of the class
        words = "Order Matters, for a class"
        put(out / file, wheel(NAME, words, NEEDS, library(pe_lib)))
    return f"Written: {path}, {out / file}"
