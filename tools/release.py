"""Put together what a release holds: python -m tools.release v1.2.3 [--check] [FILE ...]

The tag must be the version that pyproject.toml, pe_lib, CITATION.cff and CHANGELOG.md give. Into
_build/release go the FILEs (the book as PDF and EPUB), the site in one zip, the wheels of library,
course and classroom, and NOTES.md, the version's part of the changelog.
"""

import argparse
import re
import shutil
import tomllib
from pathlib import Path

from _ext import changelog
from _ext.downloads import copies

ROOT = Path(__file__).resolve().parent.parent


def newest(root: Path) -> tuple[str, str, str]:
    """Of the changelog's newest version its name, its day or "unreleased", and its text."""
    found = changelog.sections((root / "CHANGELOG.md").read_text("utf-8"))
    return found[0] if found else ("none", "", "")


def versions(root: Path = ROOT) -> dict[str, str]:
    """The version that each file gives; CHANGELOG.md: that of its first section."""
    citation = re.search(r"^version: (\S+)$", (root / "CITATION.cff").read_text("utf-8"), re.M)
    library = (root / "pe_lib/__init__.py").read_text("utf-8")
    told = re.search(r'^__version__ = "(\S+)"$', library, re.M)
    projects = (f"{name}/pyproject.toml".lstrip("/") for name in copies.PROJECTS)
    return {
        **{
            name: tomllib.loads((root / name).read_text("utf-8"))["project"]["version"]
            for name in projects
        },
        "pe_lib/__init__.py": told[1] if told else "none",
        "CITATION.cff": citation[1] if citation else "none",
        "CHANGELOG.md": newest(root)[0],
    }


def notes(root: Path = ROOT) -> str:
    """What the changelog says of its newest version."""
    return newest(root)[2] + "\n"


def check(tag: str, root: Path = ROOT) -> None:
    """Stop unless every file gives the tag's version, and changelog and citation are complete."""
    if not tag:
        raise SystemExit("Which release? make release TAG=v1.2.3")
    for file, version in versions(root).items():
        if tag != f"v{version}":
            raise SystemExit(f"The tag is {tag}, but {file} gives the version {version}.")
    for name in ("pe_lib/course/pyproject.toml", "classroom/pyproject.toml"):
        for needed in tomllib.loads((root / name).read_text("utf-8"))["project"]["dependencies"]:
            if "==" in needed and not needed.endswith(f"=={tag[1:]}"):
                raise SystemExit(f"The tag is {tag}, but {name} needs {needed}.")
    name, day, _ = newest(root)
    if "unreleased" in day:
        raise SystemExit(f"CHANGELOG.md still says: {name} ({day})")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", day):
        raise SystemExit(f"CHANGELOG.md gives no day: write ## {name} (2027-01-31)")
    citation = (root / "CITATION.cff").read_text("utf-8")
    for field, holds in (("date-released", "the day"), ("url", "the address of the course")):
        if not re.search(rf"^{field}: \S", citation, re.M):
            raise SystemExit(
                f"CITATION.cff has no {field}: {holds}, without which none can cite it."
            )
    if not re.search(rf'^date-released: "?{day}"?$', citation, re.M):
        raise SystemExit(f"CITATION.cff gives another date-released than CHANGELOG.md, {day}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tag", help="like v1.2.3")
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--check", action="store_true", help="look at tag and changelog alone")
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
    (folder / "NOTES.md").write_text(notes(), "utf-8")
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
