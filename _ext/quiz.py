"""The questions of a sheet at the end of its chapter's page, to answer without a kernel.

They are put into the notebook's JSON before MyST-NB parses it, so that prompts are typeset like the
rest of the chapter. What must not be read before its time (answers, mistakes, hints) goes along as
text turned by 47 places, as a child would do it; it still compresses.
"""

import html
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.sources import bare, change_notebooks, own_script
from pe_lib.course import explorers
from pe_lib.course.grading import feedback, notebooks, outcome, relation, sheet
from pe_lib.course.grading.sheet import Question

SEEDS = range(5)  # so many sets of numbers a question
PLACE = "## Further reading"
SCRIPT = "quiz/quiz.js"
MODULES = Path(__file__).resolve().parent / "quizzing"


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
        "hints": [feedback.marked(hint) for hint in question.hints],
        "mistakes": {known.name: feedback.marked(known.text) for known in question.mistakes},
        "variants": [_variant(question, seed) for seed in (SEEDS if question.given_code else [0])],
    }


def _variant(question: Question, seed: int) -> dict[str, Any]:
    given = vars(question.given(seed))
    known = {
        name: _plain(values["answer"][0])
        for name, values in outcome.known(question, seed).items()
        if not isinstance(values["answer"][0], outcome.Failure)
    }
    return {
        "given": [format(given[name], spec) for name, spec in question.places()],
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
                {"key": kept_as(q), "id": _name(q), "title": q.title, "points": q.total}
                for q in on_page(sheet.load(name))
            ],
        }
        for name in sheet.names()
    ]


class Points(SphinxDirective):
    """Where quizzing/points.js sums up: nothing before it has, and nothing on paper."""

    def run(self) -> list[nodes.Node]:
        questions = html.escape(json.dumps(summary(), ensure_ascii=False), quote=True)
        box = f'<div class="om-points" id="points" data-questions="{questions}"></div>'
        return [nodes.raw("", box, format="html")]


def cell(content: sheet.Content) -> str:
    """The Markdown of the section."""
    title, notebook = content.title.lower(), f"../exercises/{content.name}.ipynb"
    in_notebook = [q.title for q in content.questions.values() if q.kind == "code"]
    lines = [
        "## Exercises",
        "If we recognise your mistake, we tell you which one it is. The notebook"
        f" {{download}}`Exercises: {title} <{notebook}>` asks these questions and those that"
        f" want code ({'; '.join(in_notebook)}).",
        '<p class="om-points" hidden></p>',
    ]
    for question in on_page(content):
        lines += [
            f"({_name(question)})=\n### {question.title}",
            f'<p class="om-level">{notebooks.level(question)} ·'
            f" {notebooks.points_in_words(question)}</p>",
            question.filled(_given(question)),
            _form(question),
        ]
    return "\n\n".join(lines)


def _name(question: Question) -> str:
    """The question's id on the page."""
    return f"exercise-{question.name.replace('_', '-')}"


def _given(question: Question) -> Any:
    given = vars(question.given(0))
    return lambda name, spec: f'<span class="om-given">{format(given[name], spec)}</span>'


def _form(question: Question) -> str:
    """A form that does nothing until the script has found it."""
    label = {
        "number": "Your answer",
        "numbers": "Your answers, in order, with spaces between them",
        "set": "Your answers, in any order, with spaces between them",
        "choice": "Your choice",
    }[question.kind]
    identity = f"answer-{question.name.replace('_', '-')}"
    if question.kind == "choice":
        rows = "".join(
            f'<label><input type="radio" name="{identity}" value="{key}">'
            f" <span>{feedback.marked(said)}</span></label>"
            for key, said in question.choices.items()
        )
        field = f'<fieldset><legend class="om-hidden">{label}</legend>{rows}</fieldset>'
    else:
        # Digits, whatever the answer is, which would tell its sign; what the pads of some phones
        # lack, a minus and the space between two numbers, stands beside the field.
        keys = '<button type="button" value="-" aria-label="minus">−</button>'
        if question.kind != "number":
            keys += '<button type="button" value=" ">space</button>'
        field = (
            f'<label for="{identity}">{label}</label> <div class="om-field"><input id="{identity}"'
            ' type="text" inputmode="decimal" enterkeyhint="done" autocomplete="off"'
            f' autocapitalize="off" spellcheck="false"><span class="om-keys">{keys}</span></div>'
        )
    buttons = '<button>Check</button><button type="button" name="hint">Hint</button>'
    if question.given_code:
        buttons += '<button type="button" name="other">Other numbers</button>'
    return (
        f'<form class="om-quiz" data-asked="{html.escape(coded(question), quote=True)}"'
        f' data-key="{kept_as(question)}" data-version="{version(question)}"'
        f' data-points="{question.total:g}" novalidate>{field}'
        f'<p class="om-buttons">{buttons}</p><div class="om-said" role="status"></div></form>'
        '<noscript><p class="om-caption">To answer here, switch JavaScript on; or use the notebook.'
        "</p></noscript>"
    )


def rewrite(source: str, name: str) -> str:
    """The notebook `source` with the questions of its sheet, if there is one."""
    if name not in sheet.names():
        return source
    notebook = json.loads(source)
    sources = ["".join(c["source"]) for c in notebook["cells"]]
    place = next((n for n, text in enumerate(sources) if text.startswith(PLACE)), len(sources))
    new = {"cell_type": "markdown", "id": "exercises", "metadata": {}}
    notebook["cells"].insert(place, new | {"source": cell(sheet.load(name))})
    return json.dumps(notebook)


def script() -> str:
    """What judges an answer on a page, all modules as one classic script."""
    related = f"const RELATED = {json.dumps(relation.RELATED, ensure_ascii=False)};"
    modules = explorers.script(MODULES / "page.mjs")
    return f'(() => {{\n"use strict";\n{related}\n{modules}\n}})();\n'


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("points", Points)
    change_notebooks(app, rewrite)
    own_script(app, 'class="om-quiz"', SCRIPT, lambda: bare(script()))
    # pages are stale when a sheet changes, or the code that puts it on the page
    folder = sheet.SHEETS.parent
    files = [
        Path(__file__),
        *sorted(folder.glob("*.py")),
        *sorted(folder.glob("*.toml")),
        *sorted(sheet.SHEETS.glob("*.md")),
    ]
    sources = b"".join(path.read_bytes() for path in files)
    return {"env_version": zlib.crc32(sources), "parallel_read_safe": True}
