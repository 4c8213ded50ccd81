"""The built site as a book: what tools/pdf.py prints.

A chapter is what the site has for paper. Links lead through the book, and the answers that a reader
opens on the site stand at the end of their chapter.
"""

import json
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from posixpath import basename, dirname, join, normpath
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag

from _ext.quizzing.quiz import rot47

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "site"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
TITLE, AUTHOR = CONFIG["title"], CONFIG["author"]
LANGUAGE = CONFIG["sphinx"]["config"]["language"]
SUBTITLE = "Positional encoding in Transformers, made executable"
# what the site has for the screen and its reader, and nothing on paper
DROPPED = (
    "a.headerlink, script, noscript, style, button, .toctree-wrapper, .om-card, .om-points,"
    " .om-models-filter, .om-warmup, .om-doctor, .om-diagnoses, details.hide"
)
# names that HTML's parser writes in small letters and SVG does not know so
CAPITALS = ("viewBox", "clipPath", "preserveAspectRatio")
COLOUR = re.compile(r"var\(--om-\w+,\s*(#\w+)\)")


def new(name: str, /, *content: str | Tag, **attributes: str) -> Tag:
    """A tag with this content; `class_` is its class."""
    attributes = {key.removesuffix("_"): value for key, value in attributes.items()}
    tag = BeautifulSoup("", "html.parser").new_tag(name, attrs=attributes)
    tag.extend(content)
    return tag


def names() -> list[str]:
    """Every page of _toc.yml, in order, without suffix."""
    found = re.findall(r"\b(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
    return [name.removesuffix(".ipynb").removesuffix(".md") for name in found]


def made() -> datetime:
    """When the last commit was made; now, where there is no git."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%cI"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return datetime.fromisoformat(said.strip()).astimezone(UTC)
    except (OSError, subprocess.CalledProcessError):
        return datetime.now(UTC)


def heading(section: Tag) -> str:
    """The text of a section's heading, each formula once."""
    found = section.select_one("h1, h2, h3, h4, h5, h6")
    return "".join(
        text for text in found.find_all(string=True) if not text.find_parent(class_="katex-mathml")
    ).strip()


def slug(name: str) -> str:
    """The id of a chapter; all ids in it begin with it, so that they are unique."""
    return name.replace("/", "-")


def load(wanted: list[str]) -> list[Tag]:
    """These pages of the site as sections, whose links lead to one another."""
    if missing := [name for name in wanted if not (SITE / f"{name}.html").is_file()]:
        raise SystemExit(f"{SITE} lacks {', '.join(missing)}. Build the site first: make site")
    return [chapter(name, wanted) for name in wanted]


def chapter(name: str, wanted: list[str]) -> Tag:
    text = (SITE / f"{name}.html").read_text("utf-8").replace(' loading="lazy"', "")
    text = text.replace(f'src="{"../" * name.count("/")}_static', f'src="{SITE.as_uri()}/_static')
    text = re.sub(r'(url\(#|<use [^>]*\bhref="#)', rf"\1{slug(name)}-", text)  # within pictures
    (body,) = BeautifulSoup(text, "html.parser").select("article.om-article > section")
    for tag in body.select(DROPPED):
        tag.decompose()
    move_answers(body)
    relink(body, name, wanted)
    for tag in [body, *body.select("[id]")]:
        tag["id"] = f"{slug(name)}-{tag['id']}"
    body["data-name"] = slug(name)
    return body


def standalone(picture: Tag) -> str:
    """A figure of a page as a file: it brings its own colours and font, and has no alternative."""
    for name in ("role", "aria-label"):
        del picture[name]
    picture["font-family"] = "sans-serif"
    text = COLOUR.sub(r"\1", str(picture))
    for name in CAPITALS:
        text = re.sub(rf"\b{name.lower()}\b(?=[ =>])", name, text)
    return text


def move_answers(body: Tag) -> None:
    """Put what answers a question at the end of the chapter."""
    answers = new("dl")
    for tag in body.select("details, form.om-quiz"):
        summary = tag.find("summary", recursive=False)
        if summary and not summary.get_text().startswith("Answer"):
            continue
        number = len(answers.contents) // 2 + 1
        link = new("a", "Answer", href=f"#answer-{number}", class_="om-to-page")
        see = new("p", link, id=f"question-{number}", class_="om-see")
        back = new("a", asked_at(tag), href=f"#question-{number}")
        if tag.name == "form":
            right = answer_to(tag)
            tag.insert_after(see)
        else:
            right = [part for part in tag.contents if part is not summary]
            tag.replace_with(see)
        answers.extend([new("dt", back, id=f"answer-{number}"), new("dd", *right)])
    if answers.contents:
        body.append(new("section", new("h2", "Answers"), answers, id="answers"))


def asked_at(tag: Tag) -> str:
    """Where a question stands: its section, and its number if it is the last of a list."""
    section, before = heading(tag.find_parent("section")), tag.find_previous_sibling()
    if tag.name == "details" and before and before.name == "ol":
        last = int(before.get("start", 1)) + len(before.find_all("li", recursive=False)) - 1
        return f"{section}, {last}"
    return section


def answer_to(form: Tag) -> list[str | Tag]:
    """The right answer to a question of the exercises, with the numbers that the page shows."""
    right = json.loads(rot47(str(form["data-asked"])))["variants"][0]["right"]
    if isinstance(right, str):
        said = form.select_one(f"input[value={right}] + span")
        return [*BeautifulSoup(said.decode_contents(), "html.parser").contents]
    short = (f"{value:.10g}" if value.is_integer() else f"{value:.6g}" for value in right)
    return [", ".join(short).replace("-", "−")]


def relink(body: Tag, name: str, wanted: list[str]) -> None:
    """Links into the book say where in the book; what only the site has becomes plain text."""
    for link in body.select("a[href]"):
        parts = urlsplit(str(link["href"]))
        if parts.scheme:
            continue
        path = unquote(parts.path)
        where = normpath(join(dirname(name), path)) if path else f"{name}.html"
        if (page := where.removesuffix(".html")) in wanted:
            link["href"] = "-".join(filter(None, [f"#{slug(page)}", unquote(parts.fragment)]))
        elif where.endswith(".html"):
            link.unwrap()
        else:
            link.replace_with(f"{link.get_text()} ({basename(where)})")
