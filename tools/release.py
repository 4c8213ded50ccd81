"""Put together what a release holds: python -m tools.release v1.2.3 [--check] [FILE ...]

Into _build/release go the FILEs (the book as PDF), the site in one zip, the wheels of
library, course and classroom, and NOTES.md, the version's part of the changelog. Before, or with
--check alone, it looks whether all files are ready for this tag.
"""

import argparse
import shutil
from pathlib import Path

from _ext import changelog
from _ext.downloads import copies

ROOT = Path(__file__).resolve().parent.parent
# what each file has to say; a floor needs the one below in the same version
SAID = (
    ("pyproject.toml", 'version = "{version}"\n'),
    ("pe_lib/course/pyproject.toml", 'version = "{version}"\n'),
    ("pe_lib/course/pyproject.toml", '=={version}"'),
    ("classroom/pyproject.toml", 'version = "{version}"\n'),
    ("classroom/pyproject.toml", '=={version}"'),
    ("pe_lib/__init__.py", '__version__ = "{version}"\n'),
    ("CITATION.cff", "\nversion: {version}\n"),
    ("CITATION.cff", "\ndate-released: {day}\n"),
    ("CITATION.cff", "\nurl: "),
    ("CHANGELOG.md", "\n## {version} ({day})\n"),
)


def newest(root: Path = ROOT) -> tuple[str, str, str]:
    """Of the changelog's newest version its name, its day or "unreleased", and its text."""
    return changelog.sections((root / "CHANGELOG.md").read_text("utf-8"))[0]


def missing(version: str, root: Path = ROOT) -> list[str]:
    """What files do not say that they have to for this version, released on the changelog's day."""
    said = [(file, text.format(version=version, day=newest(root)[1])) for file, text in SAID]
    lacking = [
        f"{file}: {t.strip()}" for file, t in said if t not in (root / file).read_text("utf-8")
    ]
    return lacking + ["CHANGELOG.md: a day, (2027-01-31)"] * (not newest(root)[1][:1].isdigit())


def check(tag: str, root: Path = ROOT) -> None:
    """Stop unless all is ready for this tag."""
    if not tag:
        raise SystemExit("Which release? make release TAG=v1.2.3")
    if lacking := missing(tag.removeprefix("v"), root):
        raise SystemExit("\n  ".join([f"The tag is {tag}, and these are missing:", *lacking]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tag", help="like v1.2.3")
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--check", action="store_true", help="look whether all is ready, no more")
    args = parser.parse_args()
    check(args.tag)
    if args.check:
        return
    folder, site = ROOT / "_build" / "release", ROOT / "_build" / "site"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in args.files:
        shutil.copy(file, folder)
    shutil.make_archive(str(folder / f"order-matters-site-{args.tag}"), "zip", site)
    copies.wheels(ROOT, folder, copies.PROJECTS)
    (folder / "NOTES.md").write_text(newest()[2] + "\n", "utf-8")
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
