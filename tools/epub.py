"""Make an e-book of the built site: _build/order-matters.epub, EPUB 3.

python -m tools.epub

Formulas are MathML, figures SVG files; no script, nothing from another host.
"""

import io
import posixpath
import zipfile
from html import escape
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from bs4 import Tag
from matplotlib.figure import Figure

from pe_lib import encode
from pe_lib.course import figures
from tools import book
from tools.book import Chapter

OUTPUT = book.ROOT / "_build" / "order-matters.epub"
STYLE = Path(__file__).with_name("epub.css")
IDENTIFIER = f"urn:uuid:{uuid5(NAMESPACE_URL, 'order-matters')}"  # the same for every edition
TYPES = {".xhtml": "application/xhtml+xml", ".svg": "image/svg+xml", ".png": "image/png",
         ".css": "text/css"}  # fmt: skip
CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>
"""
ACCESS = {  # schema.org's terms: what a reader with a screen reader can expect
    "accessMode": ("textual", "visual"),
    "accessModeSufficient": ("textual", "textual,visual"),
    "accessibilityFeature": (
        "alternativeText", "MathML", "readingOrder", "structuralNavigation", "tableOfContents",
    ),
    "accessibilityHazard": ("none",),
    "accessibilitySummary": ("Every figure has a text alternative; formulas are MathML.",),
}  # fmt: skip


def page(title: str, body: str) -> str:
    """An XHTML document; fails if it is not well-formed."""
    text = (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
        f' lang="{book.LANGUAGE}" xml:lang="{book.LANGUAGE}"><head><title>{escape(title)}</title>'
        f'<link rel="stylesheet" href="style.css"/></head><body>{body}</body></html>\n'
    )
    ElementTree.fromstring(text)
    return text


def typeset(formula: Tag) -> None:
    """Leave of a formula its MathML, with its TeX as the text alternative."""
    math = formula.select_one("math")
    assert math, "KaTeX gives MathML, too"
    tex, presented = math.select_one("annotation"), math.select_one("semantics")
    assert tex and presented
    math["alttext"] = tex.get_text()
    tex.decompose()
    presented.unwrap()
    formula.replace_with(math)
    if numbered := math.select_one('mtable[width="100%"]'):  # which few readers know
        assert numbered.mtr
        _, said, _, number = numbered.mtr.find_all("mtd", recursive=False)
        math.insert_before(book.new("span", number.get_text(), class_="eqno"))
        said.name = "mrow"
        numbered.replace_with(said)


def chapter_page(chapter: Chapter) -> str:
    for formula in chapter.body.select(".katex"):
        typeset(formula)
    for tag in chapter.body.find_all(True):
        for name in ("align", "valign", "data-kind"):
            del tag[name]
    body = f'<section id="{chapter.slug}" epub:type="chapter">{chapter.body.decode()}</section>'
    return page(chapter.title, body)


def navigation(chapters: list[Chapter]) -> str:
    def entry(file: str, identity: str, title: str, more: str = "") -> str:
        return f'<li><a href="{file}#{identity}">{escape(title)}</a>{more}</li>'

    items = []
    for chapter in chapters:
        file = f"{chapter.slug}.xhtml"
        inner = "".join(entry(file, *section) for section in book.sections(chapter))
        items.append(entry(file, chapter.slug, chapter.title, f"<ol>{inner}</ol>" if inner else ""))
    contents = f'<nav epub:type="toc" id="toc"><h1>Contents</h1><ol>{"".join(items)}</ol></nav>'
    first = chapters[0].slug
    landmarks = (
        '<nav epub:type="landmarks" hidden=""><h2>Landmarks</h2><ol>'
        '<li><a epub:type="cover" href="cover.xhtml">Cover</a></li>'
        '<li><a epub:type="toc" href="nav.xhtml">Contents</a></li>'
        f'<li><a epub:type="bodymatter" href="{first}.xhtml">{escape(chapters[0].title)}</a></li>'
        "</ol></nav>"
    )
    return page("Contents", contents + landmarks)


def title_page() -> str:
    version, made = book.edition()
    lines = (book.SUBTITLE, book.AUTHOR, f"Version {version}, {book.day(made)}", book.NOTE)
    text = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return page(book.TITLE, f'<section epub:type="titlepage"><h1>{book.TITLE}</h1>{text}</section>')


def cover() -> bytes:
    """The cover as a picture, for the shelf of the reader."""
    figure = Figure(figsize=(8, 12), facecolor="white")
    art = figure.add_axes((0, 0.3, 1, 0.7))
    art.imshow(encode(range(50), 48), cmap=figures.TIDE, vmin=-1, vmax=1, aspect="auto")
    art.axis("off")
    figure.text(0.08, 0.19, book.TITLE, fontsize=58, weight="bold")
    figure.text(0.08, 0.145, book.SUBTITLE, fontsize=21)
    figure.text(0.08, 0.05, book.AUTHOR, fontsize=19)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=150, bbox_inches=None)
    return picture.getvalue()


def package(files: dict[str, str | bytes], spine: list[str]) -> str:
    """The package document: what the book is, its files, and their order."""
    version, made = book.edition()
    special = {"nav.xhtml": ' properties="nav"', "cover.png": ' properties="cover-image"'}
    items, identities = [], {}
    for name, content in files.items():
        identities[name] = "i-" + name.replace("/", "-")
        mathematics = ' properties="mathml"' if "<math" in str(content) else ""
        items.append(
            f'<item id="{identities[name]}" href="{name}" media-type="{TYPES[Path(name).suffix]}"'
            f"{special.get(name, mathematics)}/>"
        )
    access = "".join(
        f'<meta property="schema:{name}">{value}</meta>'
        for name, values in ACCESS.items()
        for value in values
    )
    references = "".join(f'<itemref idref="{identities[name]}"/>' for name in spine)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"'
        f' xml:lang="{book.LANGUAGE}">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">{IDENTIFIER}</dc:identifier>'
        f"<dc:title>{book.TITLE}: {book.SUBTITLE}</dc:title>"
        f"<dc:creator>{book.AUTHOR}</dc:creator><dc:language>{book.LANGUAGE}</dc:language>"
        f"<dc:description>Version {version}. {escape(book.NOTE)}</dc:description>"
        f"<dc:date>{made:%Y-%m-%d}</dc:date>"
        "<dc:rights>Text and figures: CC BY 4.0. Code: MIT licence.</dc:rights>"
        f'<meta property="dcterms:modified">{made:%Y-%m-%dT%H:%M:%SZ}</meta>{access}'
        '<meta name="cover" content="i-cover.png"/></metadata>'
        f"<manifest>{''.join(items)}</manifest><spine>{references}</spine></package>\n"
    )


def make(wanted: list[str], site: Path, output: Path) -> None:
    """Write these pages of the site as an e-book."""
    chapters = book.load(wanted, site, lambda slug, identity: f"{slug}.xhtml#{identity}")
    files: dict[str, str | bytes] = {
        "cover.xhtml": page(
            "Cover",
            '<section class="cover" epub:type="cover">'
            f'<img src="cover.png" alt="{book.TITLE}: {book.SUBTITLE}"/></section>',
        ),
        "title.xhtml": title_page(),
        "nav.xhtml": navigation(chapters),
        "cover.png": cover(),
        "style.css": STYLE.read_text("utf-8"),
    }
    for number, chapter in enumerate(chapters, start=1):
        print(f"[{number}/{len(chapters)}] {chapter.title}", flush=True)
        files[f"{chapter.slug}.xhtml"] = chapter_page(chapter)
        for name, picture in chapter.pictures.items():
            ElementTree.fromstring(picture)
            files[f"pictures/{name}"] = picture
    spine = [name for name in files if name.endswith(".xhtml")]
    stamp = book.edition()[1].timetuple()[:6]
    output.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(output, "w") as archive:

        def add(name: str, content: str | bytes, packing: int = zipfile.ZIP_DEFLATED) -> None:
            entry = zipfile.ZipInfo(name, stamp)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, packing)

        add("mimetype", "application/epub+zip", zipfile.ZIP_STORED)  # first, and readable
        add("META-INF/container.xml", CONTAINER)
        add("book/package.opf", package(files, spine))
        for name, content in files.items():
            add(posixpath.join("book", name), content)


def main() -> None:
    make(book.names(), book.SITE, OUTPUT)
    size = OUTPUT.stat().st_size / 1e6
    print(f"The e-book is in {OUTPUT.relative_to(book.ROOT)}: {size:.1f} MB")


if __name__ == "__main__":
    main()
