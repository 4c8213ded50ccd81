"""Moodle's questions: the right answer wins, each mistake is told its own text, nothing is lost.

Two sheets are tried here, and all of them with all sets of numbers in tests/nightly/grading.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as Xml

import moodling
import numpy as np
import pytest
import small

from classroom.packages import moodle
from pe_lib.course.grading.check import judge
from pe_lib.course.grading.outcome import compute_outcome, reference_outcomes
from pe_lib.course.grading.sheet import Content, Question, load, parse

Check = Callable[[Question, int, Xml.Element], None]


def tree(content: Content, seeds: range) -> Xml.Element:
    return Xml.fromstring(moodle.quiz(content, seeds).encode())


def one(content: Content, name: str) -> Xml.Element:
    return moodling.questions(tree(content, range(1)))[f"{content.name[:2]}-{name}-0"]


def drawn(content: Content, seeds: range) -> Iterator[tuple[Question, int, Xml.Element]]:
    """Each question with each seed, and what Moodle would import for it, read from the file."""
    found = moodling.questions(tree(content, seeds))
    for question in content.questions.values():
        if question.kind == "code":
            continue
        for seed in seeds if question.given_code else [0]:
            yield question, seed, found.pop(f"{content.name[:2]}-{question.name}-{seed}")
    assert not found


def given(question: Question, seed: int) -> dict[str, np.ndarray]:
    """What the solution and each mistake give, as numbers that can be typed."""
    values = {
        name: parts["answer"][0] for name, parts in reference_outcomes(question, seed).items()
    }
    return {
        name: np.ravel(value)
        for name, value in values.items()
        if isinstance(value, np.ndarray) and value.size and np.isfinite(value).all()
    }


def spelled(values: np.ndarray) -> list[str]:
    return [f"{value:.10g}" for value in values]


def plain(markup: str) -> str:
    return re.sub(r"<[^>]*>", "", markup)


def words(question: Question, mistake: str) -> str:
    return plain(moodle.inline(next(m.text for m in question.mistakes if m.name == mistake)))


def a_number(question: Question, seed: int, element: Xml.Element) -> None:
    """The right one, each mistake, what lies near the edges of both, and a few others."""
    answers = [value for value in given(question, seed).values() if value.size == 1]
    tried = [*answers]
    for value in answers if seed < 3 else ():
        margin = question.tolerance * (1 + np.abs(value))
        tried += [value + share * margin for share in (-1.05, -0.95, 0.95, 1.05)]
        tried += [value * 1.004, value + 1, value - 0.37, -value]
    texts = {mistake.name: words(question, mistake.name) for mistake in question.mistakes}
    for value in tried:
        result = judge(question, compute_outcome(question, value), seed)
        [told] = moodling.grade(element, [repr(float(value[0]))])
        assert told.share == (result.status == "right"), value
        named = [name for name, text in texts.items() if text == plain(told.feedback)]
        assert result.status == "right" or named == [result.mistake][: bool(result.mistake)]


def several_numbers(question: Question, seed: int, element: Xml.Element) -> None:
    """Each has its share, and says which mistake it fits."""
    answers = given(question, seed)
    right = answers.pop("solution")
    margin = question.tolerance * (1 + np.abs(right))
    assert all(told.share == 1 for told in moodling.grade(element, spelled(right)))
    for name, value in answers.items():
        if value.size != right.size:
            continue
        told = moodling.grade(element, spelled(value))
        close = np.abs(value - right) <= margin
        assert [one.share for one in told] == close.tolist(), name
        assert not close.all()
        for one in told:
            assert one.share or words(question, name) in plain(one.feedback), name


def a_set(question: Question, seed: int, element: Xml.Element) -> None:
    """It is known however it is spelled."""
    answers = given(question, seed)
    right = np.unique(answers["solution"])
    for values in (*answers.values(), right[:-1], np.append(right, right[-1] + 1)):
        numbers = np.unique(values)
        if not len(numbers) or (numbers != np.round(numbers)).any():
            continue
        result = judge(question, compute_outcome(question, numbers), seed)
        texts = [between.join(str(int(n)) for n in numbers) for between in (", ", ",", " ", "; ")]
        for form in (*texts, f"[{texts[0]}]"):
            [told] = moodling.grade(element, [form])
            assert told.share == (result.status == "right"), form
            assert not result.mistake or words(question, result.mistake) in plain(told.feedback)


def a_choice(question: Question, seed: int, element: Xml.Element) -> None:
    texts = [answer.findtext("text") or "" for answer in element.findall("answer")]
    for key, text in zip(question.choices, texts, strict=True):
        result = judge(question, compute_outcome(question, key), seed)
        [told] = moodling.grade(element, [text])
        assert told.share == (result.status == "right")
        assert plain(told.feedback) == plain(moodle.inline(result.hint))


CHECKS: dict[str, Check] = {
    "number": a_number, "numbers": several_numbers, "set": a_set, "choice": a_choice
}  # fmt: skip

# What the importer reads (question/format/xml/format.php)
HEAD = ("name/text", "questiontext/text", "defaultgrade", "penalty", "hint")


def the_importer_reads(element: Xml.Element) -> None:
    assert not [path for path in HEAD if element.find(path) is None]
    shares = [answer.get("fraction") for answer in element.findall("answer")]
    assert set(shares) <= {"0", "100"}
    assert shares.count("100") >= (element.get("type") != "multianswer")
    for field in moodling.cloze(element.findtext("questiontext/text") or ""):
        assert [told.share for *_, told in field] == [1] + [0] * (len(field) - 1)


def no_markdown_is_left(element: Xml.Element) -> None:
    """And formulas are written for Moodle."""
    everything = "".join(element.itertext())
    cut = re.sub(r"\{1:NUMERICAL:.*?\}(?=</p>)", "", everything, flags=re.DOTALL)
    code = re.compile(r'<pre>.*?</pre>|<span class="nolink">.*?</span>', re.DOTALL)
    prose = re.sub(r"\\\(.*?\\\)|\\\[.*?\\\]", "", code.sub("", cut), flags=re.DOTALL)
    for sign in ("$", "<code>", "`", "**", "![", "](", "| ---", "\\", "(n)", "(y)", ":)", "8-)"):
        assert sign not in prose, (sign, prose)  # the last are emoticons in Moodle


# In a form with a field for each number: those that are another count. Of a set: what is not whole.
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


def moodle_tells_what_the_notebook_tells(content: Content, seeds: range) -> None:
    left = set()
    for question, seed, element in drawn(content, seeds):
        CHECKS[question.kind](question, seed, element)
        the_importer_reads(element)
        no_markdown_is_left(element)
        fields = moodling.cloze(element.findtext("questiontext/text") or "")
        said = plain("".join(element.itertext()))
        said += plain(" ".join(told.feedback for field in fields for *_, told in field))
        left |= {
            (content.name[:2], question.name, mistake.name)
            for mistake in question.mistakes
            if words(question, mistake.name) not in said
        }
    assert left == {one for one in NOT_TYPED if one[0] == content.name[:2]}


@pytest.mark.parametrize("number", ["01", "04"])
def test_moodle_tells_what_the_notebook_tells(number: str) -> None:
    moodle_tells_what_the_notebook_tells(load(number), range(2))


def test_a_small_sheet_is_one_file_with_a_category_a_question() -> None:
    content = parse(small.TEXT.replace("## A number", "## One/two"), "00-small")
    path = tree(content, range(3)).findtext("question/category/text")
    assert path == "top/Order Matters/00 Small/1 One//two", "a slash makes no category"


# --- Values that lie close together ---

NEAR = (Path(__file__).parent / "near.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("typed", "share", "said"),
    [
        ("8.95", 1, ""),
        ("11.05", 1, ""),  # in the reach of two mistakes, too
        ("11.15", 0, "Either: You forgot a } ~ and a {. Or: Same."),
        ("-10.2", 0, moodle.SIGN),
        ("13.5", 0, "No mistake that is known gives this."),
    ],
)
def test_near_the_right_answer_the_right_one_wins(typed: str, share: float, said: str) -> None:
    [told] = moodling.grade(one(parse(NEAR, "99-near"), "one"), [typed])
    assert (told.share, plain(told.feedback)[: len(said)]) == (share, said)
    assert not share or not told.feedback


def test_what_cloze_takes_for_its_own_comes_through() -> None:
    first, second = moodling.grade(one(parse(NEAR, "99-near"), "two"), ["3.5", "2.5"])
    told = moodle.ONE_OF_SEVERAL + " Either: A } ~ &amp; a {, 1 &lt; 2. Or: Both wrong."
    assert plain(first.feedback) == told
    assert plain(second.feedback) == moodle.ONE_OF_SEVERAL + " Both wrong."


def test_a_picture_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a picture can't be carried over yet: !\[A curve\]"):
        moodle.block("Look.\n\n![A curve](curve.png)")
