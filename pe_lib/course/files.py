"""Find files that are stored beside a notebook, wherever the notebook's kernel was started."""

from pathlib import Path

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"  # in a checkout of the course


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
