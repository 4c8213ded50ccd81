"""Test that Moodle gives full points to right answers, and the right feedback to known mistakes.

These tests use two sheets. The tests in test_platforms.py use all sheets and sets of numbers.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as Xml

import moodle_rules
import numpy as np
import pytest
import small

from classroom.packages import moodle
from pe_lib.course.grading.check import judge
from pe_lib.course.grading.outcome import compute_outcome, reference_outcomes
from pe_lib.course.grading.relation import is_near
from pe_lib.course.grading.sheet import Content, Question, load, parse

Check = Callable[[Question, int, Xml.Element], None]


def quiz_tree(content: Content, seeds: range) -> Xml.Element:
    return Xml.fromstring(moodle.quiz(content, seeds).encode())


def question_element(content: Content, name: str) -> Xml.Element:
    return moodle_rules.questions(quiz_tree(content, range(1)))[f"{content.name[:2]}-{name}-0"]


def drawn_questions(content: Content, seeds: range) -> Iterator[tuple[Question, int, Xml.Element]]:
    """For each question and seed, yield the question, the seed, and the question's XML."""
    elements = moodle_rules.questions(quiz_tree(content, seeds))
    for question in content.questions.values():
        if question.kind == "code":
            continue
        for seed in seeds if question.given_code else [0]:
            yield question, seed, elements.pop(f"{content.name[:2]}-{question.name}-{seed}")
    assert not elements


def typed_values(question: Question, seed: int) -> dict[str, np.ndarray]:
    """Return the finite numbers that the solution and each known mistake give, by their names."""
    values = {
        name: parts["answer"][0] for name, parts in reference_outcomes(question, seed).items()
    }
    return {
        name: np.ravel(value)
        for name, value in values.items()
        if isinstance(value, np.ndarray) and value.size and np.isfinite(value).all()
    }


def typed_texts(values: np.ndarray) -> list[str]:
    return [f"{value:.10g}" for value in values]


def strip_markup(markup: str) -> str:
    return re.sub(r"<[^>]*>", "", markup)


def mistake_text(question: Question, mistake: str) -> str:
    return strip_markup(moodle.inline(next(m.text for m in question.mistakes if m.name == mistake)))


def check_number(question: Question, seed: int, element: Xml.Element) -> None:
    """Check points and feedback for the right number, for mistakes, and for numbers near these.

    Moodle compares a number with a tolerance, so it may miss a mistake whose number was rounded.
    """
    numbers = typed_values(question, seed)
    answers = [value for value in numbers.values() if value.size == 1]
    tried_values = [*answers]
    for value in answers if seed < 3 else ():
        margin = question.tolerance * (1 + np.abs(value))
        tried_values += [value + share * margin for share in (-1.05, -0.95, 0.95, 1.05)]
        tried_values += [value * 1.004, value + 1, value - 0.37, -value]
    texts = {mistake.name: mistake_text(question, mistake.name) for mistake in question.mistakes}
    for value in tried_values:
        result = judge(question, compute_outcome(question, value), seed)
        [reply] = moodle_rules.grade(element, [repr(float(value[0]))])
        assert reply.share == (result.status == "right"), value
        named_mistakes = [
            name for name, text in texts.items() if text == strip_markup(reply.feedback)
        ]
        expected = [result.mistake] if result.mistake else []
        if expected and not is_near(value[0], numbers[expected[0]][0], question.tolerance):
            expected = named_mistakes and expected
        assert result.status == "right" or named_mistakes == expected


def check_numbers(question: Question, seed: int, element: Xml.Element) -> None:
    """Check the points for each number of an answer, and the feedback for each known mistake."""
    answers = typed_values(question, seed)
    right = answers.pop("solution")
    margin = question.tolerance * (1 + np.abs(right))
    assert all(reply.share == 1 for reply in moodle_rules.grade(element, typed_texts(right)))
    for name, value in answers.items():
        if value.size != right.size:
            continue
        replies = moodle_rules.grade(element, typed_texts(value))
        close = np.abs(value - right) <= margin
        assert [reply.share for reply in replies] == close.tolist(), name
        assert not close.all()
        for reply in replies:
            assert reply.share or mistake_text(question, name) in strip_markup(reply.feedback), name


def check_set(question: Question, seed: int, element: Xml.Element) -> None:
    """Check that a set of numbers is recognised in every spelling."""
    answers = typed_values(question, seed)
    right = np.unique(answers["solution"])
    for values in (*answers.values(), right[:-1], np.append(right, right[-1] + 1)):
        numbers = np.unique(values)
        if not len(numbers) or (numbers != np.round(numbers)).any():
            continue
        result = judge(question, compute_outcome(question, numbers), seed)
        texts = [between.join(str(int(n)) for n in numbers) for between in (", ", ",", " ", "; ")]
        for form in (*texts, f"[{texts[0]}]"):
            [reply] = moodle_rules.grade(element, [form])
            assert reply.share == (result.status == "right"), form
            assert not result.mistake or mistake_text(question, result.mistake) in strip_markup(
                reply.feedback
            )


def check_choice(question: Question, seed: int, element: Xml.Element) -> None:
    texts = [answer.findtext("text") or "" for answer in element.findall("answer")]
    for key, text in zip(question.choices, texts, strict=True):
        result = judge(question, compute_outcome(question, key), seed)
        [reply] = moodle_rules.grade(element, [text])
        assert reply.share == (result.status == "right")
        assert strip_markup(reply.feedback) == strip_markup(moodle.inline(result.hint))


CHECKS: dict[str, Check] = {
    "number": check_number, "numbers": check_numbers, "set": check_set, "choice": check_choice
}  # fmt: skip

# Moodle's importer (question/format/xml/format.php) reads these parts of a question
HEAD = ("name/text", "questiontext/text", "defaultgrade", "penalty", "hint")


def check_importer_reads(element: Xml.Element) -> None:
    assert not [path for path in HEAD if element.find(path) is None]
    shares = [answer.get("fraction") for answer in element.findall("answer")]
    assert set(shares) <= {"0", "100"}
    assert shares.count("100") >= (element.get("type") != "multianswer")
    for field in moodle_rules.cloze(element.findtext("questiontext/text") or ""):
        assert [reply.share for *_, reply in field] == [1] + [0] * (len(field) - 1)


def check_no_markdown(element: Xml.Element) -> None:
    """Check that a question contains no Markdown, and that Moodle knows its formula delimiters."""
    everything = "".join(element.itertext())
    cut = re.sub(r"\{1:NUMERICAL:.*?\}(?=</p>)", "", everything, flags=re.DOTALL)
    code = re.compile(r'<pre>.*?</pre>|<span class="nolink">.*?</span>', re.DOTALL)
    prose = re.sub(r"\\\(.*?\\\)|\\\[.*?\\\]", "", code.sub("", cut), flags=re.DOTALL)
    for sign in ("$", "<code>", "`", "**", "![", "](", "| ---", "\\", "(n)", "(y)", ":)", "8-)"):
        # Moodle replaces the last four of these strings by emoticons
        assert sign not in prose, (sign, prose)


# The numbers that these mistakes give cannot be typed into Moodle's form.
# Either they do not fit the form's fields, or they are a set with fractions in it.
NOT_TYPED = {
    ("00", "batch_shapes", "no_batch"),
    ("00", "batch_shapes", "table_with_batch"),
    ("00", "word_in_pieces", "word_number"),
    ("00", "word_in_pieces", "first_only"),
    ("01", "moved_rows", "row_alone"),
    ("02", "whole_vector", "sines_alone"),
    ("02", "whole_vector", "angles"),
    ("04", "cosine_alone", "arccosine"),
}


def check_sheet(content: Content, seeds: range) -> None:
    left = set()
    for question, seed, element in drawn_questions(content, seeds):
        CHECKS[question.kind](question, seed, element)
        check_importer_reads(element)
        check_no_markdown(element)
        fields = moodle_rules.cloze(element.findtext("questiontext/text") or "")
        all_text = strip_markup("".join(element.itertext()))
        all_text += strip_markup(
            " ".join(reply.feedback for field in fields for *_, reply in field)
        )
        left |= {
            (content.name[:2], question.name, mistake.name)
            for mistake in question.mistakes
            if mistake_text(question, mistake.name) not in all_text
        }
    assert left == {entry for entry in NOT_TYPED if entry[0] == content.name[:2]}


@pytest.mark.parametrize("number", ["01", "04"])
def test_moodle_tells_what_the_notebook_tells(number: str) -> None:
    check_sheet(load(number), range(2))


def test_a_small_sheet_is_one_file_with_a_category_a_question() -> None:
    content = parse(small.TEXT.replace("## A number", "## One/two"), "00-small")
    path = quiz_tree(content, range(3)).findtext("question/category/text")
    assert path == "top/Order Matters/00 Small/1 One//two", "a slash makes no category"


# --- Correct and incorrect values that are close together ---

NEAR = (Path(__file__).parent / "close_values.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("typed_text", "share", "start"),
    [
        ("8.95", 1, ""),
        # two known mistakes lie within the tolerance of this correct number
        ("11.05", 1, ""),
        ("11.15", 0, "Either: You forgot a } ~ and a {. Or: Same."),
        ("-10.2", 0, moodle.WRONG_SIGN),
        ("13.5", 0, "No mistake that is known gives this."),
    ],
)
def test_near_the_right_answer_the_right_one_wins(
    typed_text: str, share: float, start: str
) -> None:
    [reply] = moodle_rules.grade(question_element(parse(NEAR, "99-near"), "one"), [typed_text])
    assert (reply.share, strip_markup(reply.feedback)[: len(start)]) == (share, start)
    assert not share or not reply.feedback


def test_what_cloze_takes_for_its_own_comes_through() -> None:
    first, second = moodle_rules.grade(
        question_element(parse(NEAR, "99-near"), "two"), ["3.5", "2.5"]
    )
    expected = moodle.ONE_OF_SEVERAL + " Either: A } ~ &amp; a {, 1 &lt; 2. Or: Both wrong."
    assert strip_markup(first.feedback) == expected
    assert strip_markup(second.feedback) == moodle.ONE_OF_SEVERAL + " Both wrong."


def test_a_picture_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"a picture can't be carried over to Moodle: !\[A curve\]"
    ):
        moodle.block("Look.\n\n![A curve](curve.png)")
