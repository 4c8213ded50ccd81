"""python -m tools.onepage FOLDER writes the sheet; with --page its page of the book instead."""

import sys
from pathlib import Path

from tools.onepage import files, words


def main(arguments: list[str]) -> None:
    match arguments:
        case ["--page"]:
            words.PAGE.write_text(words.page(), "utf-8")
            print(words.PAGE)
        case [folder] if not folder.startswith("-"):
            for file in files.write(Path(folder)):
                print(f"{file}: {file.stat().st_size / 1000:.0f} kB")
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
