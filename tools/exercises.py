"""Write the notebooks of all sheets: exercises/NN-name.ipynb and exercises/solutions/NN-name.ipynb.

python -m tools.exercises

A notebook that somebody has worked in is left alone; what is new is put beside it.
"""

import json
from pathlib import Path

from pe_lib.course.grading import notebooks, sheet
from tools.notebooks import execute

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "exercises"


def write_student(name: str, folder: Path) -> str:
    """Bring one student notebook up to date, and say what was done."""
    return _update(
        folder / f"{name}.ipynb",
        notebooks.format_notebook(notebooks.make_student(sheet.load(name))),
    )


def _update(path: Path, text: str) -> str:
    """Write the notebook, or one beside it where somebody works in it, and so on."""
    if not path.exists():
        return _put(path, text, "new")
    try:
        there = json.loads(path.read_text("utf-8"))
        untouched = notebooks.is_untouched(there)
        made = there["metadata"].get("order_matters")
    except (ValueError, KeyError, TypeError, AttributeError):
        untouched, made = False, None  # whatever it is, it isn't ours
    if untouched:
        return "unchanged" if path.read_text("utf-8") == text else _put(path, text, "up to date")
    if made == json.loads(text)["metadata"]["order_matters"]:
        return "somebody works in it, and it is up to date"
    beside = path.with_suffix(".new.ipynb")
    return f"somebody works in it; {beside.name}: {_update(beside, text)}"


def write_solution(name: str, folder: Path) -> str:
    """Write and execute the solved notebook if its cells are not those that are there.

    Where somebody has written into it, it is put beside theirs.
    """
    path = folder / f"{name}.ipynb"
    new = notebooks.make_solved(sheet.load(name))
    while path.exists():
        there = json.loads(path.read_text("utf-8"))
        if notebooks.fingerprint(there["cells"]) == notebooks.fingerprint(new["cells"]):
            return "unchanged"
        if notebooks.is_untouched(there):
            break
        path = path.with_suffix(".new.ipynb")
    _put(path, notebooks.format_notebook(new), "")
    return f"{path.name} executed in {execute(path):.1f} s"


def _put(path: Path, text: str, said: str) -> str:
    """Replace the file in one step: at no time is there half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(text, "utf-8")
    part.replace(path)
    return said


def main() -> None:
    for name in sheet.names():
        print(f"{name}: {write_student(name, EXERCISES)}", flush=True)
        print(f"  solution {write_solution(name, EXERCISES / 'solutions')}", flush=True)


if __name__ == "__main__":
    main()
