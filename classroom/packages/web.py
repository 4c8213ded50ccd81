"""The Markdown of the sheets as HTML, for systems that know no Markdown. Formulas stay TeX."""

from __future__ import annotations

import html
import re

from pe_lib.course.grading.feedback import marked

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
_PRIVATE = 0xE000  # characters that no text uses stand for formulas while the rest is marked up


def block(text: str) -> str:
    """Paragraphs, lists and tables. Raises ValueError for a picture: none would come along.

    >>> block("Give *two*:\\n\\n1. the one;\\n2. the other, $x < 2$.")
    '<p>Give <em>two</em>:</p><ol><li>the one;</li><li>the other, \\\\(x &lt; 2\\\\).</li></ol>'
    """
    if "![" in text:
        raise ValueError(f"a picture can't be carried over yet: {text[text.index('![') :][:60]}")
    return "".join(_block(lines) for lines in re.split(r"\n\s*\n", text.strip()))


def inline(text: str) -> str:
    """`code`, *stress* and formulas: \\( \\) in a line, \\[ \\] on a line of their own.

    >>> inline("`d_model` is $d$, and $$t = d$$")
    '<code>d_model</code> is \\\\(d\\\\), and \\\\[t = d\\\\]'
    """
    formulas = []

    def kept(match: re.Match[str]) -> str:
        shown, within = match.groups()
        formulas.append(rf"\[{shown}\]" if shown else rf"\({within}\)")
        return chr(_PRIVATE + len(formulas) - 1)

    said = marked(_FORMULA.sub(kept, text))
    for number, formula in enumerate(formulas):
        said = said.replace(chr(_PRIVATE + number), html.escape(formula, quote=False))
    return said


def _block(lines: str) -> str:
    rows = lines.splitlines()
    if len(rows) > 1 and re.fullmatch(r"[|\s:-]+", rows[1]):
        head, *body = ([inline(cell.strip()) for cell in row.strip(" |").split("|")]
                       for row in (rows[0], *rows[2:]))  # fmt: skip
        width = max(map(len, body))
        head = [""] * (width - len(head)) + head
        return f"<table>{_row('th', head)}{''.join(_row('td', cells) for cells in body)}</table>"
    for tag, sign in (("ol", r"\d+\. "), ("ul", "- ")):
        if all(re.match(sign, row) for row in rows):
            items = (inline(re.sub(sign, "", row, count=1)) for row in rows)
            return f"<{tag}>{''.join(f'<li>{item}</li>' for item in items)}</{tag}>"
    return f"<p>{inline(lines)}</p>"


def _row(tag: str, cells: list[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"
