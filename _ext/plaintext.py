"""Convert document nodes, TeX and HTML to plain text on a single line."""

import html
import re
from html.entities import html5

from docutils import nodes

_TEX = (
    (re.compile(r"\\(?:text|mathrm|operatorname|mathbf|vec)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\t?frac\{([^{}]*)\}\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"\\(?:cdot|times)(?![a-z])"), "·"),
    (re.compile(r"\\(?:left|right|[ld]?dots|quad)(?![a-z])|\\[,;!]"), " "),
    (re.compile(r"\\sqrt(?![a-z])"), "√"),
    (re.compile(r"[{}]"), ""),
)
_COMMAND = re.compile(r"\\([A-Za-z]*)")
_TAG = re.compile(r"<[^>]+>")


def read_plain_text(node: nodes.Node) -> str:
    """Return the text in a node on a single line, with formulas as plain text."""
    parts: list[str] = []
    for leaf in node.findall(nodes.Text):
        if isinstance(leaf.parent, nodes.math):
            parts.append(simplify_tex(leaf.astext()))
        elif not isinstance(leaf.parent, nodes.raw):
            parts.append(leaf.astext())
    return " ".join("".join(parts).split())


def simplify_tex(tex: str) -> str:
    r"""Return TeX as plain text, with Unicode signs in place of commands, and without braces.

    >>> simplify_tex(r"\tfrac{d}{2} \cdot \mathrm{PE}_{2i} \le \sin \pi")
    'd/2 · PE_2i ≤ sin π'
    """
    for pattern, sign in _TEX:
        tex = pattern.sub(sign, tex)
    return _COMMAND.sub(lambda command: html5.get(f"{command[1]};", command[1]), tex)


def strip_tags(source: str) -> str:
    """Return the plain text in a piece of HTML, without tags and with entities decoded."""
    return html.unescape(_TAG.sub("", source))
