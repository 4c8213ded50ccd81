"""Check that the notebook and the site read typed answers alike and explain them alike."""

import json
import math
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from small import CONTENT

from _ext.quizzing import quiz
from pe_lib.course.grading import check, relation, slips
from pe_lib.course.grading.arrays import relate_arrays
from pe_lib.course.grading.check import grade
from pe_lib.course.grading.feedback import render_markup
from pe_lib.course.grading.numbers import parse_answer, parse_otherwise
from pe_lib.course.grading.outcome import Failure, as_value
from pe_lib.course.grading.relation import IN_WORDS, RELATED, relate_numbers
from pe_lib.course.grading.sheet import Question, load, names

HERE = Path(__file__).parent
TYPED = json.loads((HERE / "typed.json").read_text("utf-8"))
CASES = [(kind, text, value) for kind in TYPED for text, value in TYPED[kind].items()]
# the kind of question for which `parse_otherwise` reads these texts
OTHERWISE = {"otherwise": "numbers", "otherwise a number": "number"}
QUESTIONS = [q for name in names() for q in load(name).questions.values() if q.kind != "code"]
NODE = shutil.which("node")
STEP = ' <span class="om-step">For the next step, press <em>Hint</em>.</span>'


def as_numbers(value: Any) -> list[float]:
    values = value if isinstance(value, list) else [value]
    return [float(number) for number in values]


@pytest.mark.parametrize(("kind", "text", "value"), [*CASES, ("otherwise", "1,234 " * 1_000, None)])
def test_a_typed_answer_is_read(kind: str, text: str, value: Any) -> None:
    if kind in OTHERWISE:
        assert parse_otherwise(OTHERWISE[kind], text) == ([value] if value else [])
        return
    read = parse_answer(kind, text)
    if kind == "choice":
        assert read == value
    elif value is None:  # if an answer cannot be read, its text is returned
        assert read == text.strip()
    else:
        assert read == pytest.approx(as_numbers(value), rel=1e-14)


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        (Fraction(1, 256), [1 / 256]), (Decimal("0.25"), [0.25]), ([Fraction(1, 2), "1"], [0.5, 1]),
        ([(19, 32), (7, 19, 32)], [19, 32, 7, 19, 32]), (range(3), [0, 1, 2]),
        ({"dog": 0.3, "man": "0,7"}, [0.3, 0.7]), ({1: 5}.values(), [5]), ({1: 5}.keys(), [1]),
        (map(int, "12"), [1, 2]), (np.array(["1", "2,5"]), [1, 2.5]), (np.float32(2), [2]),
        (np.array([[1], [2]]), [1, 2]), (np.str_("3"), [3]), ([["3"], "4 "], [3, 4]),
        (127**16, [127.0**16]), (True, [1]), ([], []), (np.array(7), [7]), ("3, 4", [3, 4]),
        ([SimpleNamespace(tolist=lambda: [1.5, 2.5]), 3], [1.5, 2.5, 3]),  # a tensor's method
    ],
)  # fmt: skip
def test_an_answer_may_be_any_object_that_holds_numbers(answer: Any, values: list[float]) -> None:
    read = as_value(parse_answer("numbers", answer))
    assert isinstance(read, np.ndarray)
    assert np.ravel(read).tolist() == values


@pytest.mark.parametrize(
    "answer", [10**400, object(), 1j, [None, 1], iter(int, 1), b"3"], ids=range(6)
)
def test_what_is_no_number_is_said_and_what_has_no_end_is_left(answer: Any) -> None:
    assert isinstance(as_value(parse_answer("numbers", answer)), Failure)


# --- The page shows the same messages as the notebook ---


def typed_answers(question: Question, seed: int, variant: dict[str, Any]) -> list[str]:
    """Return texts that learners may type: right answers, known mistakes, and wrong answers.

    For the first two seeds there is also an answer for each relation to the right value.
    """
    if question.kind == "choice":
        return [*question.choices]
    right = variant["right"]
    values = np.array(right)
    of_question = [parse_answer("number", text) for text in variant["given"]]
    wrong: list[Any] = [
        *variant["wrong"].values(),
        *(np.floor(np.array(mistake) + 0.5) for mistake in variant["wrong"].values()),
        *(np.array(mistake)[::-1] for mistake in variant["wrong"].values()),
        *(-np.array(mistake) for mistake in variant["wrong"].values()),
        *(10 * np.array(mistake) for mistake in [*variant["wrong"].values()][:3]),
        [987_654.25],
        [*right, 3],
        [*right, 99_999],
        right[1:],
        right[:-1],
    ]
    of_question = [numbers[0] for numbers in of_question if not isinstance(numbers, str)]
    wrong += [right[::-1], [], *([a + b] for a, b in pairwise(of_question))]
    wrong += [-values, values + 1, values - 1, values + 0.3, values * 0.9973, values * 1.00004]
    with np.errstate(all="ignore"):
        for row in RELATED if seed < 2 else ():
            change = getattr(np, row.get("function", "positive"))
            powers = np.power(change(values.astype(float)), row.get("power", 1))
            wrong.append(row.get("times", 1) * powers + row.get("plus", 0))
    wrong += [values * 37.3, values / 5_311, values + 40]
    wrong += [values * 0, values + 2 * np.pi, np.roll(values, 1), values * -5, np.round(values, 2)]
    wrong += [np.trunc(values * 1_000) / 1_000, values + np.arange(len(right)), values + 1e-3]
    wrong += [np.append(values[:-1], values[-1] + step) for step in (1, -1, 0.5, 8)]
    finite = [[float(f"{x:.12g}") for x in some] for some in wrong if np.isfinite(some).all()]
    texts = [" ".join(repr(x) for x in some) for some in finite]
    texts += [" ".join(f"{x:,.12g}" for x in some) for some in finite[:3]]
    # the text 5,997 may mean 5.997 or 5997, depending on the reader's country
    texts.append("; ".join(f"{x:.3f}" for x in right).replace(".", ","))
    return [*texts, *(" ".join(f"{x:.4g}" for x in some) for some in finite[:6]), "1e999", "abc"]


def check_in_notebook(question: Question, text: str, seed: int) -> tuple[list[str], str]:
    """Return the message that the page must show, and the relation that the notebook found."""
    if not text.strip():
        return ["open", "○ Not answered yet.", ""], ""
    value = parse_answer(question.kind, text)
    if question.kind != "choice" and isinstance(value, str):
        return ["open", "○ This is not a number."], ""
    result = grade(question, {question.answer: text}, seed)
    if result.status == "right":
        return ["right", "✓ Right.", result.hint], ""
    # infinity is rejected before any comparison, so the message has no second part
    if text == "1e999":
        return ["wrong", "✗ Not yet."], ""
    hint = render_markup(result.hint) + STEP * bool(result.relation)
    return ["wrong", "✗ Not yet.", hint], result.relation


def relations_on_the_page(folder: Path, seeds: range) -> Counter[str]:
    """Check that the page and the notebook show the same messages, for the numbers of some seeds.

    The answers that are tried are right, contain a known mistake, have a relation to the right
    value, or are nonsense. Return how often each relation was found.
    """
    answers = []
    for question in QUESTIONS:
        page_question = quiz.describe_question(question)
        for seed, variant in enumerate(page_question["variants"][: seeds.stop]):
            texts = typed_answers(question, seed, variant)
            answers.append(
                (question, seed, {"asked": page_question, "variant": seed, "tries": texts})
            )
    examples = [(kind, text) for kind, text, _ in CASES if kind != "choice"]
    file = folder / "cases.json"
    cases = {"typed": examples, "answers": [c for _, _, c in answers]}
    file.write_text(json.dumps(cases), "utf-8")
    quiz.write_relations()
    command = [NODE, HERE / "answers.mjs", quiz.MODULES, file]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    output = json.loads(run.stdout)
    for (kind, text), read in zip(examples, output["read"], strict=True):
        value = TYPED[kind][text]
        if value is None:
            assert None in read, text
        elif value == "infinity":
            assert read == [None], text  # null is written, because JSON has no infinity
        else:
            assert read == pytest.approx(as_numbers(value), rel=1e-14), text
    counts: Counter[str] = Counter()
    for (question, seed, case), messages in zip(answers, output["messages"], strict=True):
        for text, message in zip(case["tries"], messages, strict=True):
            expected, relation = check_in_notebook(question, text, seed)
            counts[relation] += 1
            assert message[: len(expected)] == expected, (question.name, seed, text)
    return counts


@pytest.mark.skipif(not NODE, reason="node is not installed; the site's build needs it")
def test_the_page_reads_and_says_what_the_notebook_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "find_slip", lambda *_: "")  # the page does not search for slips
    kinds = {row["name"] for row in RELATED} | {
        "rounded", "unrounded", "count", "swapped", "order", "side", "near", "large", "small",
        "missing", "extra", "mixed", "too_early", "too_late", "put_together", "partial", "double",
    }  # fmt: skip
    related = set(relations_on_the_page(tmp_path, range(1)))
    assert kinds <= related, "every relation is tried"
    assert related - {""} <= set(IN_WORDS), "each has words on the page of a class"


def test_answers_in_a_browser_are_found_again() -> None:
    """Check that the answer stored in a browser is still found after its question has changed."""
    for question in quiz.page_questions(CONTENT):
        other = replace(question, hints=("Think.",))
        assert quiz.storage_key(other) == quiz.storage_key(question) == f"99-small {question.name}"
        assert quiz.question_version(other) != quiz.question_version(question)


# --- Messages about arrays that differ from the correct arrays in a known way ---

GRID = np.random.default_rng(0).normal(size=(6, 6))
LINE = np.random.default_rng(1).normal(size=8)


def change_entry(values: Any, at: Any, to: Any = 9.0) -> Any:
    values = values.copy()
    values[at] = to
    return values


@pytest.mark.parametrize(
    ("name", "yours", "right"),
    [
        ("transposed", GRID[:, :4].T, GRID[:, :4]),
        ("reversed", GRID[:, ::-1], GRID),
        ("moved", np.roll(LINE, 1), LINE),
        ("moved", change_entry(np.roll(GRID, -1, 1), np.s_[:, 5:]), GRID),
        ("pairs_swapped", GRID[:, [1, 0, 3, 2, 5, 4]], GRID),
        ("halves", GRID[:, [0, 2, 4, 1, 3, 5]], GRID),
        ("halves", GRID[:, [0, 3, 1, 4, 2, 5]], GRID),
        ("shape", GRID[:4], GRID),
        ("shape", LINE, GRID),
        ("constant", LINE * 0 + 3, LINE),
        ("sign", np.abs(LINE), LINE),
        ("scaled", LINE * 1.7, LINE),
        ("degrees", np.array(45.0), np.array(np.pi / 4)),
        ("moved", np.roll(GRID, 1, 0), GRID),
        ("offset", LINE + 0.7, LINE),
        ("imprecise", np.float64(np.float16(LINE)), LINE),
        ("cut", GRID[1:], GRID),
        ("cut", np.hstack([GRID, GRID[:, :1]]), GRID),
        ("elsewhere", GRID[[3, 0, 4, 1, 5, 2]], GRID),
        ("aggregate", GRID, GRID.mean(1)),
        ("too_many", GRID, GRID[2]),
        ("whole", np.trunc(3 * GRID), 3 * GRID),
        ("whole", np.ceil(3 * GRID), 3 * GRID),
        ("differs", np.array([0, 1, 0, 1]), np.ones(4)),  # both arrays hold truth values
        ("differs", np.append(LINE, [0, 0]), np.append(LINE, [0.02, 0.3])),  # never filled in
        ("differs", np.array(4.0), np.array(5.0)),
        ("differs", np.array(8.0), np.array(4.0)),
    ],
)
def test_how_arrays_are_related_is_known(name: str, yours: Any, right: Any) -> None:
    assert relate_arrays([(np.asarray(yours, float), np.asarray(right, float))], 1e-5).name == name
    assert name in IN_WORDS


def test_arrays_at_random_are_related_in_no_way() -> None:
    rng = np.random.default_rng(5)
    for shape in [(), (3,), (4, 4), (2, 3, 4)] * 50:
        yours, right = rng.normal(size=shape), rng.normal(size=shape)
        assert relate_arrays([(np.asarray(yours), np.asarray(right))], 1e-5).text == ""


@pytest.mark.parametrize(
    ("yours", "right", "name"),
    [
        (0.25 * 37, 0.25, "by_given"),
        (0.25 / 37**0.5, 0.25, "by_given"),
        (0.25 + 6 * math.pi, 0.25, "turns_off"),
        (0, -33.9, "side"),  # 0 is not e to the power of anything
        (37.25, 0.25, "by_given"),
        (1237.1, 1200.0, "large"),  # this number is 1200 + 37 + 0.1
        (37 * 28, 0.25, "put_together"),
        (0.25 * 36, 0.25, "large"),
    ],
)
def test_a_number_of_the_question_in_the_way_is_told(yours: float, right: float, name: str) -> None:
    assert relate_numbers([yours], [right], 1e-4, [37.0, 28.0]).name == name


def test_numbers_at_random_are_seldom_related_by_chance() -> None:
    """Check that under 2 % of random numbers seem to have a relation to the correct number."""
    rng = np.random.default_rng(6)
    tries = 2_000
    relations = [
        relate_numbers([float(f"{rng.uniform(0.01, 5):.4g}")], [rng.uniform(0.01, 5)], 1e-4).name
        for _ in range(tries)
    ]
    assert sum(name not in ("large", "small", "side", "near") for name in relations) < tries / 50


# --- Unknown words in a table raise an error when the table is read ---


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"tmies": 2}, "relations.toml, twice: no field is called tmies; there are name, words, a"),
        (
            {"function": "exq"},
            "relations.toml, twice: there is no function 'exq'; there are exp, l",
        ),
    ],
)
def test_an_unknown_word_in_the_relations_is_an_error(row: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        relation.read_rules([{"name": "twice", "words": "twice the right value"} | row])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"oftn": []}, "the tables are often, sometimes, seldom"),
        ({"often": [{"right": "_a", "wrnog": "-_a", "words": "a"}]}, "the fields are right, wrong"),
    ],
)
def test_an_unknown_word_in_the_slips_is_an_error(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        slips.read_rules({"often": [], "sometimes": [], "seldom": []} | table)
