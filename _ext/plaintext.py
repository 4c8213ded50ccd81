"""What can be read in a line: of a parsed node, of TeX, of HTML."""

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


def plain(node: nodes.Node) -> str:
    """The words of a node, its formulas written so that they can be read in a line."""
    parts: list[str] = []
    for leaf in node.findall(nodes.Text):
        if isinstance(leaf.parent, nodes.math):
            parts.append(formula(leaf.astext()))
        elif not isinstance(leaf.parent, nodes.raw):
            parts.append(leaf.astext())
    return " ".join("".join(parts).split())


def formula(tex: str) -> str:
    r"""TeX without most of its signs.

    >>> formula(r"\tfrac{d}{2} \cdot \mathrm{PE}_{2i} \le \sin \pi")
    'd/2 · PE_2i ≤ sin π'
    """
    for sign, shown in _TEX:
        tex = sign.sub(shown, tex)
    return _COMMAND.sub(lambda found: html5.get(f"{found[1]};", found[1]), tex)


def untagged(source: str) -> str:
    return html.unescape(_TAG.sub("", source))
