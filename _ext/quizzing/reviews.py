"""Ask questions again: three at the start of each later chapter, and all on the page "Review".

Each question is a separate script, which contains the typeset prompt and the form that judges the
answer. review.js loads only the scripts of the questions that it asks, so that the first visit of a
page does not become slower.
"""

import json
import re
from itertools import zip_longest
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.chapters import is_chapter
from _ext.markup import render_node, render_template
from _ext.quizzing import quiz
from _ext.sources import add_script_file, insert_cell, rewrite_notebooks
from pe_lib.course.grading import notebooks, sheet
from pe_lib.course.grading.run import run_order
from pe_lib.course.grading.sheet import Question

FOLDER = "questions"
FIRST = 3  # the first chapter that asks questions from earlier chapters
PLACE = "## "  # the three questions are inserted above the first section heading
# Matches the text between a question's heading and its form. The question's level is not part of
# the match.
_PROMPT = re.compile(
    r'</h3>\s*(?:<details.*?</summary>|<p class="om-level">.*?</p>)?\s*(.*?)<form class="om-quiz"',
    re.DOTALL,
)
_CARD = re.compile(r' aria-describedby="card-[^"]*"')


def script_name(question: Question) -> str:
    """Return the name of the script that asks a question again."""
    return f"{question.sheet[:2]}-{question.name.replace('_', '-')}.js"


def question_script(question: Question, body: str) -> str:
    """Return the script that asks a question again, built from the HTML of the question's page.

    Links to cards are removed, because the cards exist only on the question's own page.
    """
    match = _PROMPT.search(body, body.index(f'id="{quiz.question_id(question)}"'))
    assert match
    prompt = _CARD.sub("", match[1]).replace('href="#', f'href="{question.sheet}.html#')
    # Two questions on a page may have the same name. So each name gets a prefix, which makes it
    # unique.
    html = prompt + quiz.render_form(question, f"again-{question.sheet[:2]}")
    key = json.dumps(quiz.storage_key(question), ensure_ascii=False)
    return f"(window.omQuestions ??= {{}})[{key}] = {json.dumps(html, ensure_ascii=False)};\n"


def order_for_chapter(chapter: int) -> list[Question]:
    """Return all questions from earlier chapters, in the order in which a chapter repeats them.

    The first three come from the previous chapter, from halfway back, and from early in the course.
    The order of a chapter's questions depends on the chapter that asks. Easy questions whose
    numbers can change come first, because readers have not yet warmed up.
    """
    earlier = [name for name in sheet.names() if int(name[:2]) < chapter]
    groups = [_easy_first(quiz.page_questions(sheet.load(name)), chapter) for name in earlier]
    count = len(groups)
    leaders = sorted({count - 1, count // 2, count // 5}, reverse=True)
    order = leaders + [index for index in range(count) if index not in leaders]
    rounds = zip_longest(*(groups[index] for index in order))
    return [question for one_of_each in rounds for question in one_of_each if question]


def _easy_first(questions: list[Question], start: int) -> list[Question]:
    """Return a chapter's questions, easy ones first. The number `start` chooses the very first."""
    easy = [question for question in questions if question.level == 1] or questions
    numbered = [question for question in easy if question.given_code] or easy
    index = start % len(numbered)
    leading = numbered[index:] + numbered[:index]
    return leading + [question for question in questions if question not in leading]


def list_questions(questions: list[Question]) -> list[tuple[str, str]]:
    """Return the storage key and the title of each question, as review.js needs them."""
    return [(quiz.storage_key(question), question.title) for question in questions]


def insert_warm_up(notebook: dict[str, Any], name: str) -> None:
    """Insert three questions for review above the first section of a chapter's notebook."""
    if is_chapter(f"chapters/{name}") and int(name[:2]) >= FIRST:
        questions = list_questions(order_for_chapter(int(name[:2])))
        insert_cell(notebook, PLACE, render_template("quizzing/warm-up.html", questions=questions))


class ReviewDirective(SphinxDirective):
    """A Sphinx directive that inserts the box in which review.js asks the questions due today."""

    def run(self) -> list[nodes.Node]:
        questions = [q for name in sheet.names() for q in quiz.page_questions(sheet.load(name))]
        return [render_node("quizzing/review.html", questions=list_questions(questions))]


class RunDirective(SphinxDirective):
    """A Sphinx directive that inserts the box in which review.js leads through all questions."""

    def run(self) -> list[nodes.Node]:
        questions = [
            (quiz.storage_key(question), question.title, notebooks.level_name(question))
            for question in run_order()
            if question.kind != "code"
        ]
        return [render_node("quizzing/mixed.html", questions=questions)]


def write_scripts(
    app: Sphinx, page_name: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Write the scripts that ask a chapter's questions again, once the chapter is rendered."""
    body, name = context.get("body", ""), page_name.rpartition("/")[2]
    if name in sheet.names() and 'class="om-quiz"' in body:
        folder = Path(app.outdir, "_static", FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        for question in quiz.page_questions(sheet.load(name)):
            script = question_script(question, body)
            (folder / script_name(question)).write_text(script, "utf-8")


def setup(app: Sphinx) -> None:
    app.add_directive("review", ReviewDirective)
    app.add_directive("run", RunDirective)
    rewrite_notebooks(app, insert_warm_up)
    app.connect("html-page-context", write_scripts)
    add_script_file(app, r'class="om-(warmup|review|mixed)"', "quizzing/review.js", priority=600)
