"""Ask readers to predict a result, and show their prediction next to the result later.

The cells that call `predict` and `predicted` are replaced by the choices and the result as plain
HTML, for paper and for readers without JavaScript. predictions.js turns this HTML into the same
fields that a notebook has (pe_lib/course/predictions.mjs).
"""

import html
import json
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.markup import render_template
from _ext.sources import add_script, add_script_file, bundle_script, rewrite_notebooks
from pe_lib.course import predictions

SCRIPT = "predictions/field.js"
_HOST = re.compile(r'<div class="(om-predict|om-predicted)" .*?data-prediction="(.*?)"', re.DOTALL)


def rewrite(notebook: dict[str, Any]) -> None:
    """Turn the notebook cells that ask for a prediction, or that show a result, into HTML."""
    questions: dict[str, dict[str, Any]] = {}
    for cell in notebook["cells"]:
        outputs = [output.get("data", {}) for output in cell.get("outputs", ())]
        published = [data[predictions.MIME] for data in outputs if predictions.MIME in data]
        if not published:
            continue
        about = published[0]
        if "said" in about:
            if about["number"] not in questions:
                raise ExtensionError(f"prediction {about['number']} is answered but not asked")
            about |= {"choices": questions[about["number"]]["choices"]}
            template = "predictions/result.html"
        else:
            questions[about["number"]] = about
            template = "predictions/question.html"
        for field in ("outputs", "execution_count"):
            del cell[field]
        source = render_template(template, about=about, name=question_id(about["number"]))
        cell |= {"cell_type": "markdown", "metadata": {}, "source": source}


def question_id(number: str) -> str:
    """Return the HTML id that a question has on its page.

    >>> question_id("2.1"), question_id("A.3")
    ('prediction-2-1', 'prediction-a-3')
    """
    return f"prediction-{number.replace('.', '-').lower()}"


class veil(nodes.container):  # noqa: N801
    """A node that hides an experiment until the reader has made a prediction."""


def veil_experiments(app: Sphinx, document: nodes.document) -> None:
    """Hide each experiment and its result until the reader has answered the question above it.

    The paragraph after the result is hidden as well, because it explains the result.
    """
    for section in document.findall(nodes.section):
        children: list[nodes.Node] = []
        # `question` is the latest question on the page, and its experiment starts at the index
        # `start`.
        question, start = "", 0
        # the veil that ends just before this child of the page, or None
        last_veil: veil | None = None
        for child in section.children:
            current_veil, last_veil = last_veil, None
            if current_veil and isinstance(child, nodes.paragraph):
                current_veil += child
                continue
            children.append(child)
            host = _HOST.match(child.astext()) if isinstance(child, nodes.raw) else None
            if not host:
                continue
            number = json.loads(html.unescape(host[2]))["number"]
            if host[1] == "om-predict":
                question, start = number, len(children)
            elif question == number:
                last_veil = veil("", *children[start:], number=number)
                children[start:] = [last_veil]
        section.children = []
        section.extend(children)


def visit_veil(self: Any, node: veil) -> None:
    self.body.append(
        f'<div class="om-veil" data-number="{node["number"]}"><div hidden="until-found">'
    )


def depart_veil(self: Any, node: veil) -> None:
    # The button is below the experiment, so that nothing above it moves when it disappears.
    self.body.append(
        '</div><p class="om-actions"><button type="button">Show me</button> '
        "or guess first: what comes next waits for it.</p></div>\n"
    )


def field_script() -> str:
    """Return predictions.mjs as a classic script, which also runs on pages opened from disk."""
    return bundle_script(
        f'import fields from "{predictions.SOURCE.as_posix()}"; window.omPredictions = fields;'
    )


def setup(app: Sphinx) -> None:
    rewrite_notebooks(app, lambda notebook, name: rewrite(notebook))
    app.add_node(veil, html=(visit_veil, depart_veil))
    app.connect("doctree-read", veil_experiments)
    add_script(app, 'class="om-predict"', SCRIPT, field_script)
    add_script_file(app, 'class="om-predict"', "predictions/predictions.js", priority=600)
