"""Reduce the course's two typefaces to the characters that occur in the course.

Source Serif is for text. Iosevka is for code, figures, explorers and buttons. Its letters are half
an em wide, so that a phone shows 56 characters of code in a line.
"""

from pathlib import Path

from fontTools import subset

from _ext import cache

PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
PUNCTUATION = "\u00a0×·÷±°–—‘’“”…−²³½¼′″•é"
MATHS = "→←↑↓↔≤≥≈≠∞√∑∏∂παβγδεθκλμσφτωΔΣΩ∈⊤‖○●◐◇◆✓✗▾▸⟨⟩₀₁₂₃₄₅₆₇₈₉ᵀ"

# Each tuple gives the family, weight, style, npm package and file name of a font.
# For Iosevka, .woff files are read, because unpacking its .woff2 files takes twelve seconds.
FACES = [
    ("Text", 400, "normal", "source-serif-4", "source-serif-4-latin-400-normal.woff2"),
    ("Text", 400, "italic", "source-serif-4", "source-serif-4-latin-400-italic.woff2"),
    ("Text", 600, "normal", "source-serif-4", "source-serif-4-latin-600-normal.woff2"),
    ("Mark", 400, "normal", "iosevka", "iosevka-latin-400-normal.woff"),
    ("Mark", 600, "normal", "iosevka", "iosevka-latin-600-normal.woff"),
]
# A browser first shows text in a system font, and changes to our font when it has loaded.
# Each system font is scaled to the width of our font, so that this change does not move lines.
# For a Text font, the scale is the ratio between the average widths of letters in English text:
# 0.479 em in Source Serif 4, 0.446 in Georgia, 0.406 in Times New Roman, 0.481 in Noto Serif (from
# @capsizecss/metrics 3.5.0). DejaVu Serif is 1.071 times as wide as Source Serif 4.
SCALES = {
    "Text 107": (107.4, ["Georgia"]),
    "Text 100": (99.6, ["Noto Serif"]),
    "Text 118": (117.9, ["Times New Roman", "Liberation Serif", "Tinos"]),
    "Text 93": (93.4, ["DejaVu Serif"]),
}
ASCENT, DESCENT = 103.6, 33.5  # of Source Serif 4, in percent of the font size
STAND_INS = (
    '@font-face{font-family:"Mark 602";src:local("DejaVu Sans Mono"),local("Menlo"),'
    'local("Roboto Mono"),local("Noto Sans Mono"),local("Liberation Mono");size-adjust:83.1%}'
    '@font-face{font-family:"Mark 550";src:local("Consolas");size-adjust:91%}'
)
# The typeface Mark gets no ligatures, because Iosevka would draw -> as an arrow.
FEATURES = {"Text": ["kern", "liga"], "Mark": []}


def write_fonts(modules: Path, folder: Path) -> str:
    """Write the fonts into `folder` if they are out of date, and return their CSS rules."""
    packages = modules / "@fontsource"
    own = Path(__file__).read_text("utf-8")
    digest = cache.digest(packages, [f"{face[3]}/package.json" for face in FACES], own)

    def make(folder: Path) -> None:
        folder.mkdir(parents=True)
        for face in FACES:
            family, _, _, package, file = face
            source = packages / package / "files" / file
            write_subset(source, folder / file_name(face), FEATURES[family])

    cache.keep(folder, digest, make)
    scaled = (scaled_rule(name, *SCALES[name]) for name in SCALES)
    return STAND_INS + "".join([*scaled, *map(font_rule, FACES)])


def file_name(face: tuple[str, int, str, str, str]) -> str:
    """Return the file name under which the site serves a font."""
    family, weight, style, *_ = face
    return f"{family.lower()}-{weight}-{style}.woff2"


def font_rule(face: tuple[str, int, str, str, str]) -> str:
    """Return the @font-face rule of a font."""
    family, weight, style, *_ = face
    return (
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:{style};'
        f'font-display:swap;src:url(fonts/{file_name(face)}) format("woff2")}}'
    )


def scaled_rule(name: str, scale: float, local_fonts: list[str]) -> str:
    """Return the @font-face rule of a system font, scaled to the widths and heights of Text."""
    sources = ",".join(f'local("{font}")' for font in local_fonts)
    ascent, descent = (round(100 * percent / scale, 1) for percent in (ASCENT, DESCENT))
    return (
        f'@font-face{{font-family:"{name}";src:{sources};size-adjust:{scale}%;'
        f"ascent-override:{ascent}%;descent-override:{descent}%;line-gap-override:0%}}"
    )


def write_subset(source: Path, target: Path, features: list[str]) -> None:
    """Write a copy of a font with only the course's characters and some OpenType features."""
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = features
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 13, 14]  # the font's copyright notice, its names and its licence
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=PRINTABLE + PUNCTUATION + MATHS)
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID == 1:  # the licence allows the original name only for unmodified fonts
            record.string = f"Order Matters {target.name.split('-')[0].title()}"
    subset.save_font(font, str(target), options)
