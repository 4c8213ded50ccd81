"""Read answers in the forms that people type, such as '2,600', '−0.673', '1/256', '2π' or '(c)'.

Only an unambiguous text is read as a number, and any other text stays a text. The page of a chapter
reads answers in the same way (_ext/quizzing/numbers.mjs), and a test compares the two readers on
the examples in tests/course/grading/typed.json.
"""

import math
import re
from collections.abc import Iterator, KeysView, Mapping, ValuesView
from itertools import islice
from typing import Any

import numpy as np

HOW_TO_WRITE = "Write it like 137, -0.4889, 1/256 or 2.5e3."

_UNIT = re.compile(
    r"\s*(?:positions?|dimensions?|entries|entry|words?|tokens?|pairs?|rows?|columns?|steps?|times"
    r"|turns?|digits?|numbers?|values?|parameters?|weights?|heads?|bits?|bytes?"
    r"|rad(?:ians?)?(?: per position)?|degrees?|°|η)"
    r"(?: (?:forwards?|further|later|on))?$",
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
# words around the numbers, as in "sea at 6, gulls at 7"
_WORD = re.compile(r"\b(?!(?:pi|sqrt|exp|e|x|not|or|than)\b)[a-z]+\b(?!\()", re.IGNORECASE)
# Learners may mean these marks in another way than `parse_answer` reads them. Each mark comes with
# the text by which `parse_otherwise` replaces it.
_OTHERWISE = (
    # a comma before three digits may be a decimal comma, although it usually separates thousands
    (re.compile(r"(?<![\d,])(\d{1,3}),(\d{3})(?!\d|,\d)"), r"\1.\2"),
    # a cross between two numbers may mean a shape, as in "7x32", although it usually means a
    # product
    (re.compile(r"(?<=\d) ?[x×] ?(?=\d)"), ", "),
)
# a calculation before its result, as in "16 * 127 = 2032"
_CALCULATION = re.compile(r"^.*(?:=|\bso\b|\bwhich is\b)", re.IGNORECASE | re.DOTALL)
# matches √ or exp, together with the number or the brackets to which the function applies
_FUNCTION = re.compile(
    r"(?<![a-z])(?:(?:np|math)\.)?(?P<name>√|sqrt|exp)\s*"
    r"(?:\((?P<inside>[^()]*)\)|(?<=√)\s*(?P<number>\d+(?:\.\d+)?))",
    re.IGNORECASE,
)
_EXPONENT = re.compile(r"(?:\^|\*\*)\s*\(([^()]*)\)")
# matches a plus between two numbers, but not the plus in 2.5e+3, which is part of a number
_SUM = re.compile(r"(?<=[\dπ.])\+(?=-?[\dπ.])")
# Matches a plus or minus between spaces, as in "3 - 2". In "3 -2", there is no space after the
# sign, so the sign belongs to the second number.
_SPACED_SIGN = re.compile(r"(?<=[\dπ.]) ([+-]) (?=[\dπ.])")
_SUM_IN_BRACKETS = re.compile(r"(?<![\w√π.)])\(([^(),;]*[\dπ.] ?[+-] ?[^(),;]*)\)")
_PAIRS = re.compile(r"[-+]?\d+(?:_\d+)+(?:\.\d+)?")
_BLANKS = str.maketrans(dict.fromkeys("\u00a0\u2007\u2009\u202f", " "))
_SIGNS = str.maketrans({"−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "⋅": "*", "’": "'"})


def parse_number(text: str) -> float:
    """Return the number that a text means, or NaN if the text means no number.

    A comma before three digits separates thousands, though `parse_otherwise` reads it as a decimal
    comma. Any other comma is a decimal comma. The text may contain one fraction bar, sums,
    differences, products, powers, roots, π, a per cent sign, a name before the number and a unit
    after it.

    >>> [parse_number(text) for text in ("2,600", "0,5", "−1.5 × 10^3", "1/256", "25 %")]
    [2600.0, 0.5, -1500.0, 0.00390625, 0.25]
    >>> [parse_number(text) for text in ("k = 137 positions", "1/2π")]
    [137.0, nan]
    >>> parse_number("2π/4") == math.pi / 2, parse_number("3√4"), parse_number("2^(6/2)+1")
    (True, 6.0, 9.0)
    >>> parse_number("1 - 2/64"), parse_number("-(0.5 - 0.25)*8")
    (0.96875, -2.0)
    """
    plain = _compute_inner(text.translate(_BLANKS).translate(_SIGNS)).strip(" \t\n\r\"'`$")
    plain = re.sub(r"(?:…|\.\.\.)$", "", plain).strip()
    plain = _UNIT.sub("", _LABEL.sub("", plain))
    if plain.endswith("%"):
        return parse_number(plain[:-1]) / 100
    plain = _SPACED_SIGN.sub(lambda sign: sign[1].replace("-", "+-"), plain.replace("**", "^"))
    return sum(map(_parse_term, _SUM.split(plain)))


def _compute_inner(text: str) -> str:
    """Replace each root, each exponential, and each exponent or sum in brackets by its value.

    >>> _compute_inner("2√(9/4) + 2^(1/2)")
    '2*1.5 + 2^0.5'
    """

    def compute(match: re.Match[str]) -> str:
        value = parse_number(match["inside"] or match["number"] or "")
        is_root = match["name"].lower() != "exp"
        if value != value or (value < 0 if is_root else value > _LARGEST_EXPONENT):
            return match[0]
        result = math.sqrt(value) if is_root else math.exp(value)
        is_factor = re.match(r"[\dπ.]", match.string[: match.start()][-1:])
        return f"{'*' if is_factor else ''}{result!r}"

    def compute_exponent(match: re.Match[str]) -> str:
        value = parse_number(match[1])
        return match[0] if value != value else f"^{value!r}"

    def compute_sum(match: re.Match[str]) -> str:
        value = parse_number(match[1])
        return match[0] if value != value else repr(value)

    plain = _FUNCTION.sub(compute, _TIMES_TEN.sub("*", text))
    return _SUM_IN_BRACKETS.sub(compute_sum, _EXPONENT.sub(compute_exponent, plain))


# matches a letter x that means a product, as in 1.5 x 10^3
_TIMES_TEN = re.compile(r"(?<=\d) ?x ?(?=10(?:\^|\*\*))")
_LARGEST_EXPONENT = 700  # exp of a larger number is too large for a float


def _parse_term(text: str) -> float:
    """Compute a product, which may be divided by one number. Return NaN if the text is none."""
    top, bar, bottom = text.partition("/")
    below = _parse_power(bottom) if bar else 1.0
    return math.prod(map(_parse_factor, top.split("*"))) / below if below else math.nan


def _parse_factor(text: str) -> float:
    """Return the value of a power or a multiple of π.

    A multiple of π is read only above a fraction bar, because 1/2π has two meanings.
    """
    multiple = _MULTIPLE_OF_PI.fullmatch(text.strip())
    return _parse_plain(multiple[1]) * math.pi if multiple else _parse_power(text)


def _parse_power(text: str) -> float:
    base, hat, exponent = text.strip().partition("^")
    if not hat:
        return _parse_plain(base)
    # the sign applies after the power, so that -2^2 is -4
    sign = -1.0 if base.startswith("-") else 1.0
    unsigned = base.removeprefix("-").strip()
    absolute = math.e if unsigned == "e" else _parse_plain(unsigned)
    power = _parse_plain(exponent.strip("() "))
    try:
        return sign * absolute**power if absolute > 0 else math.nan
    except OverflowError:
        return math.nan


# matches a number before π, as in 2π, which means 2 · π
_MULTIPLE_OF_PI = re.compile(r"([^^]*[\d.])\s*(?:π|pi)", re.IGNORECASE)


def _parse_plain(text: str) -> float:
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


def parse_numbers(text: str) -> list[float]:
    """Return the numbers in a text in which spaces, commas or semicolons separate the numbers.

    Brackets around the numbers are ignored.

    >>> parse_numbers("(3, 4)"), parse_numbers("0,5 1,023"), parse_numbers("4,5,6")
    ([3.0, 4.0], [0.5, 1023.0], [4.0, 5.0, 6.0])
    >>> parse_numbers("x = 1; y = 2 pairs"), parse_numbers("3 and four")
    ([1.0, 2.0], [3.0, nan])
    """
    plain = re.sub(r"(\d)[\u00a0\u2007\u2009\u202f](?=\d{3}(?!\d))", r"\1", text)
    plain = _compute_inner(plain.translate(_BLANKS).translate(_SIGNS))
    plain = re.sub(r"[\[\](){}\"'`|]|(?<=\d) ?±", " ", plain)
    plain = re.sub(r"\band\b", ", ", plain)
    plain = re.sub(r"\s*([*/^=≈]|(?=%))\s*", r"\1", re.sub(r"\s+", " ", plain)).strip(" ,;")
    plain = re.sub(r"(^|[,;] ?)([-+]) ", r"\1\2", plain)
    separators = [";", "; ?|, "] if ";" in plain else [", ", ",? "] if " " in plain else [","]
    numbers: list[float] = []
    for separator in separators:
        parts = filter(None, (part.strip() for part in re.split(separator, plain)))
        numbers = [
            math.nan if separator[0] != ";" and _SPACED.search(part) else parse_number(part)
            for part in parts
        ]
        if not any(map(math.isnan, numbers)):
            break
    return numbers


# in a list, a space between two digits separates two different numbers
_SPACED = re.compile(r"\d \d")


def expand_ranges(text: str) -> str:
    """Write out the ranges in a list of whole numbers, so that "3-5, 9" becomes "3 4 5 9".

    Return a text without a range unchanged.

    >>> expand_ranges("3-5, 9"), expand_ranges("from 23 to 25"), expand_ranges("3 -5")
    ('3 4 5 9', '23 24 25', '3 -5')
    """
    plain = re.sub(r"\bfrom (?=\d)", "", text.translate(_BLANKS).translate(_SIGNS))

    def expand(match: re.Match[str]) -> str:
        first, last = int(match[1]), int(match[2])
        if not first < last < first + _LONGEST_RANGE:
            return match[0]
        return " ".join(map(str, range(first, last + 1)))

    expanded = _RANGE.sub(expand, plain)
    return text if expanded == plain else re.sub(r"\s*(?:[,;]|\band\b)\s*", " ", expanded)


_RANGE = re.compile(
    r"(?<![\d.^*/-])(\d{1,9})(?:-| - | ?(?:\bto\b|\bthrough\b|\.\.\.?|…) ?)"
    r"(\d{1,9})(?![\d^*/]|\.\d|-\d)",
    re.IGNORECASE,
)
_LONGEST_RANGE = 1_000

# matches the texts by which a learner says that no number fits
_NOTHING = re.compile(
    r"\s*(?:none|nobody|no ?one|nothing|no (?:words?|rows?|positions?|numbers?)|empty(?: set)?|∅|ø"
    r"|\{ *\}|\[ *\]|\( *\)|set\(\))\.?\s*",
    re.IGNORECASE,
)


def find_choice(text: str, choices: Mapping[str, str]) -> str:
    """Return the letter of the choice whose wording is `text`, or else `text` itself.

    >>> find_choice("the cosine of pair 3.", {"a": "The *cosine* of pair `3`"})
    'a'
    """
    letters = {_plain_words(words): letter for letter, words in choices.items()}
    return letters.get(_plain_words(text), text)


def _plain_words(text: str) -> str:
    return " ".join(re.sub(r"[`*]|[.:]$", "", text.strip()).casefold().split())


def parse_letter(text: str) -> str:
    """Return the letter of a choice such as '(C)' or 'c.'. Return any other text unchanged.

    >>> parse_letter("(C)"), parse_letter("b) the second"), parse_letter("a table")
    ('c', 'b', 'a table')
    >>> parse_letter("Answer: d")
    'd'
    """
    plain = text.strip(" \t\n\r\"'`“”‘’")
    plain = re.sub(r"^(?:answer|option|choice)\b:? *", "", plain, flags=re.IGNORECASE)
    match = re.fullmatch(r"[(\[]?([a-z])[)\].:,]?", plain, re.IGNORECASE)
    match = match or re.fullmatch(
        r"\(?([a-z])(?:[).:]\s|,\s+\w\w).*", plain, re.IGNORECASE | re.DOTALL
    )
    return match[1].lower() if match else text.strip()


def parse_answer(kind: str, answer: Any) -> Any:
    """Read the answer to a question that asks for numbers or for the letter of a choice.

    Texts become numbers, and nested lists become one list. An answer that is not a number is
    returned unchanged, and so is the first text in a list that is not a number.

    >>> parse_answer("numbers", ["1/4", (2, "2,600")])
    [0.25, 2, 2600.0]
    >>> parse_answer("choice", ["(b)"]), parse_answer("number", "two"), parse_answer("set", "none")
    ('b', 'two', [])
    """
    if kind == "choice":
        entries = list(_flatten(answer))
        is_text = len(entries) == 1 and isinstance(entries[0], str)
        return parse_letter(entries[0]) if is_text else answer
    if kind == "set" and isinstance(answer, str) and _NOTHING.fullmatch(answer):
        return []
    if isinstance(answer, str):
        answer = expand_ranges(answer) if kind == "set" else answer
        numbers = [parse_number(answer)] if kind == "number" else parse_numbers(answer)
        numbers = parse_numbers(answer) if np.isnan(numbers).any() else numbers
        return answer.strip() if np.isnan(numbers).any() else numbers
    if not isinstance(answer, _HOLDERS) and not hasattr(answer, "tolist"):
        return answer
    entries = list(_flatten(answer))
    if any(isinstance(entry, str) for entry in entries):
        numbers = [parse_number(entry) if isinstance(entry, str) else entry for entry in entries]
        pairs = zip(entries, numbers, strict=True)
        texts = [entry for entry, number in pairs if isinstance(entry, str) and number != number]
        return texts[0] if texts else numbers
    return entries


def parse_otherwise(kind: str, answer: Any) -> list[list[float]]:
    """Return further readings of an answer, in which words, commas and crosses mean something else.

    A reading that gives the same numbers as `parse_answer` is left out. There is no other reading
    of an answer that is not a text of numbers.

    >>> parse_otherwise("numbers", "5,997; 5,997"), parse_otherwise("number", "4.160")
    ([[5.997, 5.997]], [])
    >>> parse_otherwise("numbers", "(7x32)"), parse_otherwise("number", "1,234,567")
    ([[7.0, 32.0]], [])
    >>> parse_otherwise("numbers", "sea at 6, then gulls at 7"), parse_otherwise("number", "not 6")
    ([[6.0, 7.0]], [])
    >>> parse_otherwise("number", "16 * 127 = 2032 words back")
    [[2032.0]]
    >>> parse_otherwise("number", "2,032 words back")
    [[2032.0]]
    """
    if not isinstance(answer, str) or kind == "choice" or len(answer) > _LONGEST:
        return []
    usual = parse_answer(kind, answer)
    result = _CALCULATION.sub("", answer)
    # Words separate the numbers of a list. Around a single number, they leave its commas alone.
    marks = ((_WORD, " " if kind == "number" else ", "), *_OTHERWISE)
    texts = [mark.sub(to, text) for text in dict.fromkeys((answer, result)) for mark, to in marks]
    readings: list[list[float]] = []
    for text in (result, *texts):
        numbers = parse_answer(kind, text)
        if not isinstance(numbers, str) and numbers not in (usual, *readings):
            readings.append(numbers)
    return readings


def describe_grouping(kind: str, answer: Any) -> str:
    """If a mark in an answer was read as a separator of thousands, say which number was read.

    A learner may have meant a decimal comma or two numbers.

    >>> describe_grouping("number", "256 448"), describe_grouping("number", "25.6")
    ('Read as 256448.', '')
    """
    if kind != "number" or not isinstance(answer, str) or not _GROUPING.search(answer):
        return ""
    reading = parse_answer(kind, answer)
    return f"Read as {reading[0]:.15g}." if len(reading) == 1 and reading[0] != answer else ""


# matches a comma, space or apostrophe that stands between a digit and exactly three digits
_GROUPING = re.compile(r"\d[ ,'’\u00a0\u2007\u2009\u202f]\d{3}(?!\d)")
_HOLDERS = (list, tuple, set, frozenset, range, Mapping, KeysView, ValuesView, Iterator)
# A submission may contain millions of letters. So longer texts are read in one way only.
_LONGEST = 1_000
# an answer may be an iterator that never ends, so at most this many entries are read
_MOST = 1_000_001


def _flatten(value: Any, depth: int = 4) -> Iterator[Any]:
    """Yield all entries of nested lists, and all values of nested dictionaries."""
    if isinstance(value, Mapping):
        value = value.values()
    elif hasattr(value, "tolist"):  # for example numpy arrays, PyTorch tensors and pandas series
        value = value.tolist()
    if not isinstance(value, _HOLDERS) or not depth:
        yield value
        return
    for entry in islice(value, _MOST):
        yield from _flatten(entry, depth - 1)
