"""The questions of a sheet at the end of its chapter's page, to answer without a kernel.

They are put into the notebook's JSON before MyST-NB parses it, so that prompts are typeset like the
rest of the chapter. What must not be read before its time (answers, mistakes, hints) goes along as
text turned by 47 places, as a child would do it; it still compresses.
"""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.markup import filled, raw
from _ext.sources import change_notebooks, classic, insert, own_script
from pe_lib.course import explorers
from pe_lib.course.grading import feedback, notebooks, outcome, relation, sheet
from pe_lib.course.grading.sheet import Question

SEEDS = range(5)  # so many sets of numbers a question
PLACE = "## Further reading"
SCRIPT = "quiz/quiz.js"
MODULES = Path(__file__).resolve().parent


def turned(text: str) -> str:
    """Printable ASCII turned by 47 places; twice gives the text again.

    >>> turned("k = 137"), turned(turned("k = 137"))
    ('< l `bf', 'k = 137')
    """
    return "".join(chr(33 + (ord(c) + 14) % 94) if "!" <= c <= "~" else c for c in text)


def asked(question: Question) -> dict[str, Any]:
    """What the page must know to ask a question and to judge an answer."""
    return {
        "kind": question.kind,
        "tolerance": question.tolerance,
        "hints": [feedback.render_markup(hint) for hint in question.hints],
        "mistakes": {known.name: feedback.render_markup(known.text) for known in question.mistakes},
        "variants": [_variant(question, seed) for seed in (SEEDS if question.given_code else [0])],
    }


def _variant(question: Question, seed: int) -> dict[str, Any]:
    given = vars(question.given_numbers(seed))
    known = {
        name: _plain(values["answer"][0])
        for name, values in outcome.reference_outcomes(question, seed).items()
        if not isinstance(values["answer"][0], outcome.Failure)
    }
    return {
        "given": [format(given[name], spec) for name, spec in question.shown_numbers()],
        "right": known.pop("solution"),
        "wrong": known,
    }


def _plain(value: outcome.Value) -> Any:
    """Numbers in a list, with the digits that count; a choice as it is."""
    if isinstance(value, str):
        return value
    return [float(f"{x:.10g}") for x in np.ravel(value) if np.isfinite(x)]


def coded(question: Question) -> str:
    return turned(json.dumps(asked(question), ensure_ascii=False))


def kept_as(question: Question) -> str:
    """The name under which a browser keeps an answer: whatever becomes of the question's words."""
    return f"{question.sheet} {question.name}"


def version(question: Question) -> str:
    """Another one with each change of a question: an answer to an earlier one is judged anew."""
    return f"{zlib.crc32(coded(question).encode()):08x}"


def on_page(content: sheet.Content) -> list[Question]:
    return [question for question in content.questions.values() if question.kind != "code"]


def summary() -> list[dict[str, Any]]:
    """All questions by chapter, as the page that sums up points must know them."""
    return [
        {
            "page": f"{name}.html",
            "title": f"{int(name[:2])}. {sheet.load(name).title}",
            "questions": [
                {"key": kept_as(q), "id": place(q), "title": q.title, "points": q.total}
                for q in on_page(sheet.load(name))
            ],
        }
        for name in sheet.names()
    ]


class Points(SphinxDirective):
    """Where quizzing/points.js sums up: nothing before it has, and nothing on paper."""

    def run(self) -> list[nodes.Node]:
        return [raw("quizzing/points.html", chapters=summary())]


def section(content: sheet.Content) -> str:
    """The Markdown of the section."""
    return filled(
        "quizzing/section.md",
        content=content,
        questions=on_page(content),
        in_notebook=[q.title for q in content.questions.values() if q.kind == "code"],
        id=place,
        level=notebooks.level_name,
        points=notebooks.format_points,
        prompt=_prompt,
        form=form,
    )


def place(question: Question) -> str:
    """The question's id on the page."""
    return f"exercise-{question.name.replace('_', '-')}"


def _prompt(question: Question) -> str:
    given = vars(question.given_numbers(0))
    return question.fill_prompt(
        lambda name, spec: f'<span class="om-given">{format(given[name], spec)}</span>'
    )


def form(question: Question, prefix: str = "answer") -> str:
    return filled(
        "quizzing/form.html",
        question=question,
        identity=f"{prefix}-{question.name.replace('_', '-')}",
        asked=coded(question),
        key=kept_as(question),
        version=version(question),
        marked=feedback.render_markup,
    )


def rewrite(notebook: dict[str, Any], name: str) -> None:
    """Put the questions of its sheet, if there is one, into the notebook."""
    if name in sheet.names():
        insert(notebook, PLACE, section(sheet.load(name)))


def script() -> str:
    """What judges an answer on a page, all modules as one classic script."""
    related = f"const RELATED = {json.dumps(relation.RELATED, ensure_ascii=False)};"
    modules = explorers.script(MODULES / "page.mjs")
    return classic(related, modules)


def setup(app: Sphinx) -> None:
    app.add_directive("points", Points)
    change_notebooks(app, rewrite)
    own_script(app, r'class="om-(quiz|warmup|review)"', SCRIPT, script)
