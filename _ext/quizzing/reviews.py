"""Questions asked again: three at the head of a later chapter, and all of them under *Review*.

Each is a script of its own, with the prompt as its chapter typeset it and the form that judges the
answer; quizzing/review.js fetches those that it asks, so that a page weighs no more on the first
visit.
"""

import json
import re
from itertools import zip_longest
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.markup import filled, raw
from _ext.quizzing import quiz
from _ext.sources import change_notebooks, insert, own_file
from pe_lib.course.grading import sheet
from pe_lib.course.grading.sheet import Question

FOLDER = "questions"
FIRST = 3  # the first chapter that asks again
PLACE = "## "  # before the first section
# what stands between the heading of a question, or the line that it is folded behind, and its form
_PROMPT = re.compile(
    r'</h3>\s*(?:<details.*?</summary>|<p class="om-level">.*?</p>)?\s*(.*?)<form class="om-quiz"',
    re.DOTALL,
)
_CARD = re.compile(r' aria-describedby="card-[^"]*"')


def file(question: Question) -> str:
    return f"{question.sheet[:2]}-{question.name.replace('_', '-')}.js"


def script(question: Question, body: str) -> str:
    """The question as its page shows it, without what only a page can have."""
    found = _PROMPT.search(body, body.index(f'id="{quiz.place(question)}"'))
    assert found
    prompt = _CARD.sub("", found[1]).replace('href="#', f'href="{question.sheet}.html#')
    # the page that asks may have a question of its own by this name
    shown = prompt + quiz.form(question, f"again-{question.sheet[:2]}")
    key, text = (json.dumps(one, ensure_ascii=False) for one in (quiz.kept_as(question), shown))
    return f"(window.omQuestions ??= {{}})[{key}] = {text};\n"


def spread(chapter: int) -> list[Question]:
    """All questions of earlier chapters, led by three: of the last one, halfway, and early on.

    Which of a chapter's questions it is changes with the chapter that asks; those come first that
    are easy, for they are asked before a reader has warmed up, and whose numbers can change.
    """
    before = [name for name in sheet.names() if int(name[:2]) < chapter]
    groups = [quiz.on_page(sheet.load(name)) for name in before]
    turned = []
    for questions in groups:
        easy = [q for q in questions if q.level == 1] or questions
        numbered = [q for q in easy if q.given_code] or easy
        at = chapter % len(numbered)
        first = numbered[at:] + numbered[:at]
        turned.append(first + [q for q in questions if q not in first])
    count = len(turned)
    lead = sorted({count - 1, count // 2, count // 5}, reverse=True)
    order = lead + [n for n in range(count) if n not in lead]
    rounds = zip_longest(*(turned[n] for n in order))
    return [question for one in rounds for question in one if question]


def listed(questions: list[Question]) -> list[tuple[str, str]]:
    """Keys and titles for the page's script."""
    return [(quiz.kept_as(question), question.title) for question in questions]


def rewrite(notebook: dict[str, Any], name: str) -> None:
    """Put the three questions below the first screen of the notebook."""
    if re.match(r"\d\d-", name) and int(name[:2]) >= FIRST:
        questions = listed(spread(int(name[:2])))
        insert(notebook, PLACE, filled("quizzing/warm-up.html", questions=questions))


class Review(SphinxDirective):
    """Where quizzing/review.js asks what is due."""

    def run(self) -> list[nodes.Node]:
        every = [q for name in sheet.names() for q in quiz.on_page(sheet.load(name))]
        return [raw("quizzing/review.html", questions=listed(every))]


def write(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """The scripts of a chapter's questions."""
    body, name = context.get("body", ""), pagename.rpartition("/")[2]
    if name in sheet.names() and 'class="om-quiz"' in body:
        folder = Path(app.outdir, "_static", FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        for question in quiz.on_page(sheet.load(name)):
            (folder / file(question)).write_text(script(question, body), "utf-8")


def setup(app: Sphinx) -> None:
    app.add_directive("review", Review)
    change_notebooks(app, rewrite)
    app.connect("html-page-context", write)
    own_file(app, r'class="om-(warmup|review)"', "quizzing/review.js", priority=600)
