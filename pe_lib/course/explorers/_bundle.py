"""Explorers are written as ES modules that share code; a browser gets one self-contained module.

anywidget takes a single module, and a page opened from disk cannot import at all, so the imports
are resolved here: each module that is reached is put in once, before the one that needs it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+)\.mjs";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=const|function)", re.MULTILINE)


def kinds() -> list[str]:
    """The names of all explorers: the modules with a default export."""
    return sorted(
        path.stem for path in HERE.glob("*.mjs") if "\nexport default " in path.read_text("utf-8")
    )


@cache
def bundle(kind: str) -> str:
    """The source of one ES module for explorer `kind`: no imports, one default export."""
    order: list[str] = []

    def visit(name: str) -> None:
        for needed in _IMPORT.findall(_source(name)):
            if needed not in order:
                visit(needed)
        order.append(name)

    visit(kind)
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _source(name))) for name in order)


@cache
def stylesheet() -> str:
    """The style of all explorers."""
    return (HERE / "explorers.css").read_text("utf-8")


def _source(name: str) -> str:
    return (HERE / f"{name}.mjs").read_text("utf-8")
