"""A sheet's questions without code as Moodle XML, with its mistakes as answers worth 0 %.

Moodle takes the first answer that fits (qtype_numerical_question::get_matching_answer), and so do
the parts of a Cloze question; tried with Moodle 4.5.6. A question for several numbers is a Cloze
question, with a field for each. A set is a short answer: what is typed is seen as a whole there.
"""

from __future__ import annotations

import html
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import FileSystemLoader
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from classroom.marks import pages
from classroom.packages import put
from pe_lib.course.grading import notebooks, outcome
from pe_lib.course.grading.sheet import Content, Question

DRAWS = 10  # so many sets of numbers a question
IN_ORDER = (
    "Write them in rising order, with commas or spaces between them, such as 3, 14, 15. If there"
    " are none, write none."
)
UNKNOWN = "No mistake that is known gives this."
ONE_OF_SEVERAL = "This number is what a known mistake gives."
SIGN = "Yours is right but for its sign."
HALF = 0.499_999  # what is typed within it rounds to the number
PAGES = pages.PAGES.overlay(loader=FileSystemLoader(Path(__file__).parent))


def _tex(formula: str, options: dict[str, Any]) -> str:
    left, right = (r"\[", r"\]") if options["display_mode"] else (r"\(", r"\)")
    return f"{left}{html.escape(formula, quote=False)}{right}"


MARKDOWN = MarkdownIt().enable("table").use(dollarmath_plugin, double_inline=True, renderer=_tex)

Reply = tuple[float, float, str]  # a number, how far off it still counts, and what is told
Answer = dict[str, str]


def write(content: Content, out: Path, seed: int = 0) -> str:
    """Write the sheet's file, with the numbers of ten seeds from `seed` on; says what was written.

    Raises FileExistsError if the file is there already.
    """
    path, code = out / f"{content.name}.xml", content.questions.values()
    put(path, quiz(content, range(seed, seed + DRAWS)).encode())
    return (
        f"Written: {path}: {len(without_code(content))} questions.\n"
        "Left to the notebook, since they want code:"
        f" {'; '.join(question.title for question in code if question.kind == 'code')}\n"
        "Next, in the course's question bank: Import, Moodle XML format."
    )


def without_code(content: Content) -> list[Question]:
    return [question for question in content.questions.values() if question.kind != "code"]


def quiz(content: Content, seeds: range) -> str:
    """All of it: a category for each question, to draw one from at random."""
    return PAGES.get_template("moodle.xml").render(
        content=content,
        questions=without_code(content),
        seeds=seeds,
        kinds=KINDS,
        points=notebooks.points_in_words,
        block=block,
    )


# Each returns the answers, what the question's text ends with, and the right one in words


def _numerical(question: Question, seed: int) -> tuple[list[Answer], str, str]:
    [known] = replies(question, seed)
    answers = [
        {"text": shown(value), "told": inline(told), "margin": shown(margin)}
        for value, margin, told in known
    ]
    others = {"text": "*", "told": inline(f"{UNKNOWN} {_hinted(question)}")}
    return [*answers, others], "", f"With these numbers: {shown(known[0][0])}"


def _cloze(question: Question, seed: int) -> tuple[list[Answer], str, str]:
    """A field for each number, in the text: Cloze has its answers there."""
    fields = replies(question, seed)
    rows = (
        f"<p>Number {n}: {{1:NUMERICAL:{'~'.join(map(_alternative, field))}}}</p>"
        for n, field in enumerate(fields, start=1)
    )
    right = ", ".join(shown(field[0][0]) for field in fields)
    return [], "".join(rows), f"With these numbers: {right}"


def _alternative(reply: Reply) -> str:
    """Value, margin and text as Cloze writes them; it decodes entities, and takes ~ and }."""
    value, margin, told = reply
    number = f"{shown(value)}:{shown(margin)}"
    if not told:
        return f"={number}"
    text = inline(told if told == SIGN else f"{ONE_OF_SEVERAL} {told}").replace("&", "&amp;")
    return f"%0%{number}#{text.replace('~', '&#126;').replace('}', '&#125;')}"


def _set(question: Question, seed: int) -> tuple[list[Answer], str, str]:
    """Each set of whole numbers that is known: nobody types the digits of others."""
    found = {
        name: tuple(int(number) for number in np.unique(value))
        for name, value in _values(question, seed).items()
        if np.array_equal(value, np.round(value))
    }
    right = found.pop("solution")
    texts: dict[tuple[int, ...], list[str]] = {right: [""]}
    for mistake in question.mistakes:
        if found.get(mistake.name, right) != right:
            texts.setdefault(found[mistake.name], []).append(mistake.text)
    answers = [
        {"text": text, "told": inline(either(told))}
        for numbers, told in texts.items()
        for text in spelled(numbers)
    ]
    answers.append({"text": "*", "told": inline(f"{UNKNOWN} {_hinted(question)} {IN_ORDER}")})
    return answers, f"<p>{IN_ORDER}</p>", f"With these numbers: {spelled(right)[0]}"


def _choice(question: Question, seed: int) -> tuple[list[Answer], str, str]:
    given = outcome.known(question, seed)
    told = {given[mistake.name]["answer"][0]: mistake.text for mistake in question.mistakes}
    texts = {key: inline(text) for key, text in question.choices.items()}
    answers = [{"text": text, "told": inline(told.get(key, ""))} for key, text in texts.items()]
    right = " ".join(text for key, text in question.choices.items() if key not in told)
    return answers, "", right


KINDS = {
    "number": ("numerical", _numerical),
    "numbers": ("multianswer", _cloze),  # which Moodle calls Cloze
    "set": ("shortanswer", _set),
    "choice": ("multichoice", _choice),
}


def _values(question: Question, seed: int) -> dict[str, np.ndarray]:
    """What the solution and each mistake give, as far as it is numbers."""
    found = {name: parts["answer"][0] for name, parts in outcome.known(question, seed).items()}
    return {
        name: np.ravel(value)
        for name, value in found.items()
        if isinstance(value, np.ndarray) and np.isfinite(value).all()
    }


def replies(question: Question, seed: int = 0) -> list[list[Reply]]:
    """For each number that is asked for, what may be typed: the first that fits counts.

    The right one comes first, so that no mistake beside it takes its points; then the mistakes in
    the order of the sheet, each known by the numbers in which it differs, and the other sign. Where
    all that is known is whole, what rounds to a mistake's number is taken for it.

    >>> from pe_lib.course.grading.sheet import load
    >>> [known] = replies(load("04").questions["slow_sine"])
    >>> [value for value, _, told in known[:3]]
    [1238.0, 1238001.0, 39.0]
    """
    values = _values(question, seed)
    right = values["solution"].tolist()
    whole = all(np.array_equal(value, np.round(value)) for value in values.values())
    made = [(m.text, values[m.name].tolist()) for m in question.mistakes if m.name in values]

    def of(n: int) -> list[Reply]:
        said = [
            (text, value[n]) for text, value in [("", right), *made] if len(value) == len(right)
        ]
        known: list[tuple[float, float, list[str]]] = []
        for text, value in [*said, (SIGN, -right[n])]:
            margin = question.tolerance * (1 + abs(value))
            if whole and known:
                margin = max(margin, math.floor(margin) + HALF)
            same = next((texts for x, most, texts in known if abs(value - x) <= most), None)
            if same is None:
                known.append((value, margin, [text]))
            elif same != [""] and text != SIGN:
                same.append(text)
        return [(value, margin, either(texts)) for value, margin, texts in known]

    return [of(n) for n in range(len(right))]


def either(texts: list[str]) -> str:
    """
    >>> either(["This."]), either(["This.", "That."])
    ('This.', 'Either: This. Or: That.')
    """
    texts = list(dict.fromkeys(texts))
    return texts[0] if len(texts) == 1 else f"Either: {' Or: '.join(texts)}"


def spelled(numbers: tuple[int, ...]) -> list[str]:
    """The ways in which learners write a few numbers, or that there are none.

    >>> spelled((8, 14))
    ['8, 14', '8 14', '8,14', '8; 14', '[8, 14]', '{8, 14}']
    """
    words = [str(number) for number in numbers]
    if not words:
        return ["none", "[]", "{}", "∅"]
    joined = [between.join(words) for between in (", ", " ", ",", "; ")]
    return list(dict.fromkeys([*joined, f"[{joined[0]}]", f"{{{joined[0]}}}"]))


def shown(value: float) -> str:
    """
    >>> shown(1238.0), shown(-0.0), shown(0.1 + 0.2)
    ('1238', '0', '0.3')
    """
    return f"{value + 0.0:.10g}"


def _hinted(question: Question) -> str:
    return f"A hint: {question.hints[0]}" if question.hints else ""


def block(text: str) -> str:
    """Markdown as HTML, for Moodle. Raises ValueError for a picture: none would come along.

    >>> block("Give *two*, $x < 2$.")
    '<p>Give <em>two</em>, <span class="math inline">\\\\(x &lt; 2\\\\)</span>.</p>\\n'
    """
    if "![" in text:
        raise ValueError(f"a picture can't be carried over yet: {text[text.index('![') :][:60]}")
    return _as_it_stands(MARKDOWN.render(text))


def inline(text: str) -> str:
    """One line of Markdown as HTML."""
    return _as_it_stands(MARKDOWN.renderInline(text))


def _as_it_stands(text: str) -> str:
    """Code that Moodle's filters leave alone, else (n) in it shows a thumb; tables with space."""
    text = text.replace("<table>", '<table class="generaltable">')
    return re.sub(r"<code>.*?</code>", r'<span class="nolink">\g<0></span>', text)
