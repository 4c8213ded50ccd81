"""Write the notebooks of all sheets: exercises/NN-name.ipynb and exercises/solutions/NN-name.ipynb.

python -m tools.exercises

If somebody has edited a notebook, it stays as it is, and the new version is written next to it.
"""

import json
from pathlib import Path

from pe_lib.course.grading import notebooks, sheet
from tools.notebooks import execute

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "exercises"


def write_student(name: str, folder: Path) -> str:
    """Update one notebook for students, and return a sentence that says what was done."""
    text = notebooks.format_notebook(notebooks.make_student(sheet.load(name)))
    return update_file(folder / f"{name}.ipynb", text)


def update_file(path: Path, text: str) -> str:
    """Write a notebook, but never over one that somebody has edited. Return what was done."""
    if not path.exists():
        return replace_file(path, text, "new")
    try:
        present = json.loads(path.read_text("utf-8"))
        untouched = notebooks.is_untouched(present)
        origin = present["metadata"].get("order_matters")
    except (ValueError, KeyError, TypeError, AttributeError):
        untouched, origin = False, None  # this file is not a notebook that this program wrote
    if untouched:
        if path.read_text("utf-8") == text:
            return "unchanged"
        return replace_file(path, text, "up to date")
    if origin == json.loads(text)["metadata"]["order_matters"]:
        return "somebody works in it, and it is up to date"
    beside = path.with_suffix(".new.ipynb")
    return f"somebody works in it; {beside.name}: {update_file(beside, text)}"


def write_solution(name: str, folder: Path) -> str:
    """Write and execute a solved notebook, unless the file already has the same cells.

    If somebody has edited the file, the new version is written next to it.
    """
    path = folder / f"{name}.ipynb"
    new = notebooks.make_solved(sheet.load(name))
    while path.exists():
        present = json.loads(path.read_text("utf-8"))
        if notebooks.fingerprint(present["cells"]) == notebooks.fingerprint(new["cells"]):
            return "unchanged"
        if notebooks.is_untouched(present):
            break
        path = path.with_suffix(".new.ipynb")
    replace_file(path, notebooks.format_notebook(new), "")
    return f"{path.name} executed in {execute(path):.1f} s"


def replace_file(path: Path, text: str, outcome: str) -> str:
    """Replace a file in one step, so that nobody can read half of it, and return `outcome`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(text, "utf-8")
    part.replace(path)
    return outcome


def main() -> None:
    """Write all notebooks, execute those with solutions, and print what was done with each."""
    for name in sheet.names():
        print(f"{name}: {write_student(name, EXERCISES)}", flush=True)
        print(f"  solution {write_solution(name, EXERCISES / 'solutions')}", flush=True)


if __name__ == "__main__":
    main()
