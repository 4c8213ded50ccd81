"""Files that lie beside a notebook, found from wherever its kernel was started."""

from pathlib import Path

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"  # in a checkout of the course


def find_file(name: str) -> Path:
    """Return the path of a file, or of a folder, that is named as seen from the notebook.

    Jupyter starts a kernel in the notebook's folder, but an editor may start it in the folder of
    the whole course, so `chapters` is tried, too. Raises FileNotFoundError with both places.
    """
    places = [Path(name), CHAPTERS / name]
    for place in places:
        if place.exists():
            return place
    raise FileNotFoundError(
        f"{name} is neither in {Path.cwd()} nor in {CHAPTERS}. Start the kernel in the notebook's"
        " folder, or copy the file beside the notebook."
    )
