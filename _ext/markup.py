"""HTML and Markdown that stand in a template, beside the code that knows what to fill in."""

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension


class Joined(Extension):
    """A template of HTML has lines and indentation for people; what it makes is one line."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        if not str(name).endswith(".html"):
            return source
        between = re.sub(r"(?<=[>}])\s*\n\s*(?=[<{])", "", source.strip())
        return re.sub(r"\s*\n\s*", " ", between)


def data(value: Any) -> str:
    """What an attribute holds for a script."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=lambda name: str(name).endswith(".html"),
    extensions=[Joined],
    trim_blocks=True,
    undefined=StrictUndefined,
)
_TEMPLATES.filters["data"] = data


def filled(template: str, **known: Any) -> str:
    """A template, named from `_ext` on, with what it asks for."""
    return _TEMPLATES.get_template(template).render(known)


def raw(template: str, **known: Any) -> nodes.raw:
    """The same as a node of a page."""
    return nodes.raw("", filled(template, **known), format="html")
