"""Write a sheet's questions, except those that ask for code, as a quiz in Moodle's XML format.

Each known mistake becomes an answer worth 0 % with feedback. Moodle takes the first answer that
fits (qtype_numerical_question::get_matching_answer), also in the fields of a Cloze question. This
was tried with Moodle 4.5.6. A question that asks for several numbers becomes a Cloze question with
a field for each number. A question that asks for a set becomes a short-answer question, because
Moodle compares a short answer as one text.
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
from classroom.packages import write_new
from pe_lib.course.grading import outcome
from pe_lib.course.grading.sheet import Content, Question

DRAWS = 10  # the quiz contains each question with this many different sets of numbers
TYPES = {
    "number": "numerical",
    "numbers": "multianswer",  # in Moodle's files, a Cloze question has the type "multianswer"
    "set": "shortanswer",
    "choice": "multichoice",
}
WRONG_SIGN = "Yours is right but for its sign."
ONE_OF_SEVERAL = "This number is what a known mistake gives."
# a typed number that differs from a whole number by at most this much is rounded to it
ALMOST_HALF = 0.499_999
# maps "solution" and the name of each mistake to the numbers that each of them gives
Values = dict[str, np.ndarray]
PAGES = pages.PAGES.overlay(loader=FileSystemLoader(Path(__file__).parent))


def _tex(formula: str, options: dict[str, Any]) -> str:
    """Return a TeX formula between the delimiters that Moodle recognises."""
    left, right = (r"\[", r"\]") if options["display_mode"] else (r"\(", r"\)")
    return f"{left}{html.escape(formula, quote=False)}{right}"


MARKDOWN = MarkdownIt().enable("table").use(dollarmath_plugin, double_inline=True, renderer=_tex)


class Reply(NamedTuple):
    """An answer to which Moodle has a reaction, with a tolerance and a feedback text.

    The feedback of a right answer is ''.
    """

    text: str
    margin: str
    feedback: str


def write(content: Content, out: Path, seed: int = 0) -> str:
    """Write the Moodle quiz for a sheet, and return a message about what to do next.

    The quiz has the numbers of ten seeds, starting at `seed`. Raise FileExistsError if the file
    already exists.
    """
    path, questions = out / f"{content.name}.xml", content.questions.values()
    write_new(path, quiz(content, range(seed, seed + DRAWS)).encode())
    code = [question.title for question in questions if question.kind == "code"]
    return (
        f"Written: {path}, with {len(questions) - len(code)} questions.\n"
        f"These need code, and stay in the notebook: {'; '.join(code) or 'none'}\n"
        "Next, in the course's question bank: Import, Moodle XML format."
    )


def quiz(content: Content, seeds: range) -> str:
    """Return the content of the quiz file. Moodle draws one question from each category."""
    return PAGES.get_template("moodle.xml").render(content=content, seeds=seeds)


def replies(question: Question, seed: int = 0) -> list[list[Reply]]:
    """For each input field of a question, return the known answers and how Moodle reacts to them.

    Moodle uses the first reply that matches.

    >>> from pe_lib.course.grading.sheet import load
    >>> [field] = replies(load("04").questions["slow_sine"])
    >>> [reply.text for reply in field[:3]]
    ['1238', '1238001', '39']
    """
    answers = {
        name: parts["answer"][0]
        for name, parts in outcome.reference_outcomes(question, seed).items()
    }
    if question.kind == "choice":
        texts = {answers[mistake.name]: mistake.text for mistake in question.mistakes}
        return [[Reply(text, "", texts.get(key, "")) for key, text in question.choices.items()]]
    values = {
        name: np.ravel(value)
        for name, value in answers.items()
        if isinstance(value, np.ndarray) and np.isfinite(value).all()
    }
    if question.kind == "set":
        return [_set_replies(question, values)]
    return _number_replies(question, values)


def _set_replies(question: Question, values: Values) -> list[Reply]:
    """Return a reply for each set of whole numbers that is known, and for each way to write it.

    Sets that contain other numbers are left out, because nobody types all digits of such numbers.
    """
    sets = {
        name: tuple(int(number) for number in np.unique(value))
        for name, value in values.items()
        if np.array_equal(value, np.round(value))
    }
    solution = sets.pop("solution")
    texts: dict[tuple[int, ...], list[str]] = {solution: [""]}
    for mistake in question.mistakes:
        if sets.get(mistake.name, solution) != solution:
            texts.setdefault(sets[mistake.name], []).append(mistake.text)
    return [
        Reply(spelling, "", join_alternatives(feedback))
        for numbers, feedback in texts.items()
        for spelling in spellings(numbers)
    ]


def _number_replies(question: Question, values: Values) -> list[list[Reply]]:
    """For each number that a question asks for, return the known answers with their feedback.

    The right number comes first, so that it gets its points even if a mistake is close to it. Then
    come the numbers that the mistakes give, in the order of the sheet, and finally the right number
    with the wrong sign.
    """
    solution = values["solution"].tolist()
    is_whole = all(np.array_equal(value, np.round(value)) for value in values.values())
    is_rounded = is_whole or question.wants_whole
    variants = [("", solution)]
    variants += [(m.text, values[m.name].tolist()) for m in question.mistakes if m.name in values]
    variants = [(text, numbers) for text, numbers in variants if len(numbers) == len(solution)]
    return [
        _field_replies(
            [*((text, numbers[n]) for text, numbers in variants), (WRONG_SIGN, -solution[n])],
            question.tolerance,
            is_rounded,
        )
        for n in range(len(solution))
    ]


def _field_replies(
    variants: list[tuple[str, float]], tolerance: float, is_rounded: bool
) -> list[Reply]:
    """Return the known answers in one input field, with their feedback.

    Each variant consists of a feedback text and the number for which the text is shown.

    If the question asks for whole numbers, a typed number counts as a mistake's whole number if it
    rounds to it.
    """
    entries: list[tuple[float, float, list[str]]] = []
    for text, value in variants:
        margin = tolerance * (1 + abs(value))
        if is_rounded and value == round(value) and entries:
            margin = max(margin, math.floor(margin) + ALMOST_HALF)
        earlier = next((texts for x, reach, texts in entries if abs(value - x) <= reach), None)
        if earlier is None:
            entries.append((value, margin, [text]))
        elif earlier != [""] and text != WRONG_SIGN:
            earlier.append(text)
    return [
        Reply(format_number(value), format_number(margin), join_alternatives(texts))
        for value, margin, texts in entries
    ]


def join_alternatives(texts: list[str]) -> str:
    """Join several feedback texts into one, if it is not known which of them applies.

    >>> join_alternatives(["This."]), join_alternatives(["This.", "That."])
    ('This.', 'Either: This. Or: That.')
    """
    texts = list(dict.fromkeys(texts))
    return texts[0] if len(texts) == 1 else f"Either: {' Or: '.join(texts)}"


def spellings(numbers: tuple[int, ...]) -> list[str]:
    """Return the ways in which learners may write a set of numbers. The set may be empty.

    >>> spellings((8, 14))
    ['8, 14', '8 14', '8,14', '8; 14', '[8, 14]', '{8, 14}']
    """
    words = [str(number) for number in numbers]
    if not words:
        return ["none", "[]", "{}", "∅"]
    lists = [separator.join(words) for separator in (", ", " ", ",", "; ")]
    return list(dict.fromkeys([*lists, f"[{lists[0]}]", f"{{{lists[0]}}}"]))


def format_number(value: float) -> str:
    """Format a number with at most ten significant digits, without a minus sign before 0.

    >>> format_number(1238.0), format_number(-0.0), format_number(0.1 + 0.2)
    ('1238', '0', '0.3')
    """
    return f"{value + 0.0:.10g}"


def block(text: str) -> str:
    """Return Markdown as HTML for Moodle, or raise ValueError if it contains a picture.

    >>> block("Give *two*, $x < 2$.")
    '<p>Give <em>two</em>, <span class="math inline">\\\\(x &lt; 2\\\\)</span>.</p>\\n'
    """
    if "![" in text:
        picture = text[text.index("![") :][:60]
        raise ValueError(f"a picture can't be carried over to Moodle: {picture}")
    return _adapt_html(MARKDOWN.render(text))


def inline(text: str) -> str:
    """Return one line of Markdown as HTML for Moodle."""
    return _adapt_html(MARKDOWN.renderInline(text))


def _adapt_html(text: str) -> str:
    """Change HTML so that Moodle shows it well.

    Give tables CSS classes for their spacing, and prevent Moodle from showing (n) in code as an
    emoticon.
    """
    text = text.replace("<table>", '<table class="generaltable">')
    return re.sub(r"<code>.*?</code>", r'<span class="nolink">\g<0></span>', text)


def cloze_feedback(feedback: str) -> str:
    """Escape the characters &, ~ and } in a feedback text, as a Cloze question requires."""
    text = feedback if feedback == WRONG_SIGN else f"{ONE_OF_SEVERAL} {feedback}"
    text = inline(text).replace("&", "&amp;")
    return text.replace("~", "&#126;").replace("}", "&#125;")


PAGES.globals = {**PAGES.globals, "TYPES": TYPES, "replies": replies, "block": block,
                 "inline": inline, "cloze_feedback": cloze_feedback}  # fmt: skip
