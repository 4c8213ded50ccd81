"""Ask readers for a guess before an explanation, and later show this guess next to the result.

In a notebook both are widgets. On the site the same module, predictions.mjs, makes the same fields.
A guess is stored only in the reader's browser, under the question's number. The browser forgets a
guess that is no longer among the choices, or whose unit has changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets as t

MIME = "application/vnd.order-matters.prediction+json"
SOURCE, STYLE = (Path(__file__).with_name(f"predictions.{kind}") for kind in ("mjs", "css"))


# The questions asked since the kernel started, by number.
_questions: dict[str, Prediction] = {}


class _Field(anywidget.AnyWidget):
    """The base class of predictions and results, both of which have a number such as "2.1"."""

    _esm = SOURCE.read_text("utf-8")
    _css = STYLE.read_text("utf-8")

    number = t.Unicode().tag(sync=True)
    choices = t.List(t.Unicode()).tag(sync=True)
    unit = t.Unicode().tag(sync=True)
    # The guess in the reader's own spelling, or "" before the reader has guessed.
    guess = t.Unicode().tag(sync=True)

    def make_stored_data(self) -> dict[str, Any]:
        """Return the data that a notebook stores, from which the website builds the same field."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        live = super()._repr_mimebundle_(**kwargs)
        if live is None:
            return None
        data, metadata = live
        return data | {"text/plain": repr(self), MIME: self.make_stored_data()}, metadata


class Prediction(_Field):
    """A field for a reader's guess, which is one of `choices` or, if there are none, a number."""

    def make_stored_data(self) -> dict[str, Any]:
        return {"number": self.number, "choices": self.choices, "unit": self.unit}

    def __repr__(self) -> str:
        if self.choices:
            return "\n".join(["Your guess:", *(f"( ) {choice}" for choice in self.choices)])
        return f"Your guess: ____ {self.unit}".rstrip()


class Result(_Field):
    """The result of an experiment, which is shown next to the reader's guess about it."""

    answer = t.Unicode().tag(sync=True)
    # Holds a single number, or both ends of a range, or nothing if the answer is a text.
    values = t.List(t.Float()).tag(sync=True)

    def make_stored_data(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "unit": self.unit,
            "said": self.answer,
            "values": self.values,
        }

    def __repr__(self) -> str:
        return f"It is: {self.answer} {self.unit}".rstrip()


def predict(number: str, *choices: str, unit: str = "") -> Prediction:
    """Ask readers for a guess, which is one of `choices` or, if there are none, a number in `unit`.

    `number` is the chapter's number and a count, as in "2.1". The question itself stands in the
    Markdown cell before this one. Raises ValueError for a single choice, or for two equal choices.

    >>> predict("2.1", "the first", "the last")
    Your guess:
    ( ) the first
    ( ) the last
    >>> predict("2.2", unit="positions")
    Your guess: ____ positions
    """
    if len(choices) == 1 or len(set(choices)) < len(choices):
        raise ValueError(f"choices must be two or more, all different, got {choices}")
    question = Prediction(number=number, choices=list(choices), unit=unit)
    earlier = _questions.get(number)
    if earlier and earlier.make_stored_data() == question.make_stored_data():
        # Keep the reader's guess when a cell is run again.
        question.guess = earlier.guess
    _questions[number] = question
    return question


def predicted(
    number: str, answer: str | float | Sequence[float], *, digits: int = 3, unit: str = ""
) -> Result:
    """Show a result, which is either one of the choices or a number, rounded to `digits` digits.

    Two numbers are the ends of a range. Raises ValueError for an answer that is not among the
    choices, or that is not finite.

    >>> predicted("12.1", "the last")
    It is: the last
    >>> predicted("12.2", 60611.53, digits=6, unit="positions")
    It is: 60,611.5 positions
    >>> predicted("12.3", (0.8312, 0.9934), digits=2)
    It is: 0.83 to 0.99
    """
    question = _questions.get(number)
    choices = question.choices if question else []
    if isinstance(answer, str):
        if question and answer not in choices:
            raise ValueError(f"answer must be one of {choices}, got {answer!r}")
        values, text = [], answer
    else:
        ends = [float(end) for end in (answer if isinstance(answer, Sequence) else [answer])]
        if choices or len(ends) > 2 or not all(map(math.isfinite, ends)):
            raise ValueError(
                f"answer must be {choices or 'one finite number or two'}, got {answer}"
            )
        values = [float(f"{end:.{digits}g}") for end in ends]
        text = " to ".join(_format_value(value) for value in values)
    result = Result(number=number, unit=unit, answer=text, values=values, choices=choices)
    if question:
        result.guess = question.guess
        t.dlink((question, "guess"), (result, "guess"))
    return result


def _format_value(value: float) -> str:
    """Format a rounded number with commas between thousands and no trailing zeros.

    >>> _format_value(60611.5), _format_value(1230.0), _format_value(0.0), _format_value(2.5e-7)
    ('60,611.5', '1,230', '0', '2.5e-07')
    """
    return f"{value:,.15g}"
