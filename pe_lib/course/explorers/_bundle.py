"""Explorers are written as ES modules that share code; a browser gets one self-contained module.

anywidget takes a single module, and a page opened from disk cannot import at all, so the imports
are resolved here: each module that is reached is put in once, before the one that needs it.
"""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOMS = HERE / "frame" / "rooms.toml"
_AROUND = "maths frame/stage scene/chart scene/axes scene/held"
SHARED = tuple(HERE / f"{name}.mjs" for name in _AROUND.split())  # and what they need
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]*?([\w-]+)\.mjs)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|class|(?:async )?function\*?) (\w+))", re.MULTILINE)


def kinds() -> list[str]:
    """The names of all explorers: the folders with a scene."""
    return sorted(path.parent.name for path in HERE.glob("*/scene.mjs"))


@cache
def shared() -> str:
    """The modules that stand around every explorer, for all explorers of a page: see `own`."""
    return script(*SHARED)


def script(*entries: Path) -> str:
    """These modules and what they need, wherever that lies: no imports and no exports."""
    return "\n".join(["const SOURCES = {};", *map(_enclosed, _order(*entries))])


def own(kind: str, about: dict[str, Any]) -> str:
    """What `kind` has beyond `shared`; its default export, at the end, is its scene on the stage.

    What its class says about it is in there as ABOUT, and each module as the function that makes it
    in SOURCES: a worker can be made of them without asking for a file.
    """
    around, path = _order(*SHARED), scene(kind)
    modules = [_enclosed(needed) for needed in _order(path)[:-1] if needed not in around]
    known = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
    constants = f"const ABOUT = {known};"
    played = "export default module_stage.stage(ABOUT, scene);\n"
    return "\n".join([constants, *modules, _EXPORT.sub("", _imported(_source(path))), played])


def bundle(kind: str, about: dict[str, Any]) -> str:
    """The source of one ES module for explorer `kind`: no imports, one default export."""
    return f"{shared()}\n{own(kind, about)}"


def scene(kind: str) -> Path:
    """The module of a kind."""
    return HERE / kind / "scene.mjs"


def _order(*paths: Path) -> list[Path]:
    """These modules and what they import, each after what it needs."""
    order: list[Path] = []

    def visit(path: Path) -> None:
        for _, needed, _ in _IMPORT.findall(_source(path)):
            if (other := (path.parent / needed).resolve()) not in order:
                visit(other)
        order.append(path)

    for path in paths:
        if path not in order:
            visit(path)
    stems = [path.stem for path in order]  # by which a module is known in what is bundled
    if twice := {stem for stem in stems if stems.count(stem) > 1}:
        raise ValueError(f"two modules are called {', '.join(sorted(twice))}.mjs; rename one")
    return order


def _enclosed(path: Path) -> str:
    """A module as a function of its own, so that its names are nobody else's."""
    source = _imported(_source(path))
    exported = ", ".join(_EXPORT.findall(source))
    body = _EXPORT.sub("", source)
    made = f"SOURCES.{path.stem} = () => {{\n{body}return {{ {exported} }};\n}}"
    return f"const module_{path.stem} = ({made})();"


def _imported(source: str) -> str:
    return _IMPORT.sub(
        lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = module_{found[3]};\n", source
    )


@cache
def stylesheet() -> str:
    """The style of all explorers."""
    return _source(HERE / "scene/scene.css") + _source(HERE / "frame/frame.css") + _rooms()


def _rooms() -> str:
    """The heights of `frame/rooms.toml`, as custom properties of what keeps that room."""
    rules = []
    for kind, rooms in tomllib.loads(ROOMS.read_text("utf-8")).items():
        for name, heights in rooms.items():
            what = "said" if name == "said" else "room"
            where = f'.{"ex" if what == "said" else "om-explorer"}[data-kind="{kind}"]'
            if name not in ("said", "room"):  # a story
                where += f"""[data-state*='"story": "{name}"']"""
            sizes = zip(("wide", "between", "phone"), heights, strict=True)
            room = "".join(f"--{what}-{width}: {size}rem; " for width, size in sizes)
            rules.append(f"{where} {{ {room}}}\n")
    return "".join(rules)


@cache
def _source(path: Path) -> str:
    return path.read_text("utf-8")
