"""Find files that are stored next to a notebook, whichever folder the kernel was started in."""

from pathlib import Path

# within a copy of the course's repository
CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"


def find_file(name: str) -> Path:
    """Return the path of a file or folder, given its path relative to the notebook.

    Jupyter starts a kernel in the notebook's folder, but an editor may start it in the folder of
    the whole course, so `chapters` is tried, too. Raises FileNotFoundError, naming both folders.
    """
    places = [Path(name), CHAPTERS / name]
    for place in places:
        if place.exists():
            return place
    raise FileNotFoundError(
        f"{name} is neither in {Path.cwd()} nor in {CHAPTERS}. Start the kernel in the notebook's"
        " folder, or copy the file beside the notebook."
    )
