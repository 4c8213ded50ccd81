"""Bring the course into a folder that outlives it: python tools/unpack.py COURSE FOLDER

So a container's volume gets each newer edition. A file that was changed there stays as it is, and
its newer edition lies beside it: 02-the-formula.new.ipynb.
"""

import argparse
import hashlib
import json
import shutil
from pathlib import Path

PARTS = ("LICENSE*", "chapters/**/*", "exercises/**/*")
RECORD = ".given.json"  # the digest of each file as it was given


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def place(file: Path, folder: Path, name: Path, given: dict[str, str]) -> None:
    """Copy `file` to `name` in the folder, unless somebody's work is there: then beside it."""
    target, new, known = folder / name, digest(file), given.get(name.as_posix())
    there = digest(target) if target.exists() else ""
    if there and there not in (new, known):
        if new != known:
            place(file, folder, name.with_stem(f"{name.stem}.new"), given)
        return
    given[name.as_posix()] = new
    if there != new:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        if ".new" in name.suffixes:
            print(f"{name}: the newer edition of a file that you changed")


def unpack(course: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / RECORD
    given = json.loads(record.read_text("utf-8")) if record.exists() else {}
    for pattern in PARTS:
        for file in sorted(filter(Path.is_file, course.glob(pattern))):
            place(file, folder, file.relative_to(course), given)
    record.write_text(json.dumps(given, indent=1) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("course", type=Path)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    unpack(args.course, args.folder)


if __name__ == "__main__":
    main()
