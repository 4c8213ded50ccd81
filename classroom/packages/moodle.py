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
from typing import Any, NamedTuple

import numpy as np
from jinja2 import FileSystemLoader
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from classroom.marks import pages
from classroom.packages import put
from pe_lib.course.grading import outcome
from pe_lib.course.grading.sheet import Content, Question

DRAWS = 10  # so many sets of numbers a question
TYPES = {
    "number": "numerical",
    "numbers": "multianswer",  # which Moodle calls Cloze
    "set": "shortanswer",
    "choice": "multichoice",
}
SIGN = "Yours is right but for its sign."
ONE_OF_SEVERAL = "This number is what a known mistake gives."
HALF = 0.499_999  # what is typed within it rounds to the number
Values = dict[str, np.ndarray]  # what the solution and each mistake give
PAGES = pages.PAGES.overlay(loader=FileSystemLoader(Path(__file__).parent))


def _tex(formula: str, options: dict[str, Any]) -> str:
    left, right = (r"\[", r"\]") if options["display_mode"] else (r"\(", r"\)")
    return f"{left}{html.escape(formula, quote=False)}{right}"


MARKDOWN = MarkdownIt().enable("table").use(dollarmath_plugin, double_inline=True, renderer=_tex)


class Reply(NamedTuple):
    """What may be typed or chosen, how far off it still counts, and what is told: '' if right."""

    text: str
    margin: str
    told: str


def write(content: Content, out: Path, seed: int = 0) -> str:
    """Write the sheet's file, with the numbers of ten seeds from `seed` on; says what was written.

    Raises FileExistsError if the file is there already.
    """
    path, questions = out / f"{content.name}.xml", content.questions.values()
    put(path, quiz(content, range(seed, seed + DRAWS)).encode())
    code = [question.title for question in questions if question.kind == "code"]
    return (
        f"Written: {path}: {len(questions) - len(code)} questions.\n"
        f"Left to the notebook, since they want code: {'; '.join(code)}\n"
        "Next, in the course's question bank: Import, Moodle XML format."
    )


def quiz(content: Content, seeds: range) -> str:
    """All of it: a category for each question, to draw one from at random."""
    return PAGES.get_template("moodle.xml").render(content=content, seeds=seeds)


def replies(question: Question, seed: int = 0) -> list[list[Reply]]:
    """For each field of the question's form, what is known: the first that fits counts.

    >>> from pe_lib.course.grading.sheet import load
    >>> [known] = replies(load("04").questions["slow_sine"])
    >>> [reply.text for reply in known[:3]]
    ['1238', '1238001', '39']
    """
    given = {
        name: parts["answer"][0]
        for name, parts in outcome.reference_outcomes(question, seed).items()
    }
    if question.kind == "choice":
        told = {given[mistake.name]: mistake.text for mistake in question.mistakes}
        return [[Reply(text, "", told.get(key, "")) for key, text in question.choices.items()]]
    values = {
        name: np.ravel(value)
        for name, value in given.items()
        if isinstance(value, np.ndarray) and np.isfinite(value).all()
    }
    return [_sets(question, values)] if question.kind == "set" else _numbers(question, values)


def _sets(question: Question, values: Values) -> list[Reply]:
    """Each set of whole numbers that is known: nobody types the digits of others."""
    found = {
        name: tuple(int(number) for number in np.unique(value))
        for name, value in values.items()
        if np.array_equal(value, np.round(value))
    }
    right = found.pop("solution")
    texts: dict[tuple[int, ...], list[str]] = {right: [""]}
    for mistake in question.mistakes:
        if found.get(mistake.name, right) != right:
            texts.setdefault(found[mistake.name], []).append(mistake.text)
    return [
        Reply(text, "", either(told))
        for numbers, told in texts.items()
        for text in spelled(numbers)
    ]


def _numbers(question: Question, values: Values) -> list[list[Reply]]:
    """For each number that is asked for, what may be typed.

    The right one comes first, so that no mistake beside it takes its points; then the mistakes in
    the order of the sheet, each known by the numbers in which it differs, and the other sign. Where
    all that is known is whole, what rounds to a mistake's number is taken for it.
    """
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
        return [Reply(shown(value), shown(margin), either(t)) for value, margin, t in known]

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


def cloze(told: str) -> str:
    """A mistake's text within a Cloze question, which decodes entities, and takes ~ and }."""
    text = inline(told if told == SIGN else f"{ONE_OF_SEVERAL} {told}").replace("&", "&amp;")
    return text.replace("~", "&#126;").replace("}", "&#125;")


PAGES.globals = {**PAGES.globals, "TYPES": TYPES, "replies": replies, "block": block,
                 "inline": inline, "cloze": cloze}  # fmt: skip
