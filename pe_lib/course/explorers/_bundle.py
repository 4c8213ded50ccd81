"""Bundle the ES modules of an explorer into one module that imports nothing.

anywidget takes a single module, and a page opened from disk cannot import at all. So the imports
are resolved here: each module is put in once, before the modules that import it.
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
# The modules that all explorers of a page share; what these import is shared, too
SHARED = tuple(
    HERE / f"{name}.mjs"
    for name in ("maths", "frame/stage", "scene/chart", "scene/axes", "scene/hold")
)
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]*?([\w-]+)\.mjs)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|class|(?:async )?function\*?) (\w+))", re.MULTILINE)


def kinds() -> list[str]:
    """Return the names of all explorer kinds, which are the folders with a scene."""
    return sorted(path.parent.name for path in HERE.glob("*/scene.mjs"))


@cache
def shared() -> str:
    """Return the script that all explorers of a page share; `own` returns the rest of one."""
    return script(*SHARED)


def script(*entries: Path) -> str:
    """Return modules and all that they import as a script without imports and exports."""
    return "\n".join(["const SOURCES = {};", *map(_enclose, _sort_modules(*entries))])


def own(kind: str, about: dict[str, Any]) -> str:
    """Return what a kind needs beyond `shared`, which ends with its default export.

    The constant ABOUT holds what the class says about the kind. SOURCES holds each module as a
    function, so that a worker can be made of them without loading a file.
    """
    shared_modules, path = _sort_modules(*SHARED), scene(kind)
    modules = [
        _enclose(module) for module in _sort_modules(path)[:-1] if module not in shared_modules
    ]
    data = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
    constants = f"const ABOUT = {data};"
    body = _EXPORT.sub("", _resolve_imports(_source(path)))
    default = "export default module_stage.stage(ABOUT, scene);\n"
    return "\n".join([constants, *modules, body, default])


def bundle(kind: str, about: dict[str, Any]) -> str:
    """Return the ES module of an explorer kind, with one default export and no import."""
    return f"{shared()}\n{own(kind, about)}"


def scene(kind: str) -> Path:
    """Return the path of the module that draws a kind."""
    return HERE / kind / "scene.mjs"


def _sort_modules(*paths: Path) -> list[Path]:
    """Return modules and all that they import, each after the modules that it imports."""
    order: list[Path] = []

    def visit(path: Path) -> None:
        for _, address, _ in _IMPORT.findall(_source(path)):
            if (other := (path.parent / address).resolve()) not in order:
                visit(other)
        order.append(path)

    for path in paths:
        if path not in order:
            visit(path)
    stems = [path.stem for path in order]  # a bundle calls its modules by these
    if repeated := {stem for stem in stems if stems.count(stem) > 1}:
        names = ", ".join(f"{stem}.mjs" for stem in sorted(repeated))
        raise ValueError(f"two modules of one bundle are called {names}; rename one of them")
    return order


def _enclose(path: Path) -> str:
    """Return a module as the call of a function, so that its names stay its own."""
    source = _resolve_imports(_source(path))
    exported = ", ".join(_EXPORT.findall(source))
    body = _EXPORT.sub("", source)
    function = f"SOURCES.{path.stem} = () => {{\n{body}return {{ {exported} }};\n}}"
    return f"const module_{path.stem} = ({function})();"


def _resolve_imports(source: str) -> str:
    """Return a module that takes its imports from the other modules of the bundle."""

    def assignment(match: re.Match[str]) -> str:
        return f"const {{{match[1].replace(' as ', ': ')}}} = module_{match[3]};\n"

    return _IMPORT.sub(assignment, source)


@cache
def stylesheet() -> str:
    """Return the style sheet of all explorers."""
    return _source(HERE / "scene/scene.css") + _source(HERE / "frame/frame.css") + _height_rules()


def _height_rules() -> str:
    """Return the heights in `frame/rooms.toml` as custom properties.

    Each rule is for one kind: "room" is the height of an explorer and "said" that of its reading;
    any other name is that of a story whose explorer is higher or lower.
    """
    rules = []
    for kind, rooms in tomllib.loads(ROOMS.read_text("utf-8")).items():
        for name, heights in rooms.items():
            height = "said" if name == "said" else "room"
            selector = f'.{"ex" if height == "said" else "om-explorer"}[data-kind="{kind}"]'
            if name not in ("said", "room"):
                selector += f"""[data-state*='"story": "{name}"']"""
            sizes = zip(("wide", "between", "phone"), heights, strict=True)
            properties = "".join(f"--{height}-{width}: {size}rem; " for width, size in sizes)
            rules.append(f"{selector} {{ {properties}}}\n")
    return "".join(rules)


@cache
def _source(path: Path) -> str:
    return path.read_text("utf-8")
