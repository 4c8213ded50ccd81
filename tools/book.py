"""Collect the pages of the built site in a book, which tools/pdf.py prints.

A chapter has those parts of a page that are useful on paper. Links to other pages lead to their
place in the book, and answers that a reader can unfold on the site are moved to the end of the
chapter.
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
from bs4.element import PageElement

from _ext.quizzing.quiz import rot47

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "site"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
TITLE, AUTHOR = CONFIG["title"], CONFIG["author"]
LANGUAGE = CONFIG["sphinx"]["config"]["language"]
SUBTITLE = "Positional encoding in Transformers, made executable"
# CSS selectors for the parts of a page that are not printed
SCREEN_ONLY = (
    "a.headerlink, script, noscript, style, button, .toctree-wrapper, .om-card, .om-points,"
    " .om-models-filter, .om-warmup, .om-doctor, .om-diagnoses, details.hide"
)
# html.parser converts these SVG attribute names to lower case, so they must be restored
CAPITALS = ("viewBox", "clipPath", "preserveAspectRatio")
COLOUR = re.compile(r"var\(--om-\w+,\s*(#\w+)\)")


def new_tag(name: str, /, *content: str | PageElement, **attributes: str) -> Tag:
    """Return a tag with this content and these attributes. `class_` sets the attribute `class`."""
    attributes = {key.removesuffix("_"): value for key, value in attributes.items()}
    tag = BeautifulSoup("", "html.parser").new_tag(name, attrs=attributes)
    tag.extend(content)
    return tag


def page_names() -> list[str]:
    """Return the names of all pages in _toc.yml, in order and without suffixes."""
    files = re.findall(r"\b(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
    return [name.removesuffix(".ipynb").removesuffix(".md") for name in files]


def commit_time() -> datetime:
    """Return the time of the last commit, or the current time outside a git repository."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%cI"]
    try:
        day = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return datetime.fromisoformat(day.strip()).astimezone(UTC)
    except (OSError, subprocess.CalledProcessError):
        return datetime.now(UTC)


def heading(section: Tag) -> str:
    """Return the text of a section's heading, without the MathML copies of formulas."""
    title = section.select("h1, h2, h3, h4, h5, h6")[0]
    return "".join(
        text for text in title.find_all(string=True) if not text.find_parent(class_="katex-mathml")
    ).strip()


def slug(name: str) -> str:
    """Return the HTML id of a chapter in the book.

    All other ids in the chapter begin with this id, so that they are unique in the book.
    """
    return name.replace("/", "-")


def load_pages(names: list[str]) -> list[Tag]:
    """Return pages of the site as sections of the book, with links that stay within the book."""
    if missing := [name for name in names if not (SITE / f"{name}.html").is_file()]:
        raise SystemExit(f"{SITE} lacks {', '.join(missing)}. Build the site first: make site")
    return [load_page(name, names) for name in names]


def load_page(name: str, names: list[str]) -> Tag:
    """Return one page of the site as a section of a book that contains the pages `names`."""
    text = (SITE / f"{name}.html").read_text("utf-8").replace(' loading="lazy"', "")
    text = text.replace(f'src="{"../" * name.count("/")}_static', f'src="{SITE.as_uri()}/_static')
    text = re.sub(r'(url\(#|<use [^>]*\bhref="#)', rf"\1{slug(name)}-", text)  # in SVG
    (body,) = BeautifulSoup(text, "html.parser").select("article.om-article > section")
    keep_needs(body)
    for tag in body.select(SCREEN_ONLY):
        tag.decompose()
    move_answers(body)
    relink(body, name, names)
    for tag in [body, *body.select("[id]")]:
        tag["id"] = f"{slug(name)}-{tag['id']}"
    body["data-name"] = slug(name)
    return body


def keep_needs(body: Tag) -> None:
    """Move the list of what a reader needs to know out of a fold, to the place below the goal.

    The rest of the folded part, which says how to run the chapter, is not printed.
    """
    goal, needs = body.find("p", recursive=False), body.select_one("details.om-before > p")
    if isinstance(goal, Tag) and needs:
        goal.insert_after(needs.extract())


def make_standalone_svg(picture: Tag) -> str:
    """Return a figure on a page as the text of an SVG file with its own colours and font.

    The figure's text alternative is removed, because the card that shows it has its own text.
    """
    for name in ("role", "aria-label"):
        del picture[name]
    picture["font-family"] = "sans-serif"
    text = COLOUR.sub(r"\1", str(picture))
    for name in CAPITALS:
        text = re.sub(rf"\b{name.lower()}\b(?=[ =>])", name, text)
    return text


def move_answers(body: Tag) -> None:
    """Move all answers to the end of a chapter, and link each question with its answer."""
    answers = new_tag("dl")
    for tag in body.select("details, form.om-quiz"):
        summary = tag.find("summary", recursive=False)
        if summary and not summary.get_text().startswith("Answer"):
            continue
        number = len(answers.contents) // 2 + 1
        link = new_tag("a", "Answer", href=f"#answer-{number}", class_="om-to-page")
        see = new_tag("p", link, id=f"question-{number}", class_="om-see")
        back = new_tag("a", name_question(tag), href=f"#question-{number}")
        if tag.name == "form":
            content = read_answer(tag)
            tag.insert_after(see)
        else:
            content = [part for part in tag.contents if part is not summary]
            tag.replace_with(see)
        term = new_tag("dt", back, id=f"answer-{number}")
        answers.extend([term, new_tag("dd", *content)])
    if answers.contents:
        body.append(new_tag("section", new_tag("h2", "Answers"), answers, id="answers"))


def name_question(tag: Tag) -> str:
    """Return the title of the section with a question, and the number of its list item, if any."""
    (parent,) = tag.find_parents("section", limit=1)
    section, before = heading(parent), tag.find_previous_sibling()
    if tag.name == "details" and isinstance(before, Tag) and before.name == "ol":
        last = int(str(before.get("start", "1"))) + len(before.find_all("li", recursive=False)) - 1
        return f"{section}, {last}"
    return section


def read_answer(form: Tag) -> list[str | PageElement]:
    """Return the correct answer to an exercise, for the numbers that are on the page."""
    right = json.loads(rot47(str(form["data-asked"])))["variants"][0]["right"]
    if isinstance(right, str):
        (choice,) = form.select(f"input[value={right}] + span")
        return [*BeautifulSoup(choice.decode_contents(), "html.parser").contents]
    short = (f"{value:.10g}" if value.is_integer() else f"{value:.6g}" for value in right)
    return [", ".join(short).replace("-", "−")]


def relink(body: Tag, name: str, names: list[str]) -> None:
    """Make links to pages in the book lead into the book, and turn all other links into text."""
    for link in body.select("a[href]"):
        parts = urlsplit(str(link["href"]))
        if parts.scheme:
            continue
        path = unquote(parts.path)
        target = normpath(join(dirname(name), path)) if path else f"{name}.html"
        if (page := target.removesuffix(".html")) in names:
            link["href"] = "-".join(filter(None, [f"#{slug(page)}", unquote(parts.fragment)]))
        elif target.endswith(".html"):
            link.unwrap()
        else:
            link.replace_with(f"{link.get_text()} ({basename(target)})")
