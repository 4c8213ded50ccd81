"""Printing on a console whose encoding lacks some of our signs, such as a Windows code page."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

HANDLER = "pe_lib.nearest_sign"
NEAREST = {
    "−": "-", "–": "-", "—": "-", "×": "x", "·": "*", "±": "+-", "…": "...",
    "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "→": "->", "½": "1/2", "²": "^2",
    "√": "sqrt ", "π": "pi", "β": "beta", "“": '"', "”": '"', "‘": "'", "’": "'",
    "█": "#", "░": ".",
}  # fmt: skip


def keep_output_printable() -> None:
    """Let standard output and errors print the nearest signs for those that they cannot encode.

    Without it, `print("−0.5 × 2")` raises UnicodeEncodeError where the code page is cp1251. What
    the encoding has is printed as ever.
    """
    codecs.register_error(HANDLER, _replace)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a notebook's or a test's may be of another kind
            stream.reconfigure(errors=HANDLER)


def has_unicode_output() -> bool:
    """Return whether standard output can encode every sign."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Answer Python's codecs: the text to print instead, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(map(nearest, signs)), error.end


def nearest(sign: str) -> str:
    r"""Return ASCII for a sign: its nearest sign, its letter without the accent, or its number.

    >>> [nearest(sign) for sign in "−×ë李"]
    ['-', 'x', 'e', '\\u674e']
    """
    if sign in NEAREST:
        return NEAREST[sign]
    letter, *marks = list(unicodedata.normalize("NFKD", sign))
    if letter.isascii() and all(map(unicodedata.combining, marks)):
        return letter
    return sign.encode("ascii", "backslashreplace").decode()
