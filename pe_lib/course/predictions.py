"""A reader's guess before the explanation, and the same guess beside the result."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Prediction:
    """The field for a guess: one of `choices`, or a number where there are none."""

    number: str
    choices: tuple[str, ...] = ()
    unit: str = ""

    def __repr__(self) -> str:
        if self.choices:
            return "\n".join(["Your guess:", *(f"( ) {choice}" for choice in self.choices)])
        return f"Your guess: ____ {self.unit}".rstrip()


@dataclass(frozen=True)
class Result:
    """What came out, to be read beside the guess of the same number."""

    number: str
    answer: str
    unit: str = ""

    def __repr__(self) -> str:
        return f"It is: {self.answer} {self.unit}".rstrip()


def predict(number: str, *choices: str, unit: str = "") -> Prediction:
    """Ask for a guess: one of `choices`, or a number, in `unit`, where none are given.

    `number` is the chapter's and a count, as in "2.1". The question itself stands in the Markdown
    cell before.

    >>> predict("2.1", "the first", "the last")
    Your guess:
    ( ) the first
    ( ) the last
    >>> predict("2.2", unit="positions")
    Your guess: ____ positions
    """
    return Prediction(number, choices, unit)


def predicted(number: str, answer: str | float, *, digits: int = 3, unit: str = "") -> Result:
    """Tell what came out: one of the choices in its words, or a number, to `digits` digits.

    >>> predicted("2.1", "the last")
    It is: the last
    >>> predicted("2.2", 60611.53, digits=6, unit="positions")
    It is: 60,611.5 positions
    """
    said = answer if isinstance(answer, str) else f"{answer:,.{digits}g}"
    return Result(number, said, unit)
