"""How high a section will be, before it is laid out.

A section far from the screen waits with its layout (assets/site.css) and keeps the room that is told
here, from what it holds. A few per cent off is near enough: what is seen is measured.
"""

import re

# What a section holds, and the pixels that each takes, wide and on a phone: fitted to the sections
# of the course by least squares (benchmarks/heights.py)
PARTS = {
    "characters": (0.50, 0.80),
}

_TAG = re.compile(r"<[^>]+>")
_HIDDEN = re.compile(
    r'<details class="hide">.*?</details>|<span class="katex-mathml">.*?</span></span>|<svg.*?</svg>'
    r"|<noscript>.*?</noscript>",
    re.DOTALL,
)
_PRE = re.compile(r"<pre>(.*?)</pre>", re.DOTALL)
_FIGURE = re.compile(r'<figure class="om-figure".*?<svg[^>]*? width="(\d+)" height="(\d+)"', re.DOTALL)
_SIZES = re.compile(r'<svg[^>]*?\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"')


def parts(html: str) -> dict[str, float]:
    """What the HTML of a section holds."""
    figures = [m for m in re.findall(r'<figure class="om-figure".*?</figure>', html, re.DOTALL)]
    ratios = [float(h) / float(w) for f in figures for w, h in _SIZES.findall(f)[:1]]
    folded = html.count('<details class="hide">')
    closed = re.sub(r"<details(?! class=\"hide\").*?</details>", "<summary>", html, flags=re.DOTALL)
    seen = _HIDDEN.sub("", closed)
    code = _PRE.findall(seen)
    text = _TAG.sub("", _PRE.sub("", seen))
    return {
        "characters": len(" ".join(text.split())),
        "paragraphs": seen.count("<p") + seen.count("<li"),
        "lines of code": sum(block.rstrip().count("\n") + 1 for block in code),
        "blocks of code": len(code),
        "formulas": seen.count("katex-display"),
        "figures": sum(ratios),
        "captions": len(ratios),
        "explorers": html.count('class="om-explorer"'),
        "rows": seen.count("<tr"),
        "headings": len(re.findall(r"<h[234]", seen)),
        "folded": folded + closed.count("<summary>") - folded,
        "questions": html.count('class="om-quiz"'),
        "choices": html.count('type="radio"'),
        "section": 1,
    }
