"""Answers as they are typed, and what is said of wrong ones: in a notebook and on a page alike."""

import json
import shutil
import subprocess
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pe_lib.course.grading.check import judge
from pe_lib.course.grading.feedback import marked
from pe_lib.course.grading.numbers import typed
from pe_lib.course.grading.outcome import Failure, as_value
from pe_lib.course.grading.relation import CHANGES, FACTORS
from pe_lib.course.grading.sheet import Question, load, names

HERE = Path(__file__).parent
TYPED = json.loads((HERE / "typed.json").read_text("utf-8"))
QUESTIONS = [q for name in names() for q in load(name).questions.values() if q.kind != "code"]
NODE = shutil.which("node")
STEP = " The button Hint has a step towards it."


def wanted(value: Any) -> list[float]:
    values = value if isinstance(value, list) else [value]
    return [float(one) for one in values]


CASES = [(kind, text, value) for kind in TYPED for text, value in TYPED[kind].items()]


@pytest.mark.parametrize(("kind", "text", "value"), CASES)
def test_a_typed_answer_is_read(kind: str, text: str, value: Any) -> None:
    read = typed(kind, text)
    if kind == "choice":
        assert read == value
    elif value is None:  # not read: it stays a text
        assert read == text.strip()
    else:
        assert read == pytest.approx(wanted(value), rel=1e-14)


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        (Fraction(1, 256), [1 / 256]), (Decimal("0.25"), [0.25]), ([Fraction(1, 2), "1"], [0.5, 1]),
        ((3, 4), [3, 4]), ([(19, 32), (7, 19, 32)], [19, 32, 7, 19, 32]), (range(3), [0, 1, 2]),
        ({"dog": 0.3, "man": "0,7"}, [0.3, 0.7]), ({1: 5}.values(), [5]), ({1: 5}.keys(), [1]),
        (map(int, "12"), [1, 2]), (np.array(["1", "2,5"]), [1, 2.5]), (np.float32(2), [2]),
        (np.array([[1], [2]]), [1, 2]), (np.str_("3"), [3]), (b"3", [3]), ([["3"], "4 "], [3, 4]),
        (127**16, [127.0**16]), (True, [1]), ([], []), (np.array(7), [7]), ("3, 4", [3, 4]),
    ],
)  # fmt: skip
def test_an_answer_may_be_any_object_that_holds_numbers(answer: Any, values: list[float]) -> None:
    read = as_value(typed("numbers", answer))
    assert isinstance(read, np.ndarray)
    assert np.ravel(read).tolist() == values


def test_torch_and_pandas_are_read_where_they_are_installed() -> None:
    class Tensor:  # what of them is used
        def tolist(self) -> list[float]:
            return [1.5, 2.5]

    assert typed("numbers", Tensor()) == [1.5, 2.5]
    assert typed("numbers", [Tensor(), 3]) == [1.5, 2.5, 3]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (10**400, "It has a number in it that is too large, above 10^308."),
        (object(), "It is an object; real numbers are wanted."),
        ([1, object()], "It is a list; real numbers are wanted."),
        (1j, "It is complex numbers; real numbers are wanted."),
        ([None, 1], "It is `None`."),
    ],
)
def test_what_is_no_number_is_said(answer: Any, said: str) -> None:
    read = as_value(typed("numbers", answer))
    assert isinstance(read, Failure) and read.text == said


def test_of_a_list_the_entry_that_is_no_number_is_named() -> None:
    assert typed("numbers", [1, "two", "3"]) == "two"
    assert typed("set", {"x"}) == "x"


def test_an_iterator_without_an_end_is_refused() -> None:
    read = as_value(typed("set", iter(int, 1)))
    assert isinstance(read, Failure) and "far too many" in read.text


# --- The page says what the notebook says ---


def tries(question: Question, right: Any, wrong: dict[str, Any]) -> list[str]:
    """Answers as they are typed: each mistake, and each relation to the right value."""
    if question.kind == "choice":
        return [*question.choices]
    values = np.array(right)
    made: list[Any] = [*wrong.values(), [987_654.25], [*right, 3], right[:-1], right[::-1], []]
    made += [-values, values + 1, values - 1, values + 0.3, values * 0.9973, values * 1.00004]
    made += [values * by for _, by, _ in FACTORS] + [values * 37.3, values / 5_311, values + 40]
    made += [values * 0, values + 2 * np.pi, np.roll(values, 1), values * -5, np.round(values, 2)]
    made += [np.trunc(values * 1_000) / 1_000, values + np.arange(len(right)), values + 1e-3]
    made += [np.append(values[:-1], values[-1] + step) for step in (1, -1, 0.5, 8)]
    with np.errstate(all="ignore"):
        made += [np.array([change_or_nan(change, v) for v in right]) for _, change, _ in CHANGES]
    found = [[float(f"{x:.12g}") for x in one] for one in made if np.isfinite(one).all()]
    texts = [" ".join(repr(x) for x in one) for one in found]
    return [*texts, *(" ".join(f"{x:.4g}" for x in one) for one in found[:6]), "1e999", "abc"]


def change_or_nan(change: Any, value: float) -> float:
    try:
        return float(change(value))
    except (ValueError, OverflowError, ZeroDivisionError):
        return float("nan")


def in_a_notebook(question: Question, written: str, seed: int) -> tuple[list[str], str]:
    """What the page has to say, and the relation that is named."""
    if not written.strip():
        return ["open", "○ Not answered yet.", ""], ""
    value = typed(question.kind, written)
    if question.kind != "choice" and isinstance(value, str):
        return ["open", "○ Not a number."], ""
    result = judge(question, {"answer": (as_value(value),)}, seed)
    if result.status == "right":
        return ["right", "✓ Right.", ""], ""
    if written == "1e999":  # a notebook says so before it compares
        return ["wrong", "✗ Not yet."], ""
    return [
        "wrong",
        "✗ Not yet.",
        marked(result.hint) + STEP * bool(result.relation),
    ], result.relation


@pytest.mark.skipif(not NODE, reason="node is not installed; the site's build needs it")
def test_the_page_reads_and_says_what_the_notebook_does(tmp_path: Path) -> None:
    """Of each question and its sets of numbers: right, each mistake, each relation, nonsense."""
    from _ext import quiz

    texts = [(kind, text) for kind, text, _ in CASES if kind != "choice"]
    answers = []
    for question in QUESTIONS:
        asked = quiz.asked(question)
        for seed, variant in enumerate(asked["variants"]):
            written = tries(question, variant["right"], variant["wrong"])
            answers.append((question, seed, {"asked": asked, "variant": seed, "tries": written}))
    file = tmp_path / "cases.json"
    cases = {"typed": texts, "answers": [case for _, _, case in answers]}
    file.write_text(json.dumps(cases), "utf-8")
    command = [NODE, HERE / "answers.mjs", quiz.MODULES, file]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(run.stdout)
    for (kind, text), read in zip(texts, told["read"], strict=True):
        value = TYPED[kind][text]
        if value is None:
            assert None in read, text
        elif value == "infinity":
            assert read == [None], text  # as JSON writes it
        else:
            assert read == pytest.approx(wanted(value), rel=1e-14), text
    related: Counter[str] = Counter()
    for (question, seed, case), said in zip(answers, told["said"], strict=True):
        for written, words in zip(case["tries"], said, strict=True):
            expected, relation = in_a_notebook(question, written, seed)
            related[relation] += 1
            assert words[: len(expected)] == expected, (question.name, seed, written)
    kinds = {name for name, *_ in [*FACTORS, *CHANGES]}
    kinds |= {"sign", "one_more", "one_less", "rounded", "cut", "unrounded", "turns", "shifted",
              "scaled", "count", "swapped", "reversed", "order", "side", "near", "large", "small",
              "missing", "extra", "none", "mixed"}  # fmt: skip
    assert kinds <= set(related), "every relation is tried"
