"""A sheet for a class that has nothing but Python: its notebook, and the course as a wheel."""

from __future__ import annotations

from pathlib import Path

import pe_lib
from classroom.packages import NEEDS, library, put, wheels
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
    """Write notebook and wheel; says what was written. Raises ValueError where they are."""
    path = out / f"{content.name}.ipynb"
    made, wheel = notebooks.student(content, seed), wheels.file_name(NAME)
    made["cells"].insert(1, notebooks.install(content, INSTALL.format(wheel=wheel).strip()))
    put(path, notebooks.written(made).encode())
    if not (out / wheel).exists():  # beside another sheet of the class
        words = "Order Matters, for a class"
        put(out / wheel, wheels.wheel(NAME, words, NEEDS, dict(library(pe_lib))))
    return f"Written: {path}, {out / wheel}"
