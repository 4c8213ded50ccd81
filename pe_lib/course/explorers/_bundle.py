"""Bundle the ES modules of an explorer into a single module without imports.

anywidget takes a single ES module, and a page opened from disk cannot import modules at all. So
this Python module resolves the imports. Each imported ES module is included once, before the
modules that import it.
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
# The modules that all explorers on a page share, besides the modules that these import.
SHARED = tuple(
    HERE / f"{name}.mjs"
    for name in ("maths", "frame/stage", "scene/chart", "scene/axes", "scene/hold")
)
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]*?([\w-]+)\.mjs)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|class|(?:async )?function\*?) (\w+))", re.MULTILINE)


def kinds() -> list[str]:
    """Return the names of all kinds of explorers, which are those of folders with a scene.mjs."""
    return sorted(path.parent.name for path in HERE.glob("*/scene.mjs"))


@cache
def shared() -> str:
    """Return the script that all explorers on a page share.

    The function `own` returns the remaining part of each explorer's script.
    """
    return script(*SHARED)


def script(*entries: Path) -> str:
    """Return one script that contains these modules and all modules that they import."""
    return "\n".join(["const SOURCES = {};", *map(_enclose, _sort_modules(*entries))])


def beside_shared(*entries: Path) -> str:
    """Return a script of these modules and their imports, to be run after the shared script."""
    shared_modules = _sort_modules(*SHARED)
    modules = [path for path in _sort_modules(*SHARED, *entries) if path not in shared_modules]
    return "\n".join(["const SOURCES = {};", *map(_enclose, modules)])


def own(kind: str, about: dict[str, Any]) -> str:
    """Return the script for one kind of explorer, to be run after the shared script.

    The script ends with its default export. The constant ABOUT holds the data that the class's
    method `about` returns. SOURCES holds each module as a function, so that a worker can be built
    from these functions without loading a file.
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
    """Return a kind of explorer as an ES module with a default export and without imports."""
    return f"{shared()}\n{own(kind, about)}"


def scene(kind: str) -> Path:
    """Return the path of the ES module that draws the picture for this kind of explorer."""
    return HERE / kind / "scene.mjs"


def _sort_modules(*paths: Path) -> list[Path]:
    """Return some modules and all that they import, with each module after its imports."""
    order: list[Path] = []

    def visit(path: Path) -> None:
        for names, address, _ in _IMPORT.findall(_source(path)):
            other = (path.parent / address).resolve()
            _check_names(path, names, other)
            if other not in order:
                visit(other)
        order.append(path)

    for path in paths:
        if path not in order:
            visit(path)
    stems = [path.stem for path in order]  # in the bundle, no two files may have the same stem
    if repeated := {stem for stem in stems if stems.count(stem) > 1}:
        names = ", ".join(f"{stem}.mjs" for stem in sorted(repeated))
        raise ValueError(f"two modules of one bundle are called {names}; rename one of them")
    return order


def _check_names(path: Path, names: str, other: Path) -> None:
    """Raise ValueError if a module imports names that the other module does not export.

    A browser would not report such a name in a bundle, but would read it as undefined.
    """
    imported = {name.split(" as ")[0].strip() for name in names.split(",") if name.strip()}
    if missing := sorted(imported - set(_EXPORT.findall(_source(other)))):
        raise ValueError(
            f"{path.name} imports {', '.join(missing)}, but {other.name} exports no such name; each"
            " `export const` must define a single name"
        )


def _enclose(path: Path) -> str:
    """Return the source of an ES module, wrapped in a function so that its names are local."""
    source = _resolve_imports(_source(path))
    exported = ", ".join(_EXPORT.findall(source))
    body = _EXPORT.sub("", source)
    function = f"SOURCES.{path.stem} = () => {{\n{body}return {{ {exported} }};\n}}"
    return f"const module_{path.stem} = ({function})();"


def _resolve_imports(source: str) -> str:
    """Return an ES module's source with its imports replaced by assignments from the bundle."""

    def assignment(match: re.Match[str]) -> str:
        return f"const {{{match[1].replace(' as ', ': ')}}} = module_{match[3]};\n"

    return _IMPORT.sub(assignment, source)


@cache
def stylesheet() -> str:
    """Return the style sheet that all kinds of explorers share."""
    return _source(HERE / "scene/scene.css") + _source(HERE / "frame/frame.css") + _height_rules()


def _height_rules() -> str:
    """Return CSS rules that set the heights from `frame/rooms.toml` as custom properties.

    Each rule is for one kind of explorer. The name "room" stands for the height of the explorer,
    and "said" for the height of the text below its picture. Any other name is that of a story for
    which the explorer needs a different height.
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
