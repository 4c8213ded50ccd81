"""The sheet with the whole course on it, among the files of the site.

It is made anew when something changed that it is made of; `_build/one-page` keeps it for the next
build, which may have lost its own folder.
"""

import shutil
from pathlib import Path
from typing import Any

import matplotlib
from sphinx.application import Sphinx

from _ext import made
from tools.onepage import FOLDER, NAMES

SOURCES = ("tools/onepage/*.py", "pe_lib/*.py", "pe_lib/course/figures.py")


def write(app: Sphinx) -> None:
    if app.builder.format != "html":
        return
    kept = (
        Path(app.outdir).parent
        / "one-page"
        / made.digest(Path(app.srcdir), SOURCES, matplotlib.__version__)
    )
    if not all((kept / name).is_file() for name in NAMES):
        from tools.onepage import files

        shutil.rmtree(kept.parent, ignore_errors=True)
        files.write(kept)
    shutil.copytree(kept, Path(app.outdir, FOLDER), dirs_exist_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
