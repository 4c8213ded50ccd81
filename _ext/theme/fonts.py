"""The two faces of the course, cut down to the characters that it uses.

Source Serif is for text, Iosevka for all that is not: code, figures, explorers, buttons. A letter
of Iosevka is half an em wide, so that a phone shows 56 characters of code.
"""

from pathlib import Path

from fontTools import subset

from _ext import cache

PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
PUNCTUATION = "\u00a0×·÷±°–—‘’“”…−²³½¼′″•é"
MATHS = "→←↑↓↔≤≥≈≠∞√∑∏∂παβγδεθκλμσφτωΔΣΩ∈⊤‖○●◐✓✗▾▸⟨⟩₀₁₂₃₄₅₆₇₈₉ᵀ"

# family, weight, style, package, file. A .woff2 has to be unpacked whole before a letter of it is
# reached: twelve seconds for the 29,912 of Iosevka.
FACES = [
    ("Text", 400, "normal", "source-serif-4", "source-serif-4-latin-400-normal.woff2"),
    ("Text", 400, "italic", "source-serif-4", "source-serif-4-latin-400-italic.woff2"),
    ("Text", 600, "normal", "source-serif-4", "source-serif-4-latin-600-normal.woff2"),
    ("Mark", 400, "normal", "iosevka", "iosevka-latin-400-normal.woff"),
    ("Mark", 600, "normal", "iosevka", "iosevka-latin-600-normal.woff"),
]
# What comes later than the first paint: text then keeps the system's face, since its lines would
# break anew under the reader's eyes. Mark's letters are as wide as those of its stand-ins.
DISPLAY = {"Text": "optional", "Mark": "swap"}
STAND_INS = (
    '@font-face{font-family:"Mark 602";src:local("DejaVu Sans Mono"),local("Menlo"),'
    'local("Roboto Mono"),local("Noto Sans Mono"),local("Liberation Mono");size-adjust:83.1%}'
    '@font-face{font-family:"Mark 550";src:local("Consolas");size-adjust:91%}'
)
FEATURES = {"Text": ["kern", "liga"], "Mark": []}  # Iosevka would turn -> into an arrow


def write(modules: Path, folder: Path) -> str:
    """Write the faces into `folder`, unless they are there; returns the style that names them."""
    packages = modules / "@fontsource"
    own = Path(__file__).read_text("utf-8")
    digest = cache.digest(packages, [f"{face[3]}/package.json" for face in FACES], own)

    def make(folder: Path) -> None:
        folder.mkdir(parents=True)
        for face in FACES:
            family, _, _, package, file = face
            source = packages / package / "files" / file
            cut(source, folder / name(face), FEATURES[family])

    cache.keep(folder, digest, make)
    return STAND_INS + "".join(map(rule, FACES))


def name(face: tuple[str, int, str, str, str]) -> str:
    family, weight, style, *_ = face
    return f"{family.lower()}-{weight}-{style}.woff2"


def rule(face: tuple[str, int, str, str, str]) -> str:
    family, weight, style, *_ = face
    return (
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:{style};'
        f'font-display:{DISPLAY[family]};src:url(fonts/{name(face)}) format("woff2")}}'
    )


def cut(source: Path, target: Path, features: list[str]) -> None:
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = features
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 13, 14]  # names, and the licence with its address
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=PRINTABLE + PUNCTUATION + MATHS)
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID == 1:  # what is changed may not bear a reserved name
            record.string = f"Order Matters {target.name.split('-')[0].title()}"
    subset.save_font(font, str(target), options)
