"""How high a section will be, before it is laid out.

A section far from the screen waits with its layout (theme/site.css) and keeps the room that is
told here, from what it holds, until scrolling.js has measured it. Nine of ten are right to
16 %. With the same room for all, `contain-intrinsic-size: auto 40rem`, the page of chapter 4 was
12,000 pixels high at first, not 47,000, and moved by up to 4,500 while one scrolled up.
"""

import re

from _ext.plaintext import untagged

# Pixels that each takes, wide and on a phone: least squares over the course's sections, weighted by
# 1 / sqrt(height + 200)
PIXELS = {
    "characters": (0.56, 0.67),
    "paragraphs": (5, 22),
    "lines of code": (22, 19),
    "blocks of code": (17, 17),
    "formulas": (106, 91),
    "figures": (512, 315),  # as high as wide
    "captions": (74, 51),
    "explorers": (612, 697),
    "headings": (71, 29),
    "folded": (74, 94),
    "questions": (150, 144),
    "choices": (9, 17),
}

_FIGURE = re.compile(r'<figure class="om-figure".*?<svg[^>]*? width="(\d+)" height="(\d+)"', re.S)
_ANSWER = re.compile(r'<details(?! class="hide").*?</details>', re.S)
_UNSEEN = re.compile(
    r'<details class="hide">.*?</details>|<span class="katex-mathml">.*?</span></span>'
    r"|<svg.*?</svg>|<noscript>.*?</noscript>",
    re.S,
)
_PRE = re.compile(r"<pre>(.*?)</pre>", re.S)


def parts(html: str) -> dict[str, float]:
    """How much of each the HTML of a section holds, as it is seen at first."""
    ratios = [int(height) / int(width) for width, height in _FIGURE.findall(html)]
    seen = _UNSEEN.sub("", _ANSWER.sub("<summary>", html))
    code = _PRE.findall(seen)
    text = untagged(_PRE.sub("", seen))
    return {
        "characters": len(" ".join(text.split())),
        "paragraphs": seen.count("<p") + seen.count("<li"),
        "lines of code": sum(block.rstrip().count("\n") + 1 for block in code),
        "blocks of code": len(code),
        "formulas": seen.count("katex-display"),
        "figures": sum(ratios),
        "captions": len(ratios),
        "explorers": html.count('class="om-explorer"'),
        "headings": len(re.findall(r"<h[234]", seen)),
        "folded": html.count('<details class="hide">') + seen.count("<summary>"),
        "questions": html.count('class="om-quiz"'),
        "choices": html.count('type="radio"'),
    }


def room(html: str) -> str:
    """The style that tells how high a section is, wide and on a phone."""
    held = parts(html)
    wide, phone = (
        sum(held[part] * pixels[look] for part, pixels in PIXELS.items()) for look in (0, 1)
    )
    return f"--room:{wide:.0f}px;--room-phone:{phone:.0f}px"
