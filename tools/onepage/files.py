"""The sheet as files: order-matters-a4 and order-matters-letter, each as PDF and as SVG.

The same sources give the same bytes. Matplotlib's SVG becomes a third of its size here: each look
of a text is a class, numbers have two decimals, and the letters that are used come along as fonts.
"""

import base64
import io
import re
from collections import defaultdict
from functools import cache
from html import unescape
from itertools import groupby
from pathlib import Path

import matplotlib
from fontTools import subset
from fontTools.ttLib import TTFont
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont

from tools.onepage.paper import SETTINGS, SIZES, Style, width_of
from tools.onepage.sheet import AUTHOR, SUBTITLE, TITLE, page

_STYLED = re.compile(
    r'<(text|tspan)([^>]*?) style="(font[^"]*|[^"]*font-size[^"]*)"([^>]*)>([^<]*)<'
)


def write(folder: Path) -> list[Path]:
    """Write the four files and say where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with matplotlib.rc_context(SETTINGS):
        for paper in SIZES:
            fig = page(paper)
            for kind, bytes_of in (("pdf", pdf), ("svg", svg)):
                made.append(folder / f"order-matters-{paper}.{kind}")
                made[-1].write_bytes(bytes_of(fig))
    return made


def pdf(fig: Figure) -> bytes:
    file, undated = io.BytesIO(), {"CreationDate": None, "Creator": None, "Producer": None}
    said = {"Title": TITLE, "Author": AUTHOR, "Subject": f"{SUBTITLE}. CC BY 4.0."}
    fig.savefig(file, format="pdf", metadata=said | undated)
    return file.getvalue()


def svg(fig: Figure) -> bytes:
    file = io.StringIO()
    fig.savefig(file, format="svg", metadata={"Title": TITLE, "Date": None, "Creator": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' id="(?:text|line2d|patch|figure|axes)_\d+"', "", text)
    text = re.sub(r' transform="rotate\(-0[^"]*\)"', "", text)
    classes: dict[str, str] = {}
    used: dict[str, set[str]] = defaultdict(set)  # the letters of each font

    def classed(found: re.Match[str]) -> str:
        tag, before, look, after, said = found.groups()
        look = look.replace("text-anchor: start; ", "").replace("; fill: #1b1f24", "")
        name = classes.setdefault(look, f"c{len(classes)}")
        used[face(look)].update(unescape(said))
        length = f' textLength="{measured(unescape(said), look):.2f}"' if tag == "text" else ""
        return f'<{tag}{before} class="{name}"{after}{length}>{said}<'

    text = _STYLED.sub(classed, text)
    text = re.sub(r"<text>.*?</text>", in_order, text, flags=re.DOTALL)
    text = re.sub(r"<[^>]+>", lambda tag: re.sub(r"-?\d+\.\d{3,}", shorter, tag[0]), text)
    text = re.sub(r"(?<=>)\s+(?=<)|(?<=\d)\s*\n\s*(?=[A-Za-z])", "", text)
    styles = [f"{font_face(look, ''.join(sorted(letters)))}" for look, letters in used.items()]
    styles += [f".{name}{{{look}}}" for look, name in classes.items()]
    text = text.replace("</style>", "text{fill:#1b1f24}" + "".join(styles) + "</style>", 1)
    return text.replace("<svg", f'<svg role="img" aria-label="{TITLE}"', 1).encode()


def shorter(found: re.Match[str]) -> str:
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")


def in_order(formula: re.Match[str]) -> str:
    """The letters of a formula from left to right, together where they stand on one line."""
    found = re.findall(r'<tspan x="([^"]*)" y="([^"]*)" class="(\w+)">([^<]*)<', formula[0])
    letters = sorted(found, key=lambda letter: float(letter[0]))
    runs = ((look, list(run)) for look, run in groupby(letters, key=lambda letter: letter[1:3]))
    return "<text>" + "".join(
        f'<tspan x="{" ".join(x for x, *_ in run)}" y="{y}" class="{name}">'
        f"{''.join(letter for *_, letter in run)}</tspan>"
        for (y, name), run in runs
    ) + "</text>"  # fmt: skip


def face(look: str) -> str:
    """What decides about the font: family, weight and slant."""
    said = re.findall(r"font-(?:family|weight|style): [^;]*", look)
    return "; ".join(sorted(said))


def properties(look: str) -> FontProperties:
    said = dict(re.findall(r"font-(family|weight|style): '?([^;']*)", look))
    weight = int(said.get("weight", 400))
    return FontProperties(family=said["family"], style=said.get("style", "normal"), weight=weight)


def measured(text: str, look: str) -> float:
    """How wide it is: where a program takes another font, it keeps the place."""
    found = properties(look)
    weight = "bold" if found.get_weight() == 700 else "normal"
    (size,) = re.findall(r"font-size: ([\d.]+)px", look)
    return width_of(text, Style(float(size), weight=weight, family=found.get_family()[0]))


@cache
def font_face(look: str, letters: str) -> str:
    """The font with these letters alone, as a rule of CSS."""
    options = subset.Options()
    options.hinting, options.recalc_timestamp, options.flavor = False, False, "woff2"
    options.layout_features, options.drop_tables = ["kern"], [*options.drop_tables, "FFTM"]
    font = TTFont(findfont(properties(look)), recalcTimestamp=False)
    maker = subset.Subsetter(options)
    maker.populate(text=letters)
    maker.subset(font)
    file = io.BytesIO()
    font.flavor = "woff2"
    font.save(file)
    data = base64.b64encode(file.getvalue()).decode()
    return f"@font-face{{{look}; src: url(data:font/woff2;base64,{data})}}"
