"""Make an e-book of the built site: _build/order-matters.epub, EPUB 3.

python -m tools.epub

Formulas are MathML, figures SVG files; no script, nothing from another host. What surrounds the
chapters is in the templates of tools/ebook.
"""

import io
import zipfile
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from bs4 import Tag
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from matplotlib.figure import Figure

from pe_lib import encode
from pe_lib.course import figures
from tools import book
from tools.book import Chapter

OUTPUT = book.ROOT / "_build" / "order-matters.epub"
TEMPLATES = Path(__file__).with_name("ebook")
IDENTIFIER = f"urn:uuid:{uuid5(NAMESPACE_URL, 'order-matters')}"  # the same for every edition
TYPES = {
    ".xhtml": "application/xhtml+xml",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".css": "text/css",
}


def filled(template: str, **values: object) -> str:
    """A template with these values; fails if the outcome is not well-formed XML."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
    )
    version, made = book.edition()
    text = environment.get_template(template).render(
        values, book=book, version=version, made=made, identifier=IDENTIFIER
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
    for scene in chapter.body.select(".om-scene"):  # it has its looks from the site's style
        scene.decompose()
    for formula in chapter.body.select(".katex"):
        typeset(formula)
    for tag in chapter.body.find_all(True):
        for name in ("align", "valign", "data-kind"):
            del tag[name]
    return filled("page.xhtml", title=chapter.title, slug=chapter.slug, body=chapter.body.decode())


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


def package(files: dict[str, str | bytes]) -> str:
    """The package document: what the book is, its files, and the order of its pages."""
    special = {"nav.xhtml": "nav", "cover.png": "cover-image"}
    items = [
        (name, TYPES[Path(name).suffix], special.get(name, "mathml" * ("<math" in str(content))))
        for name, content in files.items()
    ]
    return filled("package.opf", items=items)


def make(wanted: list[str], site: Path, output: Path) -> None:
    """Write these pages of the site as an e-book."""
    chapters = book.load(wanted, site, lambda slug, identity: f"{slug}.xhtml#{identity}")
    files: dict[str, str | bytes] = {
        "cover.xhtml": filled("cover.xhtml"),
        "title.xhtml": filled("title.xhtml"),
        "nav.xhtml": filled("nav.xhtml", chapters=chapters),
        "cover.png": cover(),
        "style.css": (TEMPLATES / "style.css").read_text("utf-8"),
    }
    for number, chapter in enumerate(chapters, start=1):
        print(f"[{number}/{len(chapters)}] {chapter.title}", flush=True)
        files[f"{chapter.slug}.xhtml"] = chapter_page(chapter)
        for name, picture in chapter.pictures.items():
            ElementTree.fromstring(picture)
            files[f"pictures/{name}"] = picture
    stamp = book.edition()[1].timetuple()[:6]
    output.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(output, "w") as archive:

        def add(name: str, content: str | bytes, packing: int = zipfile.ZIP_DEFLATED) -> None:
            entry = zipfile.ZipInfo(name, stamp)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, packing)

        add("mimetype", "application/epub+zip", zipfile.ZIP_STORED)  # first, and readable
        add("META-INF/container.xml", filled("container.xml"))
        add("book/package.opf", package(files))
        for name, content in files.items():
            add(f"book/{name}", content)


def main() -> None:
    make(book.names(), book.SITE, OUTPUT)
    size = OUTPUT.stat().st_size / 1e6
    print(f"The e-book is in {OUTPUT.relative_to(book.ROOT)}: {size:.1f} MB")


if __name__ == "__main__":
    main()
