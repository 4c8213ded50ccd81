"""What a reader is told, in the language chosen: the English sentence is the key of a catalogue.

Explorers, questions and feedback say their sentences through `say`, in Python and, by the same
catalogue, in JavaScript (texts.mjs). `contributing/translation.md` tells the rest.
"""

from __future__ import annotations

import re
from gettext import NullTranslations
from pathlib import Path

_PLACE = re.compile(r"\{(\w+)\}")
_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_known = NullTranslations()
_comma = ","


class Marked(str):
    """An English sentence that knows its places and their values, to be said later."""

    text: str
    values: dict[str, object]


def use(translations: NullTranslations, comma: str = ",") -> None:
    """Say everything in this language from now on; `NullTranslations()` is English.

    `comma` stands in the numbers that are said where English has the one of 10,000, which in many
    languages would be a decimal point.
    """
    global _known, _comma
    _known, _comma = translations, comma


def say(text: str, /, **values: object) -> str:
    """`text` in the language chosen, each place in braces filled with the value of its name.

    >>> say("Position {t}, “{word}”", t=3, word="dog")
    'Position 3, “dog”'
    """
    if isinstance(text, Marked):
        values = text.values | values
        text = text.text
    said = {name: _said(value) for name, value in values.items()}
    return _filled(_known.gettext(text) if text else text, said)


def many(one: str, other: str, n: int, /, **values: object) -> str:
    """The form that belongs to the number `n`, which has the place {n}.

    >>> [many("{n} point", "{n} points", n) for n in (0, 1, 2)]
    ['0 points', '1 point', '2 points']
    """
    return _filled(_known.ngettext(one, other, n), {"n": n, **values})


def mark(text: str, /, **values: object) -> Marked:
    """The English sentence, for tables and for what is kept: `say` says it where it is shown.

    >>> sentence = mark("{n} of {total}", n=1, total=mark("many"))
    >>> sentence, say(sentence)
    ('1 of many', '1 of many')
    """
    marked = Marked(_filled(text, values))
    marked.text, marked.values = text, values
    return marked


def number(value: float, form: str = "g") -> str:
    """A number as a value of `say`, with a true minus sign; hyphens of words stay.

    >>> number(-0.25), number(3, "+.1f")
    ('−0.25', '+3.0')
    """
    return f"{value:{form}}".replace("-", "−")


def script() -> str:
    """`say` and `many` for scripts that can't import texts.mjs.

    >>> script().splitlines()[0]
    'const { say, many } = (() => {'
    """
    body = Path(__file__).with_name("texts.mjs").read_text("utf-8").replace("export ", "")
    return f"const {{ say, many }} = (() => {{\n{body}return {{ say, many }};\n}})();\n"


def _said(value: object) -> object:
    return say(value) if isinstance(value, Marked) else value


def _filled(text: str, values: dict[str, object]) -> str:
    def put(place: re.Match[str]) -> str:
        return _COMMA.sub(_comma, str(values[place[1]])) if place[1] in values else place[0]

    return _PLACE.sub(put, text)
