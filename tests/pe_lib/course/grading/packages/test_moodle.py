"""Moodle's questions: the right answer wins, each mistake is told its own text, nothing is lost."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from pe_lib.course.grading.check import grade
from pe_lib.course.grading.outcome import known
from pe_lib.course.grading.packages import moodle, replies, web
from pe_lib.course.grading.sheet import Content, Question, load, names, parse
from tests.pe_lib.course.grading import small
from tests.pe_lib.course.grading.packages import moodling

SEEDS = range(moodle.DRAWS)
every_sheet = pytest.mark.parametrize("content", [load(name) for name in names()], ids=names())


def drawn(content: Content) -> Iterator[tuple[Question, int, Xml.Element]]:
    """Each question with each seed, and what Moodle would import for it, read from the file."""
    text = Xml.tostring(moodle.quiz(content, SEEDS), encoding="utf-8", xml_declaration=True)
    found = moodling.questions(Xml.fromstring(text))
    for question in moodle.without_code(content):
        for seed in SEEDS if question.given_code else [0]:
            yield question, seed, found.pop(f"{content.name[:2]}-{question.name}-{seed}")
    assert not found


def given(question: Question, seed: int) -> dict[str, np.ndarray]:
    """What the solution and each mistake give, as numbers that can be typed."""
    values = {name: parts["answer"][0] for name, parts in known(question, seed).items()}
    return {
        name: np.ravel(value)
        for name, value in values.items()
        if isinstance(value, np.ndarray) and value.size and np.isfinite(value).all()
    }


def spelled(values: np.ndarray) -> list[str]:
    return [f"{value:.10g}" for value in values]


@every_sheet
def test_a_number_gets_the_points_and_the_text_that_the_notebook_gives(content: Content) -> None:
    """The right one, each mistake, what lies near the edges of both, and a few others."""
    rng = np.random.default_rng(1)
    for question, seed, element in drawn(content):
        if question.kind != "number":
            continue
        answers = given(question, seed)
        tried = list(answers.values())
        for value in answers.values() if seed < 3 else ():
            margin = question.tolerance * (1 + np.abs(value))
            tried += [value + share * margin for share in (-1.05, -0.95, 0.95, 1.05)]
            tried += [value * 1.004, value + rng.choice([-1, 0.3, 1]), -value]
        for value in tried:
            if value.size != 1:
                continue
            result = grade(question, {question.answer: value}, seed)
            [told] = moodling.grade(element, [repr(float(value[0]))])
            assert told.share == (result.status == "right"), (question.name, seed, value)
            if result.mistake:
                words = next(m.text for m in question.mistakes if m.name == result.mistake)
                assert plain(told.feedback) == plain(web.inline(words)), (question.name, seed)
            elif result.status != "right":
                others = [plain(web.inline(mistake.text)) for mistake in question.mistakes]
                assert plain(told.feedback) not in others, (question.name, seed, value)
                said = plain(told.feedback)
                right = float(answers["solution"][0])
                at_zero = abs(value[0]) < 1e-9 * abs(right)  # nearer than Moodle's ranges end
                assert at_zero or true_of(said, float(value[0]), right), said


def true_of(said: str, yours: float, right: float) -> bool:
    """Whether a sentence on how a number is related to the right one is true, read anew."""
    if said.startswith(moodle.UNKNOWN):
        return abs(yours) > 1e5 * abs(right)
    ratio = yours / right
    for words, holds in {
        replies.SIGN: abs(ratio + 1) < 1e-2,
        replies.MORE: abs(yours - right - 1) < 0.5,
        replies.LESS: abs(yours - right + 1) < 0.5,
        replies.NEAR: abs(ratio - 1) < 0.0101,
        "Yours should be above 0": yours <= 0 < right,
        "Yours should be below 0": yours >= 0 > right,
        "Yours is too large, more than 10 times": right > 0 and ratio > 9.99,
        "Yours is too large in size, more than 10 times": right < 0 and ratio > 9.99,
        "Yours is too large.": right > 0 and ratio > 1,
        "Yours is too large in size.": right < 0 and ratio > 1,
        "Yours is too small, less than a tenth": right > 0 and 0 < ratio < 0.101,
        "Yours is too small in size, less than a tenth": right < 0 and 0 < ratio < 0.101,
        "Yours is too small.": right > 0 and 0 < ratio < 1,
        "Yours is too small in size.": right < 0 and 0 < ratio < 1,
    }.items():
        if said.startswith(words):
            return holds
    return False


@every_sheet
def test_of_several_numbers_each_has_its_share_and_says_which_mistake_it_fits(
    content: Content,
) -> None:
    for question, seed, element in drawn(content):
        if question.kind != "numbers":
            continue
        answers = given(question, seed)
        right = answers.pop("solution")
        assert all(told.share == 1 for told in moodling.grade(element, spelled(right)))
        for name, value in answers.items():
            if value.size != right.size:
                continue
            told = moodling.grade(element, spelled(value))
            close = np.abs(value - right) <= question.tolerance * (1 + np.abs(right))
            assert [one.share for one in told] == close.tolist(), (question.name, name, seed)
            text = plain(web.inline(next(m.text for m in question.mistakes if m.name == name)))
            assert not close.all()
            for one in told:
                assert one.share or text in plain(one.feedback), (question.name, name, seed)
        for digits in range(12):
            rounded = np.round(right, digits)
            if (np.abs(rounded - right) <= question.tolerance * (1 + np.abs(right))).all():
                assert all(told.share for told in moodling.grade(element, spelled(rounded)))


@every_sheet
def test_a_set_is_known_however_it_is_spelled(content: Content) -> None:
    for question, seed, element in drawn(content):
        if question.kind != "set":
            continue
        answers = given(question, seed)
        right = np.unique(answers["solution"])
        for values in (*answers.values(), right[:-1], np.append(right, right[-1] + 1)):
            numbers = np.unique(values)
            if not len(numbers) or (numbers != np.round(numbers)).any():
                continue
            result = grade(question, {question.answer: numbers}, seed)
            for between in (", ", ",", " ", "; "):
                text = between.join(str(int(number)) for number in numbers)
                for form in (text, f"[{text}]") if between == ", " else (text,):
                    [told] = moodling.grade(element, [form])
                    assert told.share == (result.status == "right"), (question.name, seed, form)
                    if result.mistake:
                        mistakes = {m.name: m.text for m in question.mistakes}
                        words = plain(web.inline(mistakes[result.mistake]))
                        assert words in plain(told.feedback), (question.name, seed, form)
        [told] = moodling.grade(element, ["no numbers"])
        assert (told.share, moodle.IN_ORDER in told.feedback) == (0, True)


def test_that_there_are_none_can_be_typed_and_is_told_its_mistake() -> None:
    question = load("01").questions["under_a_mask"]
    words = grade(question, {question.answer: []}, 3).hint
    assert words == next(m.text for m in question.mistakes if m.name == "none")
    element = moodle.asked(question, 3)
    for text in ("none", "None", "[]", "{}", "∅"):
        [told] = moodling.grade(element, [text])
        assert (told.share, plain(told.feedback)) == (0, plain(web.inline(words))), text


# In a form with a field for each number: those that are another count. Of a set: what is not whole.
NOT_TYPED = {
    ("00", "batch_shapes", "no_batch"),
    ("00", "batch_shapes", "table_with_batch"),
    ("00", "word_in_pieces", "word_number"),
    ("00", "word_in_pieces", "first_only"),
    ("01", "moved_rows", "row_alone"),
    ("02", "whole_vector", "sines_alone"),
    ("02", "whole_vector", "angles"),
    ("04", "all_candidates", "arcsine"),
}


@every_sheet
def test_each_mistake_that_can_be_typed_is_there_with_its_text(content: Content) -> None:
    left = set()
    for question, _, element in drawn(content):
        said = plain("".join(element.itertext()))
        fields = moodling.cloze(element.findtext("questiontext/text") or "")
        said += plain(" ".join(told.feedback for field in fields for *_, told in field))
        left |= {
            (content.name[:2], question.name, mistake.name)
            for mistake in question.mistakes
            if plain(web.inline(mistake.text)) not in said
        }
    assert left == {one for one in NOT_TYPED if one[0] == content.name[:2]}


@every_sheet
def test_each_choice_has_its_own_text(content: Content) -> None:
    for question, seed, element in drawn(content):
        if question.kind != "choice":
            continue
        texts = [answer.findtext("text") or "" for answer in element.findall("answer")]
        for key, text in zip(question.choices, texts, strict=True):
            result = grade(question, {question.answer: key}, seed)
            [told] = moodling.grade(element, [text])
            assert told.share == (result.status == "right")
            assert plain(told.feedback) == plain(web.inline(result.hint))


def plain(markup: str) -> str:
    return re.sub(r"<[^>]*>", "", markup)


# What the importer reads (question/format/xml/format.php), by type: path and how many at least
HEAD = ("name/text", "questiontext/text", "generalfeedback/text", "defaultgrade", "penalty")
WANTED = {
    "numerical": ("answer/text", "answer/tolerance", "answer/feedback/text"),
    "shortanswer": ("usecase", "answer/text", "answer/feedback/text"),
    "multichoice": ("single", "shuffleanswers", "answernumbering", "answer/text"),
    "multianswer": (),
}
EMOTICONS = ("(n)", "(y)", "(h)", ":)", ":(", ":-", "8-)", "8-.", "8-[", "B-)", "^-)", "}-]", "|-.")


@every_sheet
def test_the_file_is_what_the_importer_reads(content: Content) -> None:
    tree = moodle.quiz(content, SEEDS)
    assert {element.tag for element in tree} == {"question"}
    category = ""
    for element in tree:
        kind = element.get("type", "")
        if kind == "category":
            category = element.findtext("category/text") or ""
            assert category.startswith("top/Order Matters/"), category
            continue
        assert category
        for path in (*HEAD, *WANTED[kind]):
            assert all(found.text or path.endswith("feedback/text")
                       for found in element.findall(path)), path  # fmt: skip
            assert element.find(path) is not None, (kind, path)
        shares = [answer.get("fraction") for answer in element.findall("answer")]
        assert set(shares) <= {"0", "100"}
        assert shares.count("100") >= (kind != "multianswer")
        hints = [hint.get("format") for hint in element.findall("hint")]
        assert set(hints) == {"html"}, "each question has a hint"
        for field in moodling.cloze(element.findtext("questiontext/text") or ""):
            assert [told.share for *_, told in field] == [1] + [0] * (len(field) - 1)
        assert len(element.findtext("name/text") or "") <= 255
        assert len(element.findtext("idnumber") or "") <= 100


@every_sheet
def test_no_markdown_is_left_and_formulas_are_written_for_moodle(content: Content) -> None:
    for question, seed, element in drawn(content):
        cut = re.sub(r"\{1:NUMERICAL:.*?\}(?=</p>)", "", "".join(element.itertext()), flags=re.S)
        texts = [cut, *(told.feedback for field in moodling.cloze("".join(element.itertext()))
                        for *_, told in field)]  # fmt: skip
        for text in texts:
            code = re.compile(r'<pre>.*?</pre>|<span class="nolink">.*?</span>', re.DOTALL)
            prose = code.sub("", text)
            assert prose.count("<code>") == 0
            assert prose.count(r"\(") == prose.count(r"\)"), (question.name, seed)
            assert prose.count(r"\[") == prose.count(r"\]"), (question.name, seed)
            prose = re.sub(r"\\\(.*?\\\)|\\\[.*?\\\]", "", prose, flags=re.DOTALL)
            for sign in ("$", "`", "**", "![", "](", "| ---", "\\", *EMOTICONS):
                assert sign not in prose, (question.name, seed, sign, prose)
            assert not re.search(r"\*\w|^(- |\d+\. |\|)", prose.replace("*</", ""), re.MULTILINE)


def test_the_same_sheet_is_the_same_file_and_a_change_has_another_id() -> None:
    content = parse(small.TEXT, "00-small")
    first, again = (Xml.tostring(moodle.quiz(content, SEEDS)) for _ in range(2))
    assert first == again
    question = content.questions["double"]
    other = replace(question, prompt=question.prompt + " Now.")
    old, new = (moodle.asked(q, 3).findtext("idnumber") or "" for q in (question, other))
    assert old.startswith("00-double-3-")
    assert new.startswith("00-double-3-")
    assert old != new


NEAR = """\
# Near

What lies close together.

## One number
id: one | kind: number | points: 1 | tolerance: 0.1

How many?

### Start
```python
one = ...
```

### Solution
Ten.

```python
one = 10.0
```

### Mistake `inside`: within the tolerance of the right one
Inside.

```python
one = 10.5
```

### Mistake `beside`: overlapping it
You forgot a `}` ~ and a {.

```python
one = 12.0
```

### Mistake `same`: the same
Same.

```python
one = 12.0
```

## Two numbers
id: two | kind: numbers | points: 1 | tolerance: 1e-3

Which?

### Start
```python
two = ...
```

### Solution
Both.

```python
two = [1.5, -2.5]
```

### Mistake `first`: the first
A `}` ~ & a `{`, 1 < 2.

```python
two = [3.5, -2.5]
```

### Mistake `both`: both
Both wrong.

```python
two = [3.5, 2.5]
```
"""


def test_near_the_right_answer_the_right_one_wins_and_equal_mistakes_share_a_text() -> None:
    content = parse(NEAR, "99-near")
    one = moodle.asked(content.questions["one"], 0)
    for text, share, said in [
        ("10", 1, ""),
        ("11.05", 1, ""),  # in the reach of both mistakes, too
        ("8.95", 1, ""),
        ("11.15", 0, "Either: You forgot a } ~ and a {. Or: Same."),
        ("-10.2", 0, replies.SIGN),
        ("10.95", 1, ""),
        ("13.5", 0, f"Yours is too large. {replies.NO_HINT}"),
        ("-3", 0, f"Yours should be above 0. {replies.NO_HINT}"),
        ("0", 0, f"Yours should be above 0. {replies.NO_HINT}"),
        ("0.9", 0, f"Yours is too small, less than a tenth of the right value. {replies.NO_HINT}"),
        ("2e8", 0, moodle.UNKNOWN + replies.NO_HINT),
    ]:
        [told] = moodling.grade(one, [text])
        assert (told.share, plain(told.feedback)) == (share, said), text


def test_what_cloze_takes_for_its_own_comes_through() -> None:
    content = parse(NEAR, "99-near")
    element = moodle.asked(content.questions["two"], 0)
    first, second = moodling.grade(element, ["3.5", "2.5"])
    told = moodle.ONE_OF_SEVERAL + "Either: A } ~ &amp; a {, 1 &lt; 2. Or: Both wrong."
    assert plain(first.feedback) == told
    assert plain(second.feedback) == moodle.ONE_OF_SEVERAL + "Both wrong."
    [one, other] = moodling.grade(element, ["1.51", "-2.5"])
    assert (one.share, plain(one.feedback), other.share) == (0, replies.NEAR, 1)


def test_beside_zero_it_says_too_large_or_too_small() -> None:
    content = parse(NEAR.replace("two = [1.5, -2.5]", "two = [0, 4]"), "99-near")
    element = moodle.asked(content.questions["two"], 0)
    for text, share, said in [("0", 1, ""), ("-7", 0, "Yours is too small."),
                              ("7", 0, "Yours is too large."), ("1", 0, replies.MORE)]:  # fmt: skip
        told, _ = moodling.grade(element, [text, "4"])
        assert (told.share, plain(told.feedback).startswith(said)) == (share, True), text


def test_a_small_sheet_has_all_that_can_be_typed() -> None:
    content = parse(small.TEXT, "00-small")
    double = moodle.asked(content.questions["double"], 4)
    known = [answer.findtext("feedback/text") or "" for answer in double.findall("answer")]
    assert known[1] == ('You <em>squared</em> it, <span class="nolink"><code>x * x</code></span>.')
    assert "You gave a text." not in known
    assert r"Not \(\frac{1}{2}\)." in (double.findtext("questiontext/text") or "")
    assert [hint.findtext("text") for hint in double.findall("hint")] == [
        "<p>Add it to itself.</p>",
        "<p>Then look again.</p>",
    ]


def test_a_slash_in_a_title_makes_no_category() -> None:
    content = parse(NEAR.replace("## One number", "## One/two"), "99-near")
    paths = [path.text for path in moodle.quiz(content, SEEDS).iterfind("question/category/text")]
    assert paths[0] == "top/Order Matters/99 Near/1 One//two"


def test_a_picture_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a picture can't be carried over yet: !\[A curve\]"):
        web.block("Look.\n\n![A curve](curve.png)")


def test_a_table_keeps_its_empty_corner() -> None:
    made = web.block("| | a |\n| --- | --- |\n| b | 1 |")
    assert made == "<table><tr><th></th><th>a</th></tr><tr><td>b</td><td>1</td></tr></table>"


def test_what_is_written_is_not_written_over(tmp_path: Path) -> None:
    content = load("04")
    said = moodle.write(content, tmp_path)
    path = tmp_path / f"{content.name}.xml"
    assert said.startswith(f"Written: {path}: 7 questions, 61 counting each set of numbers.")
    assert len(moodling.questions(Xml.parse(path).getroot())) == 61
    with pytest.raises(ValueError, match="is there already"):
        moodle.write(content, tmp_path)
