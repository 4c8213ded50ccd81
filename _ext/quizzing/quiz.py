"""Add the questions of an exercise sheet to the page of its chapter, which judges the answers.

The questions are added to the notebook's JSON before MyST-NB parses it, so that their prompts are
typeset like the rest of the chapter. Answers, mistakes and hints are encoded in ROT47, so that
nobody reads them by accident in the source. Unlike encryption, ROT47 leaves text easy to compress.
"""

import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.markup import render_node, render_template
from _ext.quizzing import by_hand
from _ext.sources import (
    add_script,
    bundle_script,
    import_files,
    insert_cell,
    rewrite_notebooks,
    write_module,
)
from pe_lib.course import explorers
from pe_lib.course.grading import feedback, notebooks, outcome, relation, sheet
from pe_lib.course.grading.afterwards import find_afterwards
from pe_lib.course.grading.sheet import Question

SEEDS = range(5)  # the page asks a question with the random numbers of each of these seeds
PLACE = "## Further reading"  # the questions are inserted above the section with this heading
SCRIPT = "quiz/quiz.js"
NO_PAGE = "(?!)"  # a pattern that matches no page
MODULES = Path(__file__).resolve().parent


def rot47(text: str) -> str:
    """Encode or decode a text in ROT47, which rotates printable ASCII characters by 47 places.

    >>> rot47("k = 137"), rot47(rot47("k = 137"))
    ('< l `bf', 'k = 137')
    """
    return "".join(chr(33 + (ord(c) + 14) % 94) if "!" <= c <= "~" else c for c in text)


def question_seeds(question: Question) -> list[int]:
    """Return the seeds from which a page gets the random numbers of a question."""
    return [*SEEDS] if question.given_code else [0]


def describe_question(question: Question) -> dict[str, Any]:
    """Return all that a page needs to ask a question and to judge the answers."""
    return {
        "kind": question.kind,
        "tolerance": question.tolerance,
        "whole": question.wants_whole,
        "hints": [feedback.render_markup(hint) for hint in question.hints],
        "mistakes": {
            mistake.name: feedback.render_markup(mistake.text) for mistake in question.mistakes
        },
        "variants": [_describe_variant(question, seed) for seed in question_seeds(question)],
    }


def _describe_variant(question: Question, seed: int) -> dict[str, Any]:
    """Return a question's numbers for one seed, the correct answer, and known wrong answers."""
    numbers = vars(question.given_numbers(seed))
    answers = {
        name: _simplify(values["answer"][0])
        for name, values in outcome.reference_outcomes(question, seed).items()
        if not isinstance(values["answer"][0], outcome.Failure)
    }
    return {
        "given": [format_given(numbers[name], spec) for name, spec in question.shown_numbers()],
        "right": answers.pop("solution"),
        "wrong": answers,
    }


def _simplify(value: Any) -> Any:
    """Prepare an answer for JSON. Numbers are rounded to ten significant digits."""
    if isinstance(value, str):
        return value
    return [float(f"{number:.10g}") for number in np.ravel(value) if np.isfinite(number)]


def describe_extras(question: Question) -> dict[str, Any]:
    """Return what a page shows with a question but does not need to judge its answers.

    `after` holds the texts that follow a right answer. For each set of numbers, `by_hand` describes
    the picture in which a reader can set the answer, and `hands` the clocks that show a wrong one.
    """
    texts = find_afterwards(question)
    after = {name: text for name, text in vars(texts).items() if text} if texts else {}
    draws = [question.given_numbers(seed) for seed in question_seeds(question)]
    return {
        "after": {name: feedback.render_markup(text) for name, text in after.items()} or None,
        "by_hand": by_hand.describe_pictures(question, draws),
        "hands": by_hand.describe_hands(question, draws),
    }


def encode_question(question: Question) -> str:
    """Return a question's description as JSON, encoded in ROT47 so that it is not readable."""
    return _encode(describe_question(question))


def _encode(data: dict[str, Any]) -> str:
    return rot47(json.dumps(data, ensure_ascii=False))


def storage_key(question: Question) -> str:
    """Return the key under which a browser stores a reader's answer. New wording keeps the key."""
    return f"{question.sheet} {question.name}"


def question_version(question: Question) -> str:
    """Return a checksum that changes with the question, so that stored answers are judged again."""
    return f"{zlib.crc32(encode_question(question).encode()):08x}"


def page_questions(content: sheet.Content) -> list[Question]:
    """Return the questions of a sheet that a page can judge, which are those without code."""
    return [question for question in content.questions.values() if question.kind != "code"]


def question_id(question: Question) -> str:
    """Return the HTML id that a question has on its chapter's page."""
    return f"exercise-{question.name.replace('_', '-')}"


def list_chapters() -> list[dict[str, Any]]:
    """Return the questions of each chapter, with the data from which a page adds up points."""
    chapters = []
    for name in sheet.names():
        content = sheet.load(name)
        questions = [
            {
                "key": storage_key(question),
                "id": question_id(question),
                "title": question.title,
                "points": question.total,
            }
            for question in page_questions(content)
        ]
        title = f"{int(name[:2])}. {content.title}"
        chapters.append({"page": f"{name}.html", "title": title, "questions": questions})
    return chapters


class PointsDirective(SphinxDirective):
    """A Sphinx directive that inserts an empty box, in which points.js shows a reader's points."""

    def run(self) -> list[nodes.Node]:
        return [render_node("quizzing/points.html", chapters=list_chapters())]


def render_section(content: sheet.Content) -> str:
    """Return a Markdown section that asks the questions of a sheet."""
    code_questions = [q.title for q in content.questions.values() if q.kind == "code"]
    return render_template(
        "quizzing/section.md",
        content=content,
        questions=page_questions(content),
        in_notebook=code_questions,
        id=question_id,
        level=notebooks.level_name,
        points=notebooks.format_points,
        prompt=_render_prompt,
        form=render_form,
    )


def _render_prompt(question: Question) -> str:
    """Return a question's prompt, with an HTML element around each random number."""
    numbers = vars(question.given_numbers(0))
    return question.fill_prompt(
        lambda name, spec: f'<span class="om-given">{format_given(numbers[name], spec)}</span>'
    )


def format_given(value: object, spec: str) -> str:
    """Return a random number of a question as text, with true minus signs.

    >>> format_given(-0.5, ".2f"), format_given([1, -2], "")
    ('−0.50', '[1, −2]')
    """
    return re.sub(r"(?<!e)-", "−", format(value, spec))


def render_form(question: Question, prefix: str = "answer") -> str:
    """Return the form for a question's answer. All names of its fields begin with `prefix`."""
    return render_template(
        "quizzing/form.html",
        question=question,
        identity=f"{prefix}-{question.name.replace('_', '-')}",
        asked=encode_question(question),
        extras=_encode(describe_extras(question)),
        key=storage_key(question),
        version=question_version(question),
        marked=feedback.render_markup,
    )


def insert_questions(notebook: dict[str, Any], name: str) -> None:
    """Insert the questions of the sheet with this notebook's name, if there is such a sheet."""
    if name in sheet.names():
        insert_cell(notebook, PLACE, render_section(sheet.load(name)))


def write_relations() -> None:
    """Write the rules of relations.toml as a module, which relation.mjs imports."""
    rules = json.dumps(relation.RELATED, ensure_ascii=False)
    changes = json.dumps(relation.SECOND_CHANGES)
    module = f"export const RELATED = {rules};\nexport const SECOND_CHANGES = {changes};"
    write_module("relations.mjs", module)


def quiz_script() -> str:
    """Return one classic script that contains all modules for judging answers."""
    write_relations()
    return bundle_script(import_files(MODULES / "page.mjs"))


def pictures_script() -> str:
    """Return the script that draws pictures beside questions. The shared script must run first."""
    return f"{explorers.beside_shared(import_files(MODULES / 'pictures/pictures.mjs'))};"


def setup(app: Sphinx) -> None:
    app.add_directive("points", PointsDirective)
    rewrite_notebooks(app, insert_questions)
    # a page loads this script only if it needs the script
    add_script(app, NO_PAGE, "quiz/pictures.js", pictures_script)
    add_script(app, r'class="om-(quiz|warmup|review|mixed)"', SCRIPT, quiz_script)
