"""CHANGELOG.md by versions. It rests on nothing: a release is checked before all is installed."""

import re

_SECTION = re.compile(r"^## (\S+)([^\n]*)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def sections(changelog: str) -> list[tuple[str, str, str]]:
    """Each version, the newest first, with its day, or "unreleased", and its text.

    >>> sections("# Changelog\\n\\n## 1.0.0 (2027-01-31)\\n\\n- New.\\n")
    [('1.0.0', '2027-01-31', '- New.')]
    """
    found = _SECTION.findall(changelog)
    return [(name, day.strip(" ()"), text.strip()) for name, day, text in found]
