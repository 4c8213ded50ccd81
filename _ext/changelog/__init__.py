"""Split the text of CHANGELOG.md into one section for each version.

This module imports no other module of the course, because a release is checked before the
dependencies are installed.
"""

import re

_SECTION = re.compile(r"^## (\S+)([^\n]*)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def sections(changelog: str) -> list[tuple[str, str, str]]:
    """Return the version, the day (or "unreleased") and the text of each section, newest first.

    >>> sections("# Changelog\\n\\n## 1.0.0 (2027-01-31)\\n\\n- New.\\n")
    [('1.0.0', '2027-01-31', '- New.')]
    """
    matches = _SECTION.findall(changelog)
    return [(version, day.strip(" ()"), text.strip()) for version, day, text in matches]
