"""Cut the two typefaces of the course down to the characters that it uses.

Source Serif is for text. Iosevka is for code, figures, explorers and buttons; its letters are half
an em wide, so that a phone shows 56 characters of code in a line.
"""

from pathlib import Path

from fontTools import subset

from _ext import cache

PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
PUNCTUATION = "\u00a0×·÷±°–—‘’“”…−²³½¼′″•é"
MATHS = "→←↑↓↔≤≥≈≠∞√∑∏∂παβγδεθκλμσφτωΔΣΩ∈⊤‖○●◐✓✗▾▸⟨⟩₀₁₂₃₄₅₆₇₈₉ᵀ"

# Family, weight, style, package and file. Iosevka is read as .woff, because a .woff2 must be
# unpacked whole before the first letter is reached, which takes twelve seconds for Iosevka.
FACES = [
    ("Text", 400, "normal", "source-serif-4", "source-serif-4-latin-400-normal.woff2"),
    ("Text", 400, "italic", "source-serif-4", "source-serif-4-latin-400-italic.woff2"),
    ("Text", 600, "normal", "source-serif-4", "source-serif-4-latin-600-normal.woff2"),
    ("Mark", 400, "normal", "iosevka", "iosevka-latin-400-normal.woff"),
    ("Mark", 600, "normal", "iosevka", "iosevka-latin-600-normal.woff"),
]
# What happens when a face arrives after the first paint. Text keeps the system's face, because its
# lines would break anew under the reader's eyes. The letters of Mark are as wide as those of its
# stand-ins, so it can be exchanged.
DISPLAY = {"Text": "optional", "Mark": "swap"}
STAND_INS = (
    '@font-face{font-family:"Mark 602";src:local("DejaVu Sans Mono"),local("Menlo"),'
    'local("Roboto Mono"),local("Noto Sans Mono"),local("Liberation Mono");size-adjust:83.1%}'
    '@font-face{font-family:"Mark 550";src:local("Consolas");size-adjust:91%}'
)
FEATURES = {"Text": ["kern", "liga"], "Mark": []}  # with ligatures Iosevka draws -> as an arrow


def write_fonts(modules: Path, folder: Path) -> str:
    """Write the faces into `folder`, unless they are there, and return their @font-face rules."""
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
    return STAND_INS + "".join(map(font_rule, FACES))


def file_name(face: tuple[str, int, str, str, str]) -> str:
    """Return the name of a face's file on the site."""
    family, weight, style, *_ = face
    return f"{family.lower()}-{weight}-{style}.woff2"


def font_rule(face: tuple[str, int, str, str, str]) -> str:
    """Return the @font-face rule of a face."""
    family, weight, style, *_ = face
    return (
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:{style};'
        f'font-display:{DISPLAY[family]};src:url(fonts/{file_name(face)}) format("woff2")}}'
    )


def write_subset(source: Path, target: Path, features: list[str]) -> None:
    """Write a font with only the characters of the course and these OpenType features."""
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = features
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 13, 14]  # the names, and the licence with its address
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=PRINTABLE + PUNCTUATION + MATHS)
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID == 1:  # the licence forbids its reserved name for a changed font
            record.string = f"Order Matters {target.name.split('-')[0].title()}"
    subset.save_font(font, str(target), options)
