"""Write the notebooks of all sheets: exercises/NN-name.ipynb and exercises/solutions/NN-name.ipynb.

python -m tools.exercises

A notebook that somebody has worked in is left alone; what is new is put beside it.
"""

import json
import os
import tempfile
from pathlib import Path

from pe_lib.grading import notebooks, sheet
from tools.notebooks import execute

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "exercises"


def write_student(name: str, folder: Path) -> str:
    """Bring one student notebook up to date, and say what was done."""
    path = folder / f"{name}.ipynb"
    text = notebooks.written(notebooks.student(sheet.load(name)))
    if not path.exists():
        return _put(path, text, "new")
    try:
        there = json.loads(path.read_text("utf-8"))
        worked_in = not notebooks.untouched(there)
    except (ValueError, KeyError, TypeError, AttributeError):
        worked_in = True  # whatever it is, it isn't ours
    if not worked_in:
        return "unchanged" if path.read_text("utf-8") == text else _put(path, text, "up to date")
    if there_is_nothing_new(path, text):
        return "somebody works in it, and it is up to date"
    beside = path.with_suffix(".new.ipynb")
    return _put(beside, text, f"somebody works in it; the new version is {beside.name}")


def there_is_nothing_new(path: Path, text: str) -> bool:
    """Whether a notebook that was worked in came from the version that would be written."""
    try:
        made = json.loads(path.read_text("utf-8"))["metadata"]["order_matters"]["generated"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(made == json.loads(text)["metadata"]["order_matters"]["generated"])


def write_solution(name: str, folder: Path) -> str:
    """Write and execute the solved notebook if its cells are not those that are there."""
    path = folder / f"{name}.ipynb"
    new = notebooks.solved(sheet.load(name))
    if path.exists():
        there = json.loads(path.read_text("utf-8"))
        if notebooks.fingerprint(there["cells"]) == notebooks.fingerprint(new["cells"]):
            return "unchanged"
    _put(path, notebooks.written(new), "")
    return f"executed in {execute(path):.1f} s"


def _put(path: Path, text: str, said: str) -> str:
    """Replace the file in one step: at no time is there half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(temporary).chmod(0o644)
    Path(temporary).replace(path)
    return said


def main() -> None:
    for name in sheet.names():
        print(f"{name}: {write_student(name, EXERCISES)}", flush=True)
        print(f"  solution {write_solution(name, EXERCISES / 'solutions')}", flush=True)


if __name__ == "__main__":
    main()
