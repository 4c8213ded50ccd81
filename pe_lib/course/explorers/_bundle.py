"""Explorers are written as ES modules that share code; a browser gets one self-contained module.

anywidget takes a single module, and a page opened from disk cannot import at all, so the imports
are resolved here: each module that is reached is put in once, before the one that needs it.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.mjs";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|(?:async )?function) (\w+))", re.MULTILINE)


def kinds() -> list[str]:
    """The names of all explorers: the modules with a default export."""
    return sorted(
        path.stem for path in HERE.glob("*.mjs") if "\nexport default " in path.read_text("utf-8")
    )


def bundle(kind: str, about: dict[str, Any]) -> str:
    """The source of one ES module for explorer `kind`: no imports, one default export.

    What its class says about it is in there as ABOUT, and each module that it imports, as the
    function that makes it, in SOURCES: a worker can be made of them without asking for a file.
    """
    order: list[str] = []

    def visit(name: str) -> None:
        for _, needed in _IMPORT.findall(_source(name)):
            if needed not in order:
                visit(needed)
        order.append(name)

    visit(kind)
    shared = [_enclosed(name) for name in order[:-1]]
    constants = f"const ABOUT = {json.dumps(about, ensure_ascii=False)};\nconst SOURCES = {{}};"
    return "\n".join([constants, *shared, _EXPORT.sub("", _imported(_source(kind)))])


def _enclosed(name: str) -> str:
    """A module as a function of its own, so that its names are nobody else's."""
    source = _imported(_source(name))
    exported = ", ".join(_EXPORT.findall(source))
    body = _EXPORT.sub("", source)
    made = f"SOURCES.{name} = () => {{\n{body}return {{ {exported} }};\n}}"
    return f"const module_{name} = ({made})();"


def _imported(source: str) -> str:
    return _IMPORT.sub(
        lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = module_{found[2]};\n", source
    )


@cache
def stylesheet() -> str:
    """The style of all explorers."""
    return (HERE / "explorers.css").read_text("utf-8")


def _source(name: str) -> str:
    return (HERE / f"{name}.mjs").read_text("utf-8")
