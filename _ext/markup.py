"""Render HTML and Markdown from Jinja templates, which are kept next to the code that uses them."""

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension


class JoinLines(Extension):
    """Join the lines of an HTML template, which are broken and indented only for readability."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        if not str(name).endswith(".html"):
            return source
        without_gaps = re.sub(r"(?<=[>}])\s*\n\s*(?=[<{])", "", source.strip())
        return re.sub(r"\s*\n\s*", " ", without_gaps)


def to_json(value: Any) -> str:
    """Return a value as JSON, for an HTML attribute that a script reads."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=lambda name: str(name).endswith(".html"),
    extensions=[JoinLines],
    trim_blocks=True,
    undefined=StrictUndefined,
)
_TEMPLATES.filters["data"] = to_json


def render_template(template: str, **values: Any) -> str:
    """Return the text of a template in `_ext`, filled in with the given values."""
    return _TEMPLATES.get_template(template).render(values)


def render_node(template: str, **values: Any) -> nodes.raw:
    """Return an HTML template as a docutils node, filled in with the given values."""
    return nodes.raw("", render_template(template, **values), format="html")
