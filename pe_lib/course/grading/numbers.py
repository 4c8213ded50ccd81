"""Answers as people type them: '2,600', '−0.673', '1/256', '2π', '(c)', a list of such, a Fraction.

What is unambiguous is read, and nothing else: a text that isn't stays a text. The page of a
chapter reads the same way (_ext/quizzing/numbers.mjs); tests/course/grading/typed.json
holds both to it.
"""

import math
import re
from collections.abc import Iterator, KeysView, Mapping, ValuesView
from itertools import islice
from typing import Any

import numpy as np

WANTED = "Write it like 137, -0.4889, 1/256 or 2.5e3."

_UNIT = re.compile(
    r"\s*(?:positions?|dimensions?|entries|entry|words?|tokens?|pairs?|rows?|columns?|steps?|times"
    r"|turns?|digits?|numbers?|values?|parameters?|weights?|heads?|bits?|bytes?"
    r"|rad(?:ians?)?(?: per position)?|degrees?|°)$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(?:[a-z_]\w*\s*[=≈:]\s*|[=≈~]\s*"
    r"|(?:about|positions?|pos|dimensions?|pairs?|rows?|tokens?) )",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
_GROUPED = re.compile(
    r"([-+]?[1-9]\d{0,2})(?:((?:,\d{3})+)(\.\d+)?|((?: \d{3})+|(?:'\d{3})+)([.,]\d+)?"
    r"|((?:\.\d{3})+)(,\d+))"
)
# Of thousands, or a decimal comma before three digits
_COMMA = re.compile(r"(?<![\d,])(\d{1,3}),(\d{3})(?!\d|,\d)")
_PAIRS = re.compile(r"[-+]?\d+(?:_\d+)+(?:\.\d+)?")
_BLANKS = str.maketrans(dict.fromkeys("\u00a0\u2007\u2009\u202f", " "))
_SIGNS = str.maketrans({"−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "⋅": "*", "’": "'"})


def number(text: str) -> float:
    """The number that the text is; NaN if it is none.

    A comma before three digits parts thousands (`commas` has the other reading), any other is a
    decimal comma. There may be one fraction bar, products, powers, π, a per cent sign, a name
    before and a unit behind.

    >>> number("2,600"), number("0,5"), number("−1.5 × 10^3"), number("1/256"), number("25 %")
    (2600.0, 0.5, -1500.0, 0.00390625, 0.25)
    >>> number("k = 137 positions"), number("2π/4") == math.pi / 2, number("1/2π")
    (137.0, True, nan)
    """
    plain = text.translate(_BLANKS).translate(_SIGNS).strip(" \t\n\r\"'`$")
    plain = re.sub(r"(?:…|\.\.\.)$", "", plain).strip()
    plain = _UNIT.sub("", _LABEL.sub("", plain))
    if plain.endswith("%"):
        return number(plain[:-1]) / 100
    top, bar, bottom = plain.replace("**", "^").partition("/")
    if "^" not in top:
        top = re.sub(r"(?<=[\d.])\s*(?:π|pi)\s*$", "*π", top, flags=re.IGNORECASE)  # as in 2π
    below = _power(bottom) if bar else 1.0
    return math.prod(map(_power, top.split("*"))) / below if below else math.nan


def _power(text: str) -> float:
    base, hat, exponent = text.strip().partition("^")
    if not hat:
        return _plain(base)
    sign = -1.0 if base.startswith("-") else 1.0  # -2^2 is -4
    below, above = _plain(base.removeprefix("-")), _plain(exponent.strip("() "))
    try:
        return sign * below**above if below > 0 else math.nan
    except OverflowError:
        return math.nan


def _plain(text: str) -> float:
    text = re.sub(r"^([-+])\s+", r"\1", text.strip())
    if text.lstrip("-+").lower() in ("π", "pi") and len(text.lstrip("-+")) >= len(text) - 1:
        return -math.pi if text.startswith("-") else math.pi
    if match := _GROUPED.fullmatch(text):
        thousands, rest = (match[2] or match[4] or match[6]), (match[3] or match[5] or match[7])
        text = match[1] + re.sub(r"\D", "", thousands) + (rest or "").replace(",", ".")
    elif _PAIRS.fullmatch(text):
        text = text.replace("_", "")
    elif text.count(",") == 1 and "." not in text and re.search(r"\d,\d", text):
        text = text.replace(",", ".")
    return float(text) if _PLAIN.fullmatch(text) and text.isascii() else math.nan


def several(text: str) -> list[float]:
    """The numbers of a text, in brackets or not: with spaces between them, commas or semicolons.

    >>> several("(3, 4)"), several("0,5 1,023"), several("4,5,6"), several("x = 1; y = 2 pairs")
    ([3.0, 4.0], [0.5, 1023.0], [4.0, 5.0, 6.0], [1.0, 2.0])
    >>> several("3 and four")
    [3.0, nan]
    """
    plain = re.sub(r"(\d)[\u00a0\u2007\u2009\u202f](?=\d{3}(?!\d))", r"\1", text)
    plain = plain.translate(_BLANKS).translate(_SIGNS)
    plain = re.sub(r"[\[\](){}\"'`|]|(?<=\d) ?±|\band\b", " ", plain)
    plain = re.sub(r"\s*([*/^=≈]|(?=%))\s*", r"\1", re.sub(r"\s+", " ", plain)).strip(" ,;")
    plain = re.sub(r"(^|[,;] ?)([-+]) ", r"\1\2", plain)
    ways = [";"] if ";" in plain else [", ", ",? "] if " " in plain else [","]
    read: list[float] = []
    for way in ways:
        parts = [part.strip() for part in re.split(way, plain)]
        read = [math.nan if way != ";" and _SPACED.search(p) else number(p) for p in parts if p]
        if not any(map(math.isnan, read)):
            break
    return read


_SPACED = re.compile(r"\d \d")  # in a list, a space parts two numbers


def letter(text: str) -> str:
    """The letter of a choice, 'c' for '(C)', 'c.' or 'c) so it is'; other text as it stands.

    >>> letter("(C)"), letter("b) the second"), letter("a table")
    ('c', 'b', 'a table')
    """
    plain = text.strip(" \t\n\r\"'`“”‘’")
    match = re.fullmatch(r"[(\[]?([a-z])[)\].:,]?", plain, re.IGNORECASE)
    match = match or re.fullmatch(r"\(?([a-z])[).:](?:\s.*)", plain, re.IGNORECASE | re.DOTALL)
    return match[1].lower() if match else text.strip()


def typed(kind: str, answer: Any) -> Any:
    """An answer to a question that wants no code: its texts read, lists within lists made one.

    What is no number comes back as it was; of a list, the first text that is none.

    >>> typed("numbers", ["1/4", (2, "2,600")]), typed("choice", ["(b)"]), typed("number", "two")
    ([0.25, 2, 2600.0], 'b', 'two')
    """
    if kind == "choice":
        entries = list(_flat(answer))
        return letter(entries[0]) if len(entries) == 1 and isinstance(entries[0], str) else answer
    if isinstance(answer, str):
        read = [number(answer)] if kind == "number" else several(answer)
        read = several(answer) if np.isnan(read).any() else read
        return answer.strip() if np.isnan(read).any() else read
    if not isinstance(answer, _HOLDERS) and not hasattr(answer, "tolist"):
        return answer
    entries = list(_flat(answer))
    if any(isinstance(entry, str) for entry in entries):
        numbers = [number(entry) if isinstance(entry, str) else entry for entry in entries]
        texts = [e for e, n in zip(entries, numbers, strict=True) if isinstance(e, str) and n != n]
        return texts[0] if texts else numbers
    return entries


def commas(kind: str, answer: Any) -> list[float] | None:
    """The answer with each comma before three digits a decimal one, where that may be meant.

    >>> commas("numbers", "5,997; 5,997"), commas("number", "1,234,567"), commas("number", "0,5")
    ([5.997, 5.997], None, None)
    """
    if not isinstance(answer, str) or kind == "choice" or len(answer) > _LONGEST:
        return None
    read = typed(kind, _COMMA.sub(r"\1.\2", answer))
    return None if isinstance(read, str) or read == typed(kind, answer) else read


_HOLDERS = (list, tuple, set, frozenset, range, Mapping, KeysView, ValuesView, Iterator)
_LONGEST = 1_000  # letters that are read twice: who is graded may hand in millions
_MOST = 1_000_001  # more than are compared; an iterator may have no end


def _flat(value: Any, depth: int = 4) -> Iterator[Any]:
    """The entries of lists within lists; those of a dict are its values."""
    if isinstance(value, Mapping):
        value = value.values()
    elif hasattr(value, "tolist"):  # arrays, tensors, series
        value = value.tolist()
    if not isinstance(value, _HOLDERS) or not depth:
        yield value
        return
    for entry in islice(value, _MOST):
        yield from _flat(entry, depth - 1)
