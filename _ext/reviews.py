"""Questions asked again: three at the head of a later chapter, and all of them under *Review*.

Each is a script of its own, with the prompt as its chapter typeset it and the form that judges the
answer; quizzing/review.js fetches those that it asks, so that a page weighs no more on the first
visit.
"""

import html
import json
import re
import zlib
from itertools import zip_longest
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext import quiz
from _ext.sources import change_notebooks
from pe_lib.course.grading import sheet
from pe_lib.course.grading.sheet import Question

FOLDER = "questions"
FIRST = 3  # the first chapter that asks again
PLACE = "## "  # before the first section
_LEVEL = re.compile(r'<p class="om-level">.*?</p>')
_FOLD = re.compile(r'<details class="om-fold"><summary>.*?</summary>|</details>\s*$', re.DOTALL)
_HEADING = re.compile(r"^.*?</h3>", re.DOTALL)
_CARD = re.compile(r' aria-describedby="card-[^"]*"')
_NOSCRIPT = re.compile(r"<noscript>.*?</noscript>", re.DOTALL)


def file(question: Question) -> str:
    return f"{question.sheet[:2]}-{question.name.replace('_', '-')}.js"


def script(question: Question, section: str) -> str:
    """The question as its page shows it, without heading, level and what only a page can have."""
    inner = _HEADING.sub("", section).removesuffix("</section>")
    for needless in (_FOLD, _LEVEL, _NOSCRIPT, _CARD):
        inner = needless.sub("", inner)
    inner = inner.strip()
    # the page that asks may have a question of its own by this name
    inner = re.sub(r' (id|for|name)="answer-', rf' \1="again-{question.sheet[:2]}-', inner)
    inner = inner.replace('href="#', f'href="{question.sheet}.html#')
    key, text = (json.dumps(one, ensure_ascii=False) for one in (quiz.kept_as(question), inner))
    return f"(window.omQuestions ??= {{}})[{key}] = {text};\n"


def sections(body: str, content: sheet.Content) -> dict[str, str]:
    """The HTML of each question on a chapter's page, by the question's name."""
    found = {}
    for question in quiz.on_page(content):
        start = body.index(f'id="exercise-{question.name.replace("_", "-")}"')
        end = body.index("</section>", start) + len("</section>")
        found[question.name] = body[start:end]
    return found


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


def listed(questions: list[Question]) -> str:
    """Keys and titles for the page's script."""
    data = [[quiz.kept_as(question), question.title] for question in questions]
    return html.escape(json.dumps(data, ensure_ascii=False, separators=(",", ":")), quote=True)


def warm_up(chapter: int) -> str:
    return (
        f'<details class="om-warmup" data-questions="{listed(spread(chapter))}">'
        "<summary>Before you go on: three questions from earlier chapters</summary>"
        "<p>They need JavaScript. Without it, answer three of the"
        ' <a href="appendix-exercises.html">exercises</a> once more.</p></details>'
    )


def rewrite(source: str, name: str) -> str:
    """The notebook `source` with the three questions after its first screen."""
    if not re.match(r"\d\d-", name) or int(name[:2]) < FIRST:
        return source
    notebook = json.loads(source)
    starts = ("".join(cell["source"]).startswith(PLACE) for cell in notebook["cells"])
    place = next((n for n, here in enumerate(starts) if here), 1)
    new = {
        "cell_type": "markdown",
        "id": "warm-up",
        "metadata": {},
        "source": warm_up(int(name[:2])),
    }
    notebook["cells"].insert(place, new)
    return json.dumps(notebook)


class Review(SphinxDirective):
    """Where quizzing/review.js asks what is due."""

    def run(self) -> list[nodes.Node]:
        every = [q for name in sheet.names() for q in quiz.on_page(sheet.load(name))]
        box = (
            f'<div class="om-review" data-questions="{listed(every)}">'
            "<noscript><p>This page needs JavaScript. Without it:</p></noscript>"
            "<p>Go back to a chapter's exercises after a day, three days, a week and three weeks."
            "</p></div>"
        )
        return [nodes.raw("", box, format="html")]


def write(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """The scripts of a chapter's questions, and the script that asks on pages that do."""
    body, name = context.get("body", ""), pagename.rpartition("/")[2]
    if name in sheet.names() and 'class="om-quiz"' in body:
        folder = Path(app.outdir, "_static", FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        content = sheet.load(name)
        for title, section in sections(body, content).items():
            question = content.questions[title]
            (folder / file(question)).write_text(script(question, section), "utf-8")
    if 'class="om-warmup"' in body or 'class="om-review"' in body:
        if 'class="om-quiz"' not in body:  # else _ext.quiz has added it
            app.add_js_file(quiz.SCRIPT, defer="defer")
        app.add_js_file("review.js", priority=600, defer="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("review", Review)
    change_notebooks(app, rewrite)
    app.connect("html-page-context", write)
    # pages are stale when this code changes; when a sheet does, _ext.quiz says so
    version = zlib.crc32(Path(__file__).read_bytes())
    return {"env_version": version, "parallel_read_safe": True}
