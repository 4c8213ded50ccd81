"""Which notebooks need no run: nothing that a notebook is made of changed since it last ran.

A notebook is made of its own cells and outputs, of the recordings that it reads, of the versions of
what is installed, and of those modules of `pe_lib` that it imports, directly or through others. It
last ran when `make notebooks` ran it here, or where this branch left the one into which it will be
merged: of that, the tests have run every notebook.
"""

import ast
import hashlib
import json
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from _ext.downloads import copies

ROOT = Path(__file__).resolve().parent.parent
BESIDE = (".json", ".md", ".mjs", ".css")  # explorers are printed by their scripts
KEPT = ROOT / ".venv" / "executed.json"
UPSTREAM = "origin/main"


def parts(notebook: Path) -> set[Path]:
    """The files that a notebook is made of, itself among them."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    source = "\n".join(
        "pass" if line.lstrip().startswith(("%", "!")) else line  # Jupyter's own commands
        for cell in cells
        if cell["cell_type"] == "code"
        for line in "".join(cell["source"]).splitlines()
    )
    found = {notebook, ROOT / "constraints.txt", *copies.data(notebook).values()}
    tree = ast.parse(source)
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    modules, waiting = set[Path](), {behind(*name) for name in names(tree)}
    while waiting:
        modules.add(module := waiting.pop())
        if not module.exists():  # the notebook's run will say so
            continue
        more = names(ast.parse(module.read_text("utf-8")))
        waiting |= {behind(*name) for name in more} - modules
    for folder in {module.parent for module in modules}:
        beside = [
            file for file in folder.rglob("*") if file.suffix in (".json", ".md", ".mjs", ".css")
        ]
        # a sheet of exercises counts where it is named
        found |= {file for file in beside if file.suffix != ".md" or file.stem in texts}
    return found | {module for module in modules if module.exists()}


def names(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """What a Python text imports of pe_lib, also inside functions: modules, and names in them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found = [(node.module or "", name.name) for name in node.names]
        elif isinstance(node, ast.Import):
            found = [(name.name, "") for name in node.names]
        else:
            continue
        yield from (name for name in found if name[0].split(".")[0] == "pe_lib")


@cache
def behind(module: str, name: str) -> Path:
    """The file behind `from module import name`; of a package only what has the name."""
    place = ROOT.joinpath(*module.split("."))
    if not place.is_dir():
        return place.with_suffix(".py")
    if name and any((place / file).exists() for file in (f"{name}.py", f"{name}/__init__.py")):
        return behind(f"{module}.{name}", "")
    for node in ast.parse((place / "__init__.py").read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and name in {one.name for one in node.names}:
            return behind(node.module or "", name)
    return place / "__init__.py"


def digest(files: set[Path]) -> str:
    """What changes when one of the files does."""
    found = hashlib.blake2b(digest_size=16)
    for file in sorted(files):
        found.update(file.relative_to(ROOT).as_posix().encode() + file.read_bytes())
    return found.hexdigest()


def kept() -> dict[str, str]:
    """The digest of each notebook as it was when it last ran here."""
    return json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}


def ran(notebook: Path) -> None:
    """Keep that this notebook, as it is now, has just run."""
    found = kept() | {notebook.relative_to(ROOT).as_posix(): digest(parts(notebook))}
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(found, indent=0, sort_keys=True), "utf-8")


def git(*command: str) -> list[str]:
    """What git says, by lines; CalledProcessError where it fails, OSError where it is not."""
    done = subprocess.run(["git", "-C", str(ROOT), *command], capture_output=True, check=True)
    return done.stdout.decode().splitlines()


def changed() -> set[Path] | None:
    """The files that differ from the branch into which this one will be merged, new ones too.

    None where there is no such branch.
    """
    try:
        [base] = git("merge-base", "HEAD", UPSTREAM)
        told = git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard")
    except (OSError, subprocess.CalledProcessError):
        return None
    return {ROOT / name for name in told}


def split(notebooks: list[Path]) -> tuple[list[Path], list[Path]]:
    """The notebooks that have to run, and those that need not."""
    known, different = kept(), changed()
    run, rest = [], []
    for notebook in notebooks:
        made = parts(notebook)
        as_it_ran = known.get(notebook.relative_to(ROOT).as_posix()) == digest(made)
        as_merged = different is not None and not made & different
        (rest if as_it_ran or as_merged else run).append(notebook)
    return run, rest
