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

from _ext.sources import bare, change_notebooks, own_script, script_where
from pe_lib.course import predictions

SCRIPT = "predictions/field.js"
_HOST = re.compile(r'<div class="(om-predict|om-predicted)" .*?data-prediction="(.*?)"', re.DOTALL)
_EXPORT = re.compile(r"^export (?=const|function)", re.MULTILINE)


def rewrite(source: str) -> str:
    """The notebook `source` with its predictions as HTML."""
    notebook = json.loads(source)
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
            shown = result(about | {"choices": asked[about["number"]]["choices"]})
        else:
            asked[about["number"]] = about
            shown = question(about)
        for name in ("outputs", "execution_count"):
            del cell[name]
        cell |= {"cell_type": "markdown", "metadata": {}, "source": shown}
    return json.dumps(notebook)


def name(number: str) -> str:
    """The id of a question on its page.

    >>> name("2.1"), name("A.3")
    ('prediction-2-1', 'prediction-a-3')
    """
    return f"prediction-{number.replace('.', '-').lower()}"


def question(about: dict[str, Any]) -> str:
    """The choices as a list, or the line for a number; the room that the field will need."""
    choices = "".join(f"<li>{html.escape(choice)}</li>" for choice in about["choices"])
    unit = html.escape(about["unit"])
    shown = f"<ul>{choices}</ul>" if choices else f"<p>Your guess: ______ {unit}</p>"
    return (
        f'<div class="om-predict" id="{name(about["number"])}" {_data(about)}'
        f' style="--rows:{len(about["choices"]) or 1}">{shown}</div>'
    )


def result(about: dict[str, Any]) -> str:
    """What came out, in words, and the way back to the question."""
    said = html.escape(f"{about['said']} {about['unit']}".strip())
    link = f'<a href="#{name(about["number"])}">Prediction {about["number"]}</a>'
    return f'<div class="om-predicted" {_data(about)}><p>{link}. It is: {said}.</p></div>'


def _data(about: dict[str, Any]) -> str:
    text = json.dumps(about, ensure_ascii=False, sort_keys=True)
    return f'data-prediction="{html.escape(text, quote=True)}"'


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
        f'<div class="om-veil" data-number="{node["number"]}"><p><button type="button">Show me'
        '</button> or guess first: what comes next waits for it.</p><div hidden="until-found">'
    )


def depart_veil(self: Any, node: veil) -> None:
    self.body.append("</div></div>\n")


def classic(module: str) -> str:
    """The module as a script that a page opened from disk may load, too."""
    body = _EXPORT.sub("", module).replace("export default ", "window.omPredictions = ")
    return f'(() => {{\n"use strict";\n{bare(body)}}})();\n'


def setup(app: Sphinx) -> None:
    change_notebooks(app, lambda source, name: rewrite(source))
    app.add_node(veil, html=(visit_veil, depart_veil))
    app.connect("doctree-read", veiled)
    module = predictions.SOURCE.read_text("utf-8")
    own_script(app, 'class="om-predict"', SCRIPT, lambda: classic(module))
    script_where(app, 'class="om-predict"', "predictions.js", priority=600)
