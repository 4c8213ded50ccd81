"""Write the version and the date of a release into each file that mentions them.

python -m tools.prepare v1.2.3 [2027-01-31]

CHANGELOG.md must already begin with a section for this version. Without a date, the current date is
used. `make release` checks all these files again before it builds anything.
"""

import argparse
import datetime
import re
from pathlib import Path

from tools.release import ROOT, find_newest_version

# For each file, the lines to replace. All distributions take their own version from
# pe_lib/__init__.py. But if one requires another, its project file must name the version that it
# requires.
PATTERNS = {
    "pe_lib/__init__.py": [(r'^__version__ = ".*"$', '__version__ = "{version}"')],
    "pe_lib/course/pyproject.toml": [
        (r'pe-lib\[course\]==[^"]+', "pe-lib[course]=={version}"),
    ],
    "classroom/pyproject.toml": [(r'order-matters==[^"]+', "order-matters=={version}")],
    "chapters/appendix-grading.md": [
        (r"order_matters_exam-[\d.]+-py3", "order_matters_exam-{version}-py3"),
    ],
    "CITATION.cff": [
        (r"^version: .*$", "version: {version}"),
        (r"^date-released: .*$", "date-released: {day}"),
    ],
    "CHANGELOG.md": [(r"\A(# Changelog\n\n)## .*$", r"\g<1>## {version} ({day})")],
}


def prepare(version: str, day: str, root: Path = ROOT) -> None:
    """Write the version and the date of a release into all files.

    If a file has no line to replace, the program ends before it changes any file.
    """
    newest, *_ = find_newest_version(root)
    if newest != version:
        raise SystemExit(
            f"CHANGELOG.md begins with {newest}. Write what is new in {version} above it, "
            f"under the heading: ## {version}"
        )
    texts = {}
    for name, patterns in PATTERNS.items():
        text = (root / name).read_text("utf-8")
        for pattern, line in patterns:
            new = line.format(version=version, day=day)
            text, count = re.subn(pattern, new, text, flags=re.MULTILINE)
            if count != 1:
                raise SystemExit(f"{name} must have one place for {new!r}, and has {count}")
        texts[name] = text
    for name, text in texts.items():
        (root / name).write_text(text, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tag", help="like v1.2.3")
    parser.add_argument("day", nargs="?", help="like 2027-01-31; without it, the current day")
    options = parser.parse_args()
    if not re.fullmatch(r"v\d+\.\d+\.\d+", options.tag):
        raise SystemExit(
            f"The tag must be like v1.2.3, got {options.tag!r}: make prepare TAG=v1.2.3"
        )
    day = datetime.date.fromisoformat(options.day) if options.day else datetime.date.today()
    prepare(options.tag.removeprefix("v"), day.isoformat())
    print(f"All files give version {options.tag.removeprefix('v')} and the day {day}.")


if __name__ == "__main__":
    main()
