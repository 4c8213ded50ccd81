"""Bundle the ES modules of the explorers with esbuild into scripts without imports.

anywidget takes a single ES module, and a page opened from disk cannot import modules at all. In a
clone, the scripts are built when they are first needed and whenever a module has changed. A wheel
contains the built scripts instead of the modules, because its readers have no esbuild.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from pe_lib.course.explorers._esbuild import HERE as HERE
from pe_lib.course.explorers._esbuild import esbuild

ROOMS = HERE / "frame" / "rooms.toml"
BUILT = "built"  # the folder into which scripts are built, which is not in git
# The modules that all explorers on a page share
SHARED = (
    "maths", "frame/controls", "frame/drag", "frame/play", "frame/share", "frame/stage",
    "frame/story", "scene/axes", "scene/chart", "scene/hold", "scene/keys", "scene/limits",
    "scene/live", "scene/patch", "scene/reveal", "scene/svg",
)  # fmt: skip


def kinds() -> list[str]:
    """Return the names of all kinds of explorers. A folder with a story.toml defines a kind."""
    return sorted(path.parent.name for path in HERE.glob("*/story.toml"))


def scene(kind: str) -> Path:
    """Return the path of the ES module that draws the picture for this kind of explorer."""
    return HERE / kind / "scene.mjs"


def shared() -> str:
    """Return the script that all explorers on a page share. It defines the constant `omShared`."""
    return _read_script("shared")


def worker() -> str:
    """Return the script of the web worker that trains a model."""
    return _read_script("worker")


def explorer(kind: str, about: dict[str, Any]) -> str:
    """Return a JavaScript expression for one kind of explorer, which needs the shared script.

    The value of the expression has the methods `render` and `print`. The argument `about` holds the
    data that the class's method `about` returns.
    """
    data = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
    return f"{_read_script(kind)}.explorer({data})"


def bundle(kind: str, about: dict[str, Any]) -> str:
    """Return the code of a kind of explorer as one ES module, with a default export."""
    return f"{shared()}\nexport default {explorer(kind, about)};\n"


def beside_shared(module: str) -> str:
    """Return a JavaScript expression for the exports of a module, which needs the shared script.

    The modules in SHARED are left out, and are taken from the shared script.
    """
    external = [f"--external:./{name}.mjs" for name in SHARED]
    script = esbuild(module, "--bundle", "--format=cjs", *external)
    # The script is in the CommonJS format, whose function `require` returns another module.
    return f"((require,module)=>{{{script}return module.exports}})(name=>omShared[name],{{}})"


def _read_script(name: str) -> str:
    """Return a built script by its name. If a module has changed, build all scripts first."""
    build_scripts()
    return (HERE / BUILT / f"{name}.js").read_text("utf-8")


def build_scripts() -> None:
    """Build all scripts, unless they are up to date or their modules are missing, as in a wheel."""
    _build_once(HERE)


@cache
def _build_once(folder: Path) -> None:
    modules = sorted(path for kind in ("*.mjs", "*.json") for path in folder.rglob(kind))
    sources = b"".join(path.read_bytes() for path in (*modules, Path(__file__)))
    digest = hashlib.blake2b(sources, digest_size=16).hexdigest()
    mark = folder / BUILT / "digest"
    is_built = mark.exists() and mark.read_text("utf-8") == digest
    if is_built or not (folder / "maths.mjs").exists():
        return
    mark.parent.mkdir(exist_ok=True)
    for name, script in _make_scripts().items():
        _replace(mark.with_name(f"{name}.js"), script)
    _replace(mark, digest)


def _make_scripts() -> dict[str, str]:
    """Return all scripts by their names: of each kind, of the shared modules, and of the worker."""
    # `export * as "./maths.mjs"` makes the exports of a module available under its path
    everything = "".join(f'export * as "./{name}.mjs" from "./{name}.mjs";' for name in SHARED)
    kind_module = """
        import {{ scene }} from "./{kind}/scene.mjs";
        import {{ stage }} from "./frame/stage.mjs";
        export const explorer = (about) => stage(scene, about);
    """
    return {
        "shared": esbuild(everything, "--bundle", "--format=iife", "--global-name=omShared"),
        "worker": esbuild('import "./training/worker.mjs";', "--bundle", "--format=iife"),
        **{kind: beside_shared(kind_module.format(kind=kind)) for kind in kinds()},
    }


def _replace(path: Path, text: str) -> None:
    """Replace a file in one step, so that no other process can read half of it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(text, "utf-8")
    draft.replace(path)


@cache
def stylesheet() -> str:
    """Return the style sheet that all kinds of explorers share."""
    styles = ((HERE / name).read_text("utf-8") for name in ("scene/scene.css", "frame/frame.css"))
    return "".join([*styles, _height_rules()])


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
