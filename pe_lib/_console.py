"""Print on consoles whose encoding lacks some characters, as on older Windows systems."""

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
    """Make stdout and stderr substitute similar characters for those they cannot encode.

    Without this call, `print("−0.5 × 2")` raises UnicodeEncodeError where the code page is cp1251.
    Characters that the encoding has are printed unchanged.
    """
    codecs.register_error(HANDLER, _replace)
    for stream in (sys.stdout, sys.stderr):
        # In notebooks and tests, the stream may have been replaced.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=HANDLER)


def has_unicode_output() -> bool:
    """Return whether standard output can encode all Unicode characters."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Return a substitute for text that cannot be encoded, and the index at which to continue."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(map(nearest, signs)), error.end


def nearest(sign: str) -> str:
    r"""Return an ASCII substitute for a character: a similar sign, its base letter, or an escape.

    >>> [nearest(sign) for sign in "−×ë李"]
    ['-', 'x', 'e', '\\u674e']
    """
    if sign in NEAREST:
        return NEAREST[sign]
    letter, *marks = list(unicodedata.normalize("NFKD", sign))
    if letter.isascii() and all(map(unicodedata.combining, marks)):
        return letter
    return sign.encode("ascii", "backslashreplace").decode()
