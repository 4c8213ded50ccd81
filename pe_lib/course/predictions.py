"""A reader's guess before the explanation, and the same guess beside the result.

With a kernel both are widgets; on the site the same module (predictions.mjs) fills the same fields.
A guess is kept by the reader's browser alone, under the question's number, and forgotten when it is
no longer among the choices, or its unit changes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets as t

MIME = "application/vnd.order-matters.prediction+json"
SOURCE, STYLE = (Path(__file__).with_name(f"predictions.{kind}") for kind in ("mjs", "css"))


_asked: dict[str, Prediction] = {}  # by number: what this kernel has asked


class _Field(anywidget.AnyWidget):
    """What both have: a number, as in "2.1", and what the browser has to know."""

    _esm = SOURCE.read_text("utf-8")
    _css = STYLE.read_text("utf-8")

    told: ClassVar[tuple[str, ...]]  # what the site starts the same field from

    number = t.Unicode().tag(sync=True)
    choices = t.List(t.Unicode()).tag(sync=True)
    unit = t.Unicode().tag(sync=True)
    guess = t.Unicode().tag(sync=True)  # as it was typed or chosen, "" before

    def published(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.told}

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        live = super()._repr_mimebundle_(**kwargs)
        if live is None:
            return None
        data, metadata = live
        return data | {"text/plain": repr(self), MIME: self.published()}, metadata


class Prediction(_Field):
    """The field for a guess: one of `choices`, or a number where there are none."""

    told = ("number", "choices", "unit")

    def __repr__(self) -> str:
        if self.choices:
            return "\n".join(["Your guess:", *(f"( ) {choice}" for choice in self.choices)])
        return f"Your guess: ____ {self.unit}".rstrip()


class Result(_Field):
    """What came out, to be read beside the guess of the same number."""

    told = ("number", "unit", "said", "values")

    said = t.Unicode().tag(sync=True)
    values = t.List(t.Float()).tag(sync=True)  # none, one, or the ends of a range

    def __repr__(self) -> str:
        return f"It is: {self.said} {self.unit}".rstrip()


def predict(number: str, *choices: str, unit: str = "") -> Prediction:
    """Ask for a guess: one of `choices`, or a number, in `unit`, where none are given.

    `number` is the chapter's and a count, as in "2.1". The question itself stands in the Markdown
    cell before. Raises ValueError for a single choice, or for two that are the same.

    >>> predict("2.1", "the first", "the last")
    Your guess:
    ( ) the first
    ( ) the last
    >>> predict("2.2", unit="positions")
    Your guess: ____ positions
    """
    if len(choices) == 1 or len(set(choices)) < len(choices):
        raise ValueError(f"choices must be two or more, all different, got {choices}")
    asked = Prediction(number=number, choices=list(choices), unit=unit)
    before = _asked.get(number)
    if before and before.published() == asked.published():
        asked.guess = before.guess  # the cell was run again
    _asked[number] = asked
    return asked


def predicted(
    number: str, answer: str | float | Sequence[float], *, digits: int = 3, unit: str = ""
) -> Result:
    """Tell what came out: one of the choices in its words, or a number, to `digits` digits.

    Two numbers are the ends of a range. Raises ValueError for an answer that was not among the
    choices, or is not finite.

    >>> predicted("12.1", "the last")
    It is: the last
    >>> predicted("12.2", 60611.53, digits=6, unit="positions")
    It is: 60,611.5 positions
    >>> predicted("12.3", (0.8312, 0.9934), digits=2)
    It is: 0.83 to 0.99
    """
    asked = _asked.get(number)
    choices = asked.choices if asked else []
    if isinstance(answer, str):
        if asked and answer not in choices:
            raise ValueError(f"answer must be one of {choices}, got {answer!r}")
        values, said = [], answer
    else:
        ends = [float(end) for end in (answer if isinstance(answer, Sequence) else [answer])]
        if choices or len(ends) > 2 or not all(map(math.isfinite, ends)):
            raise ValueError(
                f"answer must be {choices or 'one finite number or two'}, got {answer}"
            )
        values = [float(f"{end:.{digits}g}") for end in ends]
        said = " to ".join(_written(value) for value in values)
    result = Result(number=number, unit=unit, said=said, values=values, choices=choices)
    if asked:
        result.guess = asked.guess
        t.dlink((asked, "guess"), (result, "guess"))
    return result


def _written(value: float) -> str:
    """A number with commas, and none of the digits that `digits` left out.

    >>> _written(60611.5), _written(1230.0), _written(0.0), _written(2.5e-7)
    ('60,611.5', '1,230', '0', '2.5e-07')
    """
    return f"{value:,.15g}"
