"""Print on consoles whose encoding lacks some characters, such as a Windows code page."""

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
    """Make stdout and stderr replace characters that they cannot encode by similar characters.

    Without this call, `print("−0.5 × 2")` raises UnicodeEncodeError where the code page is cp1251.
    Characters that the encoding has are printed unchanged.
    """
    codecs.register_error(HANDLER, _replace)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # Notebooks and tests may replace the stream.
            stream.reconfigure(errors=HANDLER)


def has_unicode_output() -> bool:
    """Return whether standard output can encode every Unicode character."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Return a substitute for the text that failed, and the index where the codec continues."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(map(nearest, signs)), error.end


def nearest(sign: str) -> str:
    r"""Return an ASCII substitute for a character: a similar sign, the bare letter, or an escape.

    >>> [nearest(sign) for sign in "−×ë李"]
    ['-', 'x', 'e', '\\u674e']
    """
    if sign in NEAREST:
        return NEAREST[sign]
    letter, *marks = list(unicodedata.normalize("NFKD", sign))
    if letter.isascii() and all(map(unicodedata.combining, marks)):
        return letter
    return sign.encode("ascii", "backslashreplace").decode()
