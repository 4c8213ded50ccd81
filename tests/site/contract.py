"""Record the addresses, names, downloads, shared links and function calls on which readers rely.

`python tests/site/contract.py` reads this contract from the sources and the built site, and writes
contract.yml. test_contract.py compares every later site with that file. The data that browsers
store is listed in kept.yml, which is written by hand.
"""

import ast
import importlib
import inspect
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import yaml

sys.path[:0] = [str(Path(__file__).parents[2])]

from built import ROOT, SITE, parse_page  # noqa: E402

import pe_lib  # noqa: E402
from pe_lib.course import explorers  # noqa: E402
from pe_lib.course.grading import sheet  # noqa: E402

FILE = Path(__file__).with_name("contract.yml")
MEANT = "a reader's link, notebook or code breaks. If it is meant: python tests/site/contract.py"
WHERE = yaml.safe_load(Path(__file__).with_name("explorers.yml").read_text("utf-8"))
LIBRARY = ["pe_lib", *(f"pe_lib.{name}" for name in pe_lib._MODULES)]
# Select the ids that links may point to, but no generated ids and no ids that only scripts use.
PLACE = "main [id]:not(svg *, svg, form, input, ul, [popover])"


# --- The site ---


def pages() -> dict[str, list[str]]:
    """Return a dictionary from each page's address to the ids on it to which a link may point."""
    return {
        str(page.relative_to(SITE)): [str(tag["id"]) for tag in parse_page(page).select(PLACE)]
        for page in sorted(SITE.rglob("*.html"))
    }


def downloads() -> list[str]:
    """Return all files that readers can download, and all other files to which a page links."""
    files = {file for file in (SITE / "notebooks").rglob("*") if file.is_file()}
    for page in SITE.rglob("*.html"):
        for link in parse_page(page).select("a[href]"):
            address = urlsplit(str(link["href"]))
            if not address.netloc and address.path and not address.path.endswith(".html"):
                files.add((page.parent / address.path).resolve())
    names = (str(file.relative_to(SITE)) for file in files)
    return sorted(name.replace(pe_lib.__version__, "VERSION") for name in names)


def file(download: str) -> Path:
    """Return the current path of a download that the contract records."""
    return SITE / download.replace("VERSION", pe_lib.__version__)


def sheets() -> dict[str, dict[str, Any]]:
    """Return the questions of each exercise sheet, with their choices or type of answer."""
    return {
        name: {q.name: list(q.choices) or q.kind for q in sheet.load(name).questions.values()}
        for name in sheet.names()
    }


# --- Explorers ---


def kinds() -> dict[str, Any]:
    """For each kind of explorer, return its Python call and the traits that it lets readers set."""
    every = [explorers.of_kind(kind).about() for kind in explorers.kinds()]
    return {
        about["kind"]: {
            "call": about["call"],
            "traits": {name: _values(**trait) for name, trait in about["traits"].items()},
        }
        for about in every
    }


def _values(type: str, link: str = "", **limits: Any) -> Any:
    ends = [limits[end] for end in ("min", "max") if end in limits]
    return limits.get("values") or " ".join(map(str, [type, *ends]))


def links() -> dict[str, Any]:
    """For each explorer, return a link that a reader may share, and the state that it restores."""
    shared = {name: where for name, where in WHERE.items() if "long" not in where}
    return {name: _shared(name.split("-")[0], where) for name, where in shared.items()}


def _shared(kind: str, where: dict[str, Any]) -> dict[str, Any]:
    page = f"chapters/{where['page']}.html"
    (host,) = parse_page(SITE / page).select(f"#{where['id']}")
    start = json.loads(str(host["data-state"]))
    story = explorers.of_kind(kind).stories[start["story"]]
    state = {**story.states(start)[-1][1], **story.task.answer}
    traits = explorers.of_kind(kind).about()["traits"]
    query = {
        traits[name].get("link", name): value
        if isinstance(value, str)
        else json.dumps(value, separators=(",", ":"))
        for name, value in state.items()
        if value != start[name]
    }
    short = {name: value for name, value in state.items() if len(str(value)) < 200}
    return {"link": f"{page}?{urlencode(query)}#{where['id']}", "state": short}


# --- The library ---


def library(names: dict[str, Any] | None = None) -> dict[str, dict[str, Any]]:
    """Return the signatures of the library's public objects, and of all that notebooks import.

    If `names` lists the names in each module, return only the objects among them that still exist,
    even if they are now defined in another module.
    """
    names = names or {name: _public(name) for name in LIBRARY} | _list_imports()
    found: dict[str, dict[str, Any]] = {}
    for name in names:
        # If a module no longer exists, the comparison reports it as lost.
        with suppress(ModuleNotFoundError):
            module = importlib.import_module(name)
            there = [one for one in names[name] if hasattr(module, one)]
            found[name] = {one: _describe_value(getattr(module, one)) for one in there}
    return found


def _public(name: str) -> list[str]:
    module = importlib.import_module(name)
    own = [one for one, value in vars(module).items()
           if not one.startswith("_") and getattr(value, "__module__", "") == name]  # fmt: skip
    return list(getattr(module, "__all__", own))


def _list_imports() -> dict[str, list[str]]:
    """For each module of `pe_lib.course`, return the names that notebooks import from it."""
    found: dict[str, set[str]] = {}
    for notebook in sorted([*ROOT.glob("chapters/*.ipynb"), *ROOT.glob("exercises/**/*.ipynb")]):
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        code = "".join("".join(one["source"]) + "\n" for one in cells if one["cell_type"] == "code")
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pe_lib.course"):
                found.setdefault(str(node.module), set()).update(one.name for one in node.names)
    return {module: sorted(found[module]) for module in sorted(found)}


def _describe_value(value: Any) -> Any:
    """Return an object's signature as text, without types.

    For a class, also return the signatures of its methods. For a tuple, return its entries.
    """
    if inspect.isclass(value) and not issubclass(value, explorers.Explorer):
        can = inspect.getmembers(value, inspect.isroutine)
        own = {name: _signature(one) for name, one in can if not name.startswith("_")}
        return {"made": _signature(value), **own}
    if inspect.isroutine(value):
        return _signature(value)
    return list(value) if isinstance(value, tuple) else ""


def _signature(called: Any) -> str:
    signature = inspect.signature(called)
    bare = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    return str(inspect.Signature(bare))[1:-1]


# --- Record the contract and compare with it ---


@cache
def read_contract() -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(FILE.read_text("utf-8"), yaml.CSafeLoader)
    return found


def now() -> dict[str, Any]:
    """Return the contract that the sources and the built site fulfil at present, part by part."""
    return {part.__name__: part() for part in (pages, downloads, sheets, kinds, links, library)}


def find_lost(recorded: Any, found: Any) -> Iterator[str]:
    """Yield each entry of the recorded contract that the course has lost or changed."""
    if isinstance(recorded, dict):
        for name, one in recorded.items():
            if name not in found:
                yield name
            else:
                yield from (f"{name}: {what}" for what in find_lost(one, found[name]))
    elif isinstance(recorded, list):
        yield from (str(one) for one in recorded if one not in found)
    elif not _takes(recorded, found):
        yield f"{recorded} is now {found}"


def _takes(recorded: str, found: Any) -> bool:
    """Return whether every call that was valid for the recorded signature still works as before."""
    if recorded == found or not isinstance(found, str):
        return recorded == found
    (placed, named), (first, others) = ([part.split(", ") for part in one.partition("*, ")[::2]]
                                        for one in (f"{recorded}, ", f"{found}, "))  # fmt: skip
    added = {*first[len(placed) - 1 :], *others} - {*named, ""}
    return (
        first[: len(placed) - 1] == placed[:-1]
        and {*named} <= {*others, ""}
        and all("=" in one for one in added)
    )


class _Lines(yaml.SafeDumper):
    """A YAML writer that puts each name on its own line, and each list on few lines."""


_Lines.add_representer(
    dict, lambda to, names: to.represent_mapping("tag:yaml.org,2002:map", names.items(), False)
)


if __name__ == "__main__":
    contract = now()
    if FILE.exists():  # recorded links stay as they are; to replace a link, delete its entry first
        contract["links"] |= read_contract()["links"]
    text = yaml.dump(contract, Dumper=_Lines, width=100, sort_keys=False, allow_unicode=True,
                     default_flow_style=None)  # fmt: skip
    FILE.write_text(f"# Written by: python tests/site/contract.py\n{text}", "utf-8")
    print(f"{FILE.name} has {', '.join(f'{len(part)} {name}' for name, part in contract.items())}.")
