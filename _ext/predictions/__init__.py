"""Guesses on a page: the field below a question, and the guess again beside the result.

The cells that ask and tell leave the page; in their place stands what paper and readers without
JavaScript need, the choices and the result in words. predictions.js turns it into the fields
that a notebook has (pe_lib/course/predictions.mjs).
"""

import html
import json
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.markup import filled
from _ext.sources import change_notebooks, classic, own_file, own_script
from pe_lib.course import predictions

SCRIPT = "predictions/field.js"
_HOST = re.compile(r'<div class="(om-predict|om-predicted)" .*?data-prediction="(.*?)"', re.DOTALL)
_EXPORT = re.compile(r"^export (?=const|function)", re.MULTILINE)


def rewrite(notebook: dict[str, Any]) -> None:
    """Put the notebook's predictions as HTML in place of their cells."""
    asked: dict[str, dict[str, Any]] = {}
    for cell in notebook["cells"]:
        held = [o["data"][predictions.MIME] for o in cell.get("outputs", ())
                if predictions.MIME in o.get("data", ())]  # fmt: skip
        if not held:
            continue
        about = held[0]
        if "said" in about:
            if about["number"] not in asked:
                raise ExtensionError(f"prediction {about['number']} is answered but not asked")
            about |= {"choices": asked[about["number"]]["choices"]}
            template = "predictions/result.html"
        else:
            asked[about["number"]] = about
            template = "predictions/question.html"
        for field in ("outputs", "execution_count"):
            del cell[field]
        shown = filled(template, about=about, name=name(about["number"]))
        cell |= {"cell_type": "markdown", "metadata": {}, "source": shown}


def name(number: str) -> str:
    """The id of a question on its page.

    >>> name("2.1"), name("A.3")
    ('prediction-2-1', 'prediction-a-3')
    """
    return f"prediction-{number.replace('.', '-').lower()}"


class veil(nodes.container):  # noqa: N801
    """What is shown of an experiment before a guess was made: nothing."""


def veiled(app: Sphinx, document: nodes.document) -> None:
    """Between a question and its result, in one section, stands the experiment: it waits, and so
    does the paragraph that reads the result."""
    for section in document.findall(nodes.section):
        shown: list[nodes.Node] = []
        asked, start = "", 0
        told: veil | None = None
        for child in section.children:
            last, told = told, None
            if last and isinstance(child, nodes.paragraph):
                last += child
                continue
            shown.append(child)
            found = _HOST.match(child.astext()) if isinstance(child, nodes.raw) else None
            if not found:
                continue
            number = json.loads(html.unescape(found[2]))["number"]
            if found[1] == "om-predict":
                asked, start = number, len(shown)
            elif asked == number:
                told = veil("", *shown[start:], number=number)
                shown[start:] = [told]
        section.children = []
        section.extend(shown)


def visit_veil(self: Any, node: veil) -> None:
    self.body.append(
        f'<div class="om-veil" data-number="{node["number"]}"><p class="om-actions">'
        '<button type="button">Show me</button> or guess first: what comes next waits for it.</p>'
        '<div hidden="until-found">'
    )


def depart_veil(self: Any, node: veil) -> None:
    self.body.append("</div></div>\n")


def script() -> str:
    """The module as a script that a page opened from disk may load, too."""
    module = _EXPORT.sub("", predictions.SOURCE.read_text("utf-8"))
    return classic(module.replace("export default ", "window.omPredictions = "))


def setup(app: Sphinx) -> None:
    change_notebooks(app, lambda notebook, name: rewrite(notebook))
    app.add_node(veil, html=(visit_veil, depart_veil))
    app.connect("doctree-read", veiled)
    own_script(app, 'class="om-predict"', SCRIPT, script)
    own_file(app, 'class="om-predict"', "predictions/predictions.js", priority=600)
