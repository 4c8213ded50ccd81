"""Build the search index with MiniSearch, with one record for each section.

A record has the words of a section and the names in its code, but no answers that are hidden behind
a click. Entries of the glossary and the bibliography count as sections. `words.yml` adds other
words under which a reader may look for a section. `engine.js` defines how words are read and how
sections are ranked, both in node, which builds the index, and in the browser. `dialog.js` shows the
results. The index is a script that only registers data, because a page opened from disk cannot
fetch a file.
"""

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.formulas import find_node
from _ext.plaintext import read_plain_text, strip_tags
from _ext.sources import bundle_script, import_files

FOLDER = Path(__file__).parent
LEVELS = 3  # headings below this level do not start a section of their own

_DETAILS = re.compile(r"<(/?)details")
_CAPTION = re.compile(r'<figcaption>(.*?)</figcaption>|<p class="om-caption">(.*?)</p>', re.DOTALL)
# Match names from code, which have an underscore, an inner capital letter or a digit.
# Plain words in code are not indexed, because comments contain too many of them.
_NAME = re.compile(r"\b(?=\w{4})[A-Za-z]+(?:_[A-Za-z0-9]|(?<=[a-z])[A-Z]|\d)\w*")
_AUTHORS_AND_YEAR = re.compile(r"^([^(]{3,} \(\d{4}\))\.")
# The title "base, theta" stands for two terms, which this pattern separates. A title such as
# "Shapes, and a mistake" remains whole.
_BETWEEN_FORMS = re.compile(r", (?!and )")


@dataclass
class Record:
    """A section of a page, with its text and the code names under which the search finds it."""

    id: str  # the HTML id of the section, which is empty for the beginning of a page
    title: str
    parent_title: str
    level: int
    texts: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the record as a dictionary, which Sphinx stores between builds."""
        return {
            "id": self.id,
            "title": self.title,
            "within": self.parent_title,
            "level": self.level,
            "text": " ".join(filter(None, self.texts)),
            "code": " ".join(dict.fromkeys(self.names)),
        }


class _Collector:
    """Visits the nodes of a page in order, and adds each node's text to the enclosing section."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        # for each node, the record to which the text inside this node belongs
        self.owners: dict[nodes.Node, Record] = {}
        # the number of <details> elements around the current node, which hide answers
        self.depth = 0

    def visit(self, node: nodes.Node) -> None:
        record = self.owners.get(node.parent)
        if isinstance(node, nodes.raw):
            self._visit_raw(node, record)
        elif (
            self.depth
            or isinstance(node, nodes.Text | nodes.math_block)
            or "om-listed" in node["classes"]
        ):
            return
        elif isinstance(node, nodes.section) and (not record or record.level < LEVELS):
            self.owners[node] = self._begin(record, node["ids"][0], read_plain_text(node[0]))
        elif record:
            self._visit_within(node, record)

    def _visit_raw(self, node: nodes.raw, record: Record | None) -> None:
        source = node.astext()
        tags = _DETAILS.findall(source)
        self.depth += tags.count("") - tags.count("/")
        if record and not self.depth and "<form" not in source:
            record.texts += [strip_tags("".join(parts)) for parts in _CAPTION.findall(source)]

    def _visit_within(self, node: nodes.Element, record: Record) -> None:
        """Add a node's text, and the names in its code, to the record of the section around it."""
        if _is_entry(node):
            text = read_plain_text(node)
            self._begin(record, node["ids"][0], entry_title(text)).texts.append(text)
        elif isinstance(node, nodes.literal_block):
            if "output" not in node["classes"]:
                record.names += _NAME.findall(node.astext())
        elif isinstance(node, nodes.TextElement):
            is_own_title = isinstance(node, nodes.title) and node.parent in self.owners
            if not is_own_title:
                record.texts.append(read_plain_text(node))
        else:
            self.owners[node] = record
            if "om-equation" in node.get("classes", ()):
                number = node["ids"][0].removeprefix("equation-").replace("-", ".")
                record.texts.append(f"({number})")

    def _begin(self, parent: Record | None, name: str, title: str) -> Record:
        """Start a new record. The id is empty if the record is for the beginning of the page."""
        record = Record(
            id=name if parent else "",
            title=title,
            parent_title=parent.title if parent else "",
            level=parent.level + 1 if parent else 1,
        )
        self.records.append(record)
        return record


def _is_entry(node: nodes.Element) -> bool:
    """Return whether a node is an entry in the glossary or in the bibliography.

    A table row may have an id as well, but it is not a search result by itself.
    """
    is_text = isinstance(node, nodes.paragraph | nodes.list_item)
    return is_text and bool(node["ids"]) and not isinstance(node.parent, nodes.entry)


def collect_records(document: nodes.document) -> list[dict[str, Any]]:
    """Return a record for a page and for each section and entry on it, in page order."""
    collector = _Collector()
    for node in document.findall():
        collector.visit(node)
    return [record.to_json() for record in collector.records]


def entry_title(text: str) -> str:
    """Return an entry's title: the term, or the authors and the year of a publication.

    >>> entry_title("base, theta: The number 10,000.")
    'base, theta'
    >>> entry_title("Ada Ash and Bo Birch (2021). Trees.")
    'Ada Ash and Bo Birch (2021)'
    """
    match = _AUTHORS_AND_YEAR.match(text)
    return match[1] if match else text.split(":", maxsplit=1)[0]


def store_records(app: Sphinx, document: nodes.document) -> None:
    """Store the search records of a page in the page's metadata."""
    app.env.metadata[app.env.docname]["om_records"] = collect_records(document)


def list_sections(app: Sphinx, words: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all search records in MiniSearch's format, each with an address and a weight.

    `words` is the content of words.yml. A section in it that does not exist is an error.
    """
    phrases, kinds, weights = dict(words["sections"]), words["kinds"], words["weights"]
    sections = []
    for page_name, metadata in sorted(app.env.metadata.items()):
        records = metadata.get("om_records", [])
        for record in records:
            anchor = f"#{record['id']}" if record["id"] else ""
            # remove the chapter number from the title
            title = record["title"].lstrip("0123456789. ")
            other_names = [phrases.pop(page_name + anchor, ""), kinds.get(record["title"], "")]
            if "_" in title:  # readers may search for the separate words of a function's name
                other_names.append(title.replace("_", " "))
            phrase_list = ", ".join(filter(None, other_names)).split(", ")
            kinds_of_section = (record["title"], record["within"]) if anchor else ("top",)
            weight = min(weights.get(kind, 1) for kind in kinds_of_section)
            sections.append(
                {
                    "id": app.builder.get_target_uri(page_name) + anchor,
                    "page": records[0]["title"] if anchor else "",
                    "title": record["title"],
                    "text": record["text"],
                    "code": record["code"],
                    "about": ", ".join(phrase_list),
                    # If a query equals one of these names, this section is the best result.
                    "name": "\n".join([*_BETWEEN_FORMS.split(title), *phrase_list]),
                    "weight": weights.get(page_name, 1) * weight,
                }
            )
    if phrases:
        raise ExtensionError(f"words.yml names sections that do not exist: {sorted(phrases)}")
    return sections


def build_index(source: Path, reading: dict[str, Any], sections: list[dict[str, Any]]) -> str:
    """Return a prebuilt MiniSearch index as JSON, which a browser loads faster than it builds one.

    `reading` lists the words to ignore and words with another spelling. `source` is the folder that
    contains node_modules.
    """
    library = minisearch_folder(source) / "dist" / "cjs" / "index.cjs"
    command = [find_node(), str(FOLDER / "prebuild.cjs"), str(library)]
    request = json.dumps({"reading": reading, "sections": sections})
    process = subprocess.run(
        command, input=request, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if process.returncode:
        raise ExtensionError(f"the index of the search could not be made: {process.stderr}")
    return process.stdout


def minisearch_folder(source: Path) -> Path:
    """Return MiniSearch's folder, or raise ExtensionError if it is not installed."""
    folder = source / "node_modules" / "minisearch"
    if not folder.is_dir():
        raise ExtensionError("node_modules/minisearch is missing: run npm ci")
    return folder


def minisearch_script(source: Path) -> str:
    """Return MiniSearch with its licence as a classic script."""
    folder = minisearch_folder(source)
    licence = (folder / "LICENSE.txt").read_text("utf-8")
    module = (folder / "dist" / "es" / "index.js").as_posix()
    script = bundle_script(f'import library from "{module}"; window.MiniSearch = library;')
    return f"/*! {licence}*/\n{script}\n"


def write_scripts(app: Sphinx, exception: Exception | None) -> None:
    """Write the three scripts that a page loads when a reader opens the search box."""
    if exception or app.builder.name != "html":
        return
    target = Path(app.outdir, "_static", "search")
    target.mkdir(parents=True, exist_ok=True)
    words = yaml.safe_load((FOLDER / "words.yml").read_text("utf-8"))
    reading = {
        "ignored": words["ignored"].split(),
        "spellings": {
            spelling: word
            for spellings, word in words["spellings"].items()
            for spelling in spellings.split(", ")
        },
    }
    index = build_index(Path(app.srcdir), reading, list_sections(app, words))
    quoted = index.replace("\\", "\\\\").replace("'", "\\'")
    scripts = {
        "library": minisearch_script(Path(app.srcdir)),
        "engine": bundle_script(import_files(FOLDER / "engine.js")) + "\n",
        # Browsers parse JSON five times as fast as they run a script with the same data.
        "index": f"window.omSearchIndex = JSON.parse('{quoted}');\n",
    }
    for name, text in scripts.items():
        (target / f"{name}.js").write_text(text, "utf-8")


def setup(app: Sphinx) -> None:
    # Run after all extensions that change pages, and before _ext.theme copies the site.
    app.connect("doctree-read", store_records, priority=900)
    app.connect("build-finished", write_scripts, priority=800)
