"""Gather the files for a release: python -m tools.release v1.2.3 [--check] [FILE ...].

The command first checks that all files name the version of this tag, and with --check it stops
there. Otherwise it fills the folder _build/release. The folder gets each FILE (such as the book as
a PDF), the site as a zip file, the wheels of library, course and classroom, and NOTES.md with this
version's section of the changelog.
"""

import argparse
import shutil
from pathlib import Path

from _ext import changelog
from _ext.downloads import copies

ROOT = Path(__file__).resolve().parent.parent
# What each file must contain. The course and the classroom require the same library version.
REQUIRED = (
    ("pe_lib/__init__.py", '__version__ = "{version}"\n'),
    ("pe_lib/course/pyproject.toml", '=={version}"'),
    ("classroom/pyproject.toml", '=={version}"'),
    ("CITATION.cff", "\nversion: {version}\n"),
    ("CITATION.cff", "\ndate-released: {day}\n"),
    ("CITATION.cff", "\nurl: "),
    ("CHANGELOG.md", "\n## {version} ({day})\n"),
)


def find_newest_version(root: Path = ROOT) -> tuple[str, str, str]:
    """Return the newest version in the changelog, with its date (or "unreleased") and its text."""
    return changelog.sections((root / "CHANGELOG.md").read_text("utf-8"))[0]


def find_missing(version: str, root: Path = ROOT) -> list[str]:
    """Return the lines that the files for this version should contain but do not."""
    _, day, _ = find_newest_version(root)
    absent = []
    for file, template in REQUIRED:
        text = template.format(version=version, day=day)
        if text not in (root / file).read_text("utf-8"):
            absent.append(f"{file}: {text.strip()}")
    if not day[:1].isdigit():
        absent.append("CHANGELOG.md: a day, (2027-01-31)")
    return absent


def check(tag: str, root: Path = ROOT) -> None:
    """Exit with a list of the missing lines, unless all files are ready for this version's tag."""
    if not tag:
        raise SystemExit("Name the tag of the release: make release TAG=v1.2.3")
    if absent := find_missing(tag.removeprefix("v"), root):
        raise SystemExit("\n  ".join([f"The tag is {tag}, and these are missing:", *absent]))


def main() -> None:
    """Check the tag and, unless --check is given, write the files for the release."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tag", help="like v1.2.3")
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--check", action="store_true", help="only look whether all is ready")
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
    (folder / "NOTES.md").write_text(find_newest_version()[2] + "\n", "utf-8")
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
