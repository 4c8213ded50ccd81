"""What the search looks through: one record for each section, indexed by MiniSearch.

A record has a section's words and the names in its code, but no answer that waits behind a click.
Entries of glossary and bibliography count as sections. `words.yml` adds the words under which a
reader looks for it, `engine.js` says how words are read and sections ranked, in node, which makes
the index, and in the browser, and `dialog.js` shows what is found. The index is a script that
registers data and does nothing else, so that it works from file://, where a page cannot fetch.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.formulas import node
from _ext.javascript import strip_comments
from _ext.plaintext import plain, untagged

FOLDER = Path(__file__).parent
LEVELS = 3  # what is deeper belongs to the section around it

_BOX = re.compile(r"<(/?)details")
_CAPTION = re.compile(r'<figcaption>(.*?)</figcaption>|<p class="om-caption">(.*?)</p>', re.DOTALL)
# what one copies into a search from code: no plain word, which is as likely from a comment
_NAME = re.compile(r"\b(?=\w{4})[A-Za-z]+(?:_[A-Za-z0-9]|(?<=[a-z])[A-Z]|\d)\w*")
_YEAR = re.compile(r"^([^(]{3,} \(\d{4}\))\.")
_LISTED = re.compile(r", (?!and )")  # the forms of a term, but not "Shapes, and a mistake"
_MANUAL = re.compile(r"^\s*/\*\*.*?\*/\n|//# sourceMappingURL=\S+", re.DOTALL | re.MULTILINE)

Record = dict[str, Any]


def records(document: nodes.document) -> list[Record]:
    """The page, its sections and its entries, in the order in which they stand."""
    found: list[Record] = []
    own: dict[nodes.Node, Record] = {}  # the record to which what stands in a node belongs
    hidden = 0
    for child in document.findall():
        around = own.get(child.parent)
        if isinstance(child, nodes.raw):
            boxes = _BOX.findall(child.astext())
            hidden += boxes.count("") - boxes.count("/")
            if around and not hidden and "<form" not in child.astext():
                around["text"] += [untagged("".join(c)) for c in _CAPTION.findall(child.astext())]
        elif (
            hidden
            or isinstance(child, nodes.Text | nodes.math_block)
            or "om-listed" in child["classes"]  # and what is within belongs to nothing
        ):
            continue
        elif isinstance(child, nodes.section) and (not around or around["level"] < LEVELS):
            own[child] = begin(found, around, child["ids"][0], plain(child[0]))
        elif not around:
            continue
        elif (
            isinstance(child, nodes.paragraph | nodes.list_item)
            and child["ids"]
            and not isinstance(child.parent, nodes.entry)  # a row is a place and no answer
        ):
            text = plain(child)
            begin(found, around, child["ids"][0], entry(text))["text"] = [text]
        elif isinstance(child, nodes.literal_block):
            if "output" not in child["classes"]:
                around["code"] += _NAME.findall(child.astext())
        elif isinstance(child, nodes.TextElement):
            if not (isinstance(child, nodes.title) and child.parent in own):
                around["text"].append(plain(child))
        else:
            own[child] = around
            if "om-equation" in child.get("classes", ()):
                number = child["ids"][0].removeprefix("equation-").replace("-", ".")
                around["text"].append(f"({number})")
    for record in found:
        record["text"] = " ".join(filter(None, record["text"]))
        record["code"] = " ".join(dict.fromkeys(record["code"]))
    return found


def begin(found: list[Record], around: Record | None, name: str, title: str) -> Record:
    """A record without words yet; of a page, around which nothing is, the address needs no id."""
    record: Record = {
        "id": name if around else "",
        "title": title,
        "within": around["title"] if around else "",
        "level": around["level"] + 1 if around else 1,
        "text": [],
        "code": [],
    }
    found.append(record)
    return record


def entry(text: str) -> str:
    """The title of an entry: the term that it explains, or who published it and when.

    >>> entry("base, theta: The number 10,000."), entry("Ada Ash and Bo Birch (2021). Trees.")
    ('base, theta', 'Ada Ash and Bo Birch (2021)')
    """
    found = _YEAR.match(text)
    return found[1] if found else text.split(":")[0]


def remember(app: Sphinx, document: nodes.document) -> None:
    app.env.metadata[app.env.docname]["om_records"] = records(document)


def sections(app: Sphinx, words: dict[str, Any]) -> list[Record]:
    """The records as MiniSearch takes them, with address, weight and what they are also called."""
    phrases, kinds, weights = dict(words["sections"]), words["kinds"], words["weights"]
    found = []
    for name, about_page in sorted(app.env.metadata.items()):
        page = about_page.get("om_records", [])
        for record in page:
            place = f"#{record['id']}" if record["id"] else ""
            above = (record["title"], record["within"]) if place else ("top",)
            title = record["title"].lstrip("0123456789. ")  # a chapter's without its number
            about = [phrases.pop(name + place, ""), kinds.get(record["title"], "")]
            about.append(title.replace("_", " ") * ("_" in title))  # as one asks for alibi_slopes
            about = ", ".join(filter(None, about)).split(", ")
            found.append(
                {
                    "id": app.builder.get_target_uri(name) + place,
                    "page": page[0]["title"] if place else "",
                    "title": record["title"],
                    "text": record["text"],
                    "code": record["code"],
                    "about": ", ".join(about),
                    # whoever writes one of these, and no more, means this section
                    "name": "\n".join([*_LISTED.split(title), *about]),
                    "weight": weights.get(name, 1) * min(weights.get(kind, 1) for kind in above),
                }
            )
    if phrases:
        raise ExtensionError(f"words.yml names sections that are not there: {sorted(phrases)}")
    return found


def indexed(source: Path, words: dict[str, Any], found: list[Record]) -> str:
    """MiniSearch's index as JSON: to load it takes a reader a quarter of making it."""
    module = package(source) / "dist" / "cjs" / "index.cjs"
    command = [node(), str(FOLDER / "prebuild.cjs"), str(module)]
    given = json.dumps({"reading": words, "sections": found})
    done = subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise ExtensionError(f"the search's index was not made: {done.stderr}")
    return done.stdout


def package(source: Path) -> Path:
    folder = source / "node_modules" / "minisearch"
    if not folder.is_dir():
        raise ExtensionError("node_modules/minisearch is missing: run npm ci")
    return folder


def library(source: Path) -> str:
    """The library as a classic script, without its manual, which is more than half of it."""
    folder = package(source)
    licence = (folder / "LICENSE.txt").read_text("utf-8")
    script = (folder / "dist" / "umd" / "index.js").read_text("utf-8")
    return f"/*! {licence}*/\n{_MANUAL.sub('', script)}"


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.name != "html":
        return
    target = Path(app.outdir, "_static", "search")
    target.mkdir(parents=True, exist_ok=True)
    words = yaml.safe_load((FOLDER / "words.yml").read_text("utf-8"))
    reading = {
        "ignored": words["ignored"].split(),
        "spellings": {
            spelled: word
            for many, word in words["spellings"].items()
            for spelled in many.split(", ")
        },
    }
    index = indexed(Path(app.srcdir), reading, sections(app, words))
    quoted = index.replace("\\", "\\\\").replace("'", "\\'")
    scripts = {
        "library": library(Path(app.srcdir)),
        "engine": strip_comments((FOLDER / "engine.js").read_text("utf-8")),
        # a browser reads a string of JSON in a fifth of the time that the same takes as a script
        "index": f"window.omSearchIndex = JSON.parse('{quoted}');\n",
    }
    for name, text in scripts.items():
        (target / f"{name}.js").write_text(text, "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", remember, priority=900)  # after what changes a page as it is read
    app.connect("build-finished", write, priority=800)  # before _ext.theme copies what is there
