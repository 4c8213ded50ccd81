"""Reduce the course's two typefaces to the characters that occur in the course.

Source Serif is for text. Iosevka is for code, figures, explorers and buttons. Its letters are half
an em wide, so that a phone shows 56 characters of code in a line.
"""

from base64 import b64encode
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
# The faces of Text are part of the style sheet, because a browser paints nothing before it has the
# style sheet. If they were files, a page would first be set in a system font. The letters of that
# font have other widths, so lines would break elsewhere, and the text would jump when the files
# arrive. All characters of Mark are equally wide. A system font that is scaled to their width
# breaks the same lines, so Mark can be files.
IN_STYLE = {"Text"}
STAND_INS = (
    '@font-face{font-family:"Mark 602";src:local("DejaVu Sans Mono"),local("Menlo"),'
    'local("Roboto Mono"),local("Noto Sans Mono"),local("Liberation Mono");size-adjust:83.1%}'
    '@font-face{font-family:"Mark 550";src:local("Consolas");size-adjust:91%}'
)
# The typeface Mark has no ligatures, since Iosevka would otherwise draw -> as an arrow.
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
    return STAND_INS + "".join(font_rule(face, folder) for face in FACES)


def file_name(face: tuple[str, int, str, str, str]) -> str:
    """Return the file name under which the site serves a font."""
    family, weight, style, *_ = face
    return f"{family.lower()}-{weight}-{style}.woff2"


def preloads() -> list[str]:
    """Return the file names of fonts that a page should request at once, before it needs them."""
    return [file_name(face) for face in FACES if face[0] not in IN_STYLE]


def font_rule(face: tuple[str, int, str, str, str], folder: Path) -> str:
    """Return the @font-face rule of a font whose file lies in `folder`."""
    family, weight, style, *_ = face
    address = f"fonts/{file_name(face)}"
    if family in IN_STYLE:
        encoded = b64encode((folder / file_name(face)).read_bytes()).decode()
        address = f"data:font/woff2;base64,{encoded}"
    return (
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:{style};'
        f'font-display:swap;src:url({address}) format("woff2")}}'
    )


def write_subset(source: Path, target: Path, features: list[str]) -> None:
    """Write a copy of a font with only the course's characters and some OpenType features."""
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = features
    options.hinting = False
    options.notdef_outline = True
    # the numbers of the entries for copyright, names and licence in a font
    options.name_IDs = [0, 1, 2, 13, 14]
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=PRINTABLE + PUNCTUATION + MATHS)
    subsetter.subset(font)
    for record in font["name"].names:
        # the licence allows only unmodified fonts to keep their original name
        if record.nameID == 1:
            record.string = f"Order Matters {target.name.split('-')[0].title()}"
    subset.save_font(font, str(target), options)
