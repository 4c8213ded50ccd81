"""The built site as a book: what tools/pdf.py prints.

Explorers become their pictures, buttons and forms go, and the answers that a reader opens on the
site stand at the end of their chapter.
"""

import json
import re
import subprocess
import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from posixpath import basename, dirname, join, normpath
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag
from matplotlib.colors import to_hex

from _ext.quiz import turned
from pe_lib import encode
from pe_lib.course.figures import encoding_colours

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "site"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
TITLE, AUTHOR = CONFIG["title"], CONFIG["author"]
LANGUAGE = CONFIG["sphinx"]["config"]["language"]
SUBTITLE = "Positional encoding in Transformers, made executable"
NOTE = (
    "In this edition the explorers are pictures, and each chapter ends with its answers. The"
    " exercises that want code, and the reasons for all answers, are in the notebooks of the"
    " course. Text and figures: CC BY 4.0. Code: MIT licence."
)
# what the site has for the screen and its reader
DROPPED = (
    "a.headerlink, script, noscript, style, button, .toctree-wrapper,"
    " .om-points, .om-models-filter, .om-warmup, details.hide"
)
# names that HTML's parser writes in small letters and SVG does not know so
CAPITALS = re.compile(r"\b(viewbox|clippath|preserveaspectratio)\b(?=[ =>])")
CAPITAL = {name.lower(): name for name in ("viewBox", "clipPath", "preserveAspectRatio")}
COLOUR = re.compile(r"var\(--om-\w+,\s*(#\w+)\)")


@dataclass
class Chapter:
    """A page of the site on its way into the book."""

    name: str  # as in _toc.yml, without suffix
    body: Tag
    pictures: dict[str, str] = field(default_factory=dict)  # SVG, by file name

    @property
    def slug(self) -> str:
        """The id of the chapter; all ids in it begin with it, so that they are unique."""
        return self.name.replace("/", "-")

    @property
    def title(self) -> str:
        return heading(self.body)


def new(name: str, /, *content: str | Tag, **attributes: str) -> Tag:
    """A tag with this content; `class_` is its class."""
    attributes = {key.removesuffix("_"): value for key, value in attributes.items()}
    tag = BeautifulSoup("", "html.parser").new_tag(name, attrs=attributes)
    tag.extend(content)
    return tag


def names() -> list[str]:
    """Every page of _toc.yml, in order, without suffix."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    found = [toc["root"]]

    def visit(node: dict[str, Any]) -> None:
        for entry in node.get("parts", []) + node.get("chapters", []) + node.get("sections", []):
            if "file" in entry:
                found.append(entry["file"])
            visit(entry)

    visit(toc)
    return [name.removesuffix(".ipynb").removesuffix(".md") for name in found]


def edition() -> tuple[str, datetime]:
    """The version, and when the last commit was made; today, where there is no git."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%cI"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        made = datetime.fromisoformat(said.strip())
    except (OSError, subprocess.CalledProcessError):
        made = datetime.now(UTC)
    return project["version"], made.astimezone(UTC).replace(microsecond=0)


def day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"


def cover_art() -> str:
    """The encoding of 64 positions as squares in its colours, an SVG file."""
    cells = "".join(
        f'<rect x="{x}" y="{y}" width="1.02" height="1.02" fill="{to_hex(colour)}"/>'
        for y, row in enumerate(encoding_colours(encode(range(64), 48)))
        for x, colour in enumerate(row)
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 64">{cells}</svg>'


def heading(section: Tag) -> str:
    """The text of a section's heading, each formula once."""
    found = section.select_one("h1, h2, h3, h4, h5, h6")
    assert found, "a section begins with its heading"
    return "".join(
        text for text in found.find_all(string=True) if not text.find_parent(class_="katex-mathml")
    ).strip()


def sections(chapter: Chapter) -> list[tuple[str, str]]:
    """Id and heading of each section of the chapter."""
    found = chapter.body.find_all("section", recursive=False)
    return [(str(section["id"]), heading(section)) for section in found]


def load(wanted: list[str], site: Path) -> list[Chapter]:
    """These pages of the site as chapters, whose links lead to one another."""
    if missing := [name for name in wanted if not (site / f"{name}.html").is_file()]:
        raise SystemExit(f"{site} lacks {', '.join(missing)}. Build the site first: make site")
    chapters = []
    for name in wanted:
        soup = BeautifulSoup((site / f"{name}.html").read_text("utf-8"), "html.parser")
        body = soup.select_one("article.om-article > section")
        if not body:
            raise SystemExit(f"{name}.html holds no article.om-article > section: a new theme?")
        chapters.append(Chapter(name, body.extract()))
    slugs = {chapter.name: chapter.slug for chapter in chapters}
    for chapter in chapters:
        for tag in chapter.body.select(DROPPED):
            tag.decompose()
        cut_out_pictures(chapter, site)
        move_answers(chapter)
        name_uniquely(chapter)
        relink(chapter, slugs)
    return chapters


def cut_out_pictures(chapter: Chapter, site: Path) -> None:
    """Put each figure, and each explorer's picture, into a file of its own."""
    for image in chapter.body.select('img[src$=".svg"]'):  # a file already
        name = f"{chapter.slug}-{len(chapter.pictures) + 1}.svg"
        source = (site / chapter.name).parent / str(image["src"])
        chapter.pictures[name] = source.read_text("utf-8")
        image["src"] = f"pictures/{name}"
        image.attrs.pop("loading", None)  # paper has no later
    for host in chapter.body.select(".om-figure, .om-explorer"):
        picture, caption = host.select_one("svg"), host.select_one(".om-caption, figcaption")
        assert picture, "a figure holds a picture"
        name = f"{chapter.slug}-{len(chapter.pictures) + 1}.svg"
        image = new(
            "img",
            src=f"pictures/{name}",
            alt=str(picture["aria-label"]),
            width=str(picture["width"]),
            height=str(picture["height"]),
        )
        chapter.pictures[name] = standalone(picture)
        figure = new("figure", image, class_="om-figure", id=str(host["id"]))
        if caption:
            figure.append(new("figcaption", *caption.contents, class_="om-caption"))
        if told := host.select_one(".om-told"):
            figure.append(told)
        host.replace_with(figure)


def standalone(picture: Tag) -> str:
    """A figure of a page as a file: it brings its own colours and font, and has no alternative."""
    for name in ("role", "aria-label"):
        del picture[name]
    picture["font-family"] = "sans-serif"
    text = CAPITALS.sub(lambda match: CAPITAL[match[0]], str(picture))
    return COLOUR.sub(r"\1", text)


def move_answers(chapter: Chapter) -> None:
    """Put what answers a question at the end of the chapter; other things to open are opened."""
    answers = new("dl")
    for tag in chapter.body.select(".om-doctor, .om-diagnoses"):
        tag.decompose()  # nothing can be dropped on paper
    for tag in chapter.body.select("details, form.om-quiz"):
        if tag.name == "form":
            label, right = heading(section_of(tag)), answer_to(tag)
        else:
            summary = tag.select_one("summary")
            assert summary
            summary.extract()
            if not summary.get_text().startswith("Answer"):
                summary.name = "p"
                tag.name = "div"
                tag["class"] = "om-opened"
                tag.insert(0, summary)
                continue
            label, right = asked_at(tag), list(tag.contents)
        number = len(answers.contents) // 2 + 1
        link = new("a", "Answer", href=f"#answer-{number}", class_="om-to-page")
        see = new("p", link, id=f"question-{number}", class_="om-see")
        if tag.name == "form" and (fieldset := tag.select_one("fieldset")):
            tag.insert_before(choices(fieldset))
        tag.replace_with(see)
        back = new("a", label, href=f"#question-{number}")
        answers.append(new("dt", back, id=f"answer-{number}"))
        answers.append(new("dd", *right))
    if answers.contents:
        title = new("h2", "Answers")
        chapter.body.append(new("section", title, answers, id="answers"))


def section_of(tag: Tag) -> Tag:
    section = tag.find_parent("section")
    assert section
    return section


def asked_at(details: Tag) -> str:
    """Where a question stands: its section, and its number if it is the last of a list."""
    title, before = heading(section_of(details)), details.find_previous_sibling()
    if before and before.name == "ol":
        last = int(str(before.get("start", 1))) + len(before.find_all("li", recursive=False)) - 1
        return f"{title}, {last}"
    return title


def choices(fieldset: Tag) -> Tag:
    """The choices of a question as a list a, b, c."""
    said = [label.select_one("span") for label in fieldset.select("label")]
    items = [new("li", *span.contents) for span in said if span]
    return new("ol", *items, type="a")


def answer_to(form: Tag) -> list[str | Tag]:
    """The right answer to a question of the exercises, with the numbers that the page shows."""
    right = json.loads(turned(str(form["data-asked"])))["variants"][0]["right"]
    if isinstance(right, str):
        said = form.select_one(f"input[value={right}] + span")
        assert said
        return [f"{right}: ", *BeautifulSoup(said.decode_contents(), "html.parser").contents]
    short = (f"{value:.10g}" if value.is_integer() else f"{value:.6g}" for value in right)
    return [", ".join(short).replace("-", "−")]


def name_uniquely(chapter: Chapter) -> None:
    for tag in [chapter.body, *chapter.body.select("[id]")]:
        tag["id"] = f"{chapter.slug}-{tag['id']}"


def relink(chapter: Chapter, slugs: dict[str, str]) -> None:
    """Links into the book say where in the book; what only the site has becomes plain text."""
    for link in chapter.body.select("a[href]"):
        parts = urlsplit(str(link["href"]))
        if parts.scheme:
            continue
        path = unquote(parts.path)
        where = normpath(join(dirname(chapter.name), path)) if path else f"{chapter.name}.html"
        if slug := slugs.get(where.removesuffix(".html")):
            link["href"] = f"#{slug}-{unquote(parts.fragment)}" if parts.fragment else f"#{slug}"
            continue
        if where.endswith(".html"):
            link.unwrap()
        else:
            link.replace_with(f"{link.get_text()} ({basename(where)})")
