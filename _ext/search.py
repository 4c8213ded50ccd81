"""What the search looks through: one record for each section, in a script that the search loads.

Records are made from Sphinx's parsed pages: a section's words and the names in its code, but no
answer that waits behind a click. Entries of glossary and bibliography count as sections. The script
registers data and does nothing else, so that it works from file://, where a page cannot fetch.
"""

import json
import re
import subprocess
import zlib
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from _ext.formulas import node
from _ext.words import plain, untagged

FOLDER = Path(__file__).with_name("searching")
WORDS = FOLDER / "words.yml"
LEVELS = 3  # what is deeper belongs to the section around it

_BOX = re.compile(r"<(/?)details")
_CAPTION = re.compile(r'<figcaption>(.*?)</figcaption>|<p class="om-caption">(.*?)</p>', re.DOTALL)
# what one copies into a search from code: no plain word, which is as likely from a comment
_NAME = re.compile(r"\b(?=\w{4})[A-Za-z]+(?:_[A-Za-z0-9]|(?<=[a-z])[A-Z]|\d)\w*")
_YEAR = re.compile(r"^([^(]{3,}) \((\d{4})\)\.")
_FIRST = re.compile(r"^[^,(]*?([^ ,(]+)(?:,| and| \().*?(\d{4})\)$")

_MANUAL = re.compile(r"^\s*/\*\*.*?\*/\n|//# sourceMappingURL=\S+", re.DOTALL | re.MULTILINE)

Record = dict[str, str]


def records(document: nodes.document) -> list[Record]:
    """The page, its sections and its entries, each with address, titles, words and names."""
    found: list[Record] = []
    for page in document.children:
        if isinstance(page, nodes.section):
            _section(page, [], found)
    return found


def _section(section: nodes.Element, around: list[str], found: list[Record]) -> None:
    title = plain(section[0])
    at = section["ids"][0] if around else ""
    words: list[str] = []
    names: dict[str, None] = {}
    record = {"at": at, "title": title, "within": " ".join(around[1:])}
    found.append(record)
    _read(section[1:], [*around, title], words, names, found)
    record |= {"text": " ".join(words), "code": " ".join(names)}


def _read(
    children: list[nodes.Node],
    around: list[str],
    words: list[str],
    names: dict[str, None],
    found: list[Record],
) -> None:
    """Gather words and the code's names; sections and entries below get records of their own."""
    hidden = 0
    for child in children:
        if isinstance(child, nodes.raw):
            source = child.astext()
            hidden += sum(-1 if end else 1 for end in _BOX.findall(source))
            if not hidden and "<form" not in source:
                words += [untagged("".join(caption)) for caption in _CAPTION.findall(source)]
        elif hidden:
            continue
        elif isinstance(child, nodes.section) and len(around) < LEVELS:
            _section(child, around, found)
        elif isinstance(child, nodes.paragraph | nodes.list_item) and child["ids"]:
            text = plain(child)
            title, within = entry(text), " ".join(around[1:])
            entry_record = {"at": child["ids"][0], "title": title, "within": within}
            found.append(entry_record | {"text": text, "code": ""})
        elif isinstance(child, nodes.container) and "om-equation" in child["classes"]:
            words.append(f"({child['ids'][0].removeprefix('equation-').replace('-', '.')})")
        elif isinstance(child, nodes.math_block):
            continue
        elif isinstance(child, nodes.literal_block):
            if "output" not in child["classes"]:
                names |= dict.fromkeys(_NAME.findall(child.astext()))
        elif isinstance(child, nodes.TextElement):
            words += filter(None, [plain(child)])
        else:
            _read(child.children, around, words, names, found)


def entry(text: str) -> str:
    """The title of an entry: the term that it explains, or who published it and when.

    >>> entry("base, theta: The number 10,000."), entry("Ada Ash and Bo Birch (2021). Trees.")
    ('base, theta', 'Ada Ash and Bo Birch (2021)')
    """
    if found := _YEAR.match(text):
        return f"{found[1]} ({found[2]})"
    return text.split(":")[0]


def cited(title: str) -> str:
    """How others name a publication in their text.

    >>> cited("Ada Ash and Bo Birch (2021)"), cited("Bands and stripes")
    ('Ash 2021, Ash et al', '')
    """
    found = _FIRST.match(title)
    return f"{found[1]} {found[2]}, {found[1]} et al" if found else ""


def kept(env: BuildEnvironment) -> dict[str, tuple[int, list[Record]]]:
    """The records of each page, with the time at which the page was parsed."""
    if not hasattr(env, "om_records"):
        env.om_records = {}  # type: ignore[attr-defined]
    return env.om_records  # type: ignore[attr-defined,no-any-return]


def remember(app: Sphinx, env: BuildEnvironment) -> None:
    """Make the records of the pages that were parsed anew, forget those of pages that are gone."""
    found = kept(env)
    for name in found.keys() - env.found_docs:
        del found[name]
    for name in env.found_docs:
        parsed = Path(app.doctreedir, f"{name}.doctree").stat().st_mtime_ns
        if found.get(name, (0,))[0] != parsed:
            found[name] = parsed, records(env.get_doctree(name))


def index(app: Sphinx, words: dict[str, Any]) -> dict[str, Any]:
    """All that the search needs: pages, sections, synonyms, and the index of their words."""
    asked, kinds, weights = dict(words["sections"]), words["kinds"], words["weights"]
    pages: list[list[str]] = []
    found: list[Record] = []
    sections: list[list[str | float]] = []
    for name in sorted(app.env.found_docs):
        page = kept(app.env)[name][1]
        title = page[0]["title"]
        for record in page:
            place = f"{name}#{record['at']}".removesuffix("#")
            titles = (record["title"], record["within"]) if record["at"] else ("top",)
            weight = weights.get(name, 1) * min(weights.get(kind, 1) for kind in titles)
            names = (asked.pop(place, ""), kinds.get(record["title"], ""), cited(record["title"]))
            about = ", ".join(filter(None, names))
            shown = [record[field] for field in ("at", "title", "text")]
            sections.append([len(pages), *shown, round(weight, 2), about])
            found.append(record | {"page": title if record["at"] else "", "about": about})
        pages.append([app.builder.get_target_uri(name), title])
    if asked:
        raise ExtensionError(f"{WORDS.name} names sections that are not there: {sorted(asked)}")
    spellings = {spelled: word for spelled, [word] in each(words["spellings"]).items()}
    return {
        "pages": pages,
        "sections": sections,
        "spellings": spellings,
        "synonyms": each(words["synonyms"]),
        "engine": prebuilt(Path(app.srcdir), spellings, found),
    }


def prebuilt(source: Path, spellings: dict[str, str], found: list[Record]) -> Any:
    """The library's index of the records: to load it takes a reader a quarter of making it."""
    module = package(source) / "dist" / "cjs" / "index.cjs"
    command = [node(), str(FOLDER / "prebuild.cjs"), str(module)]
    numbered = [{"id": number} | record for number, record in enumerate(found)]
    given = json.dumps({"spellings": spellings, "records": numbered})
    done = subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise ExtensionError(f"the search's index was not made: {done.stderr}")
    return json.loads(done.stdout)


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


def each(table: dict[str, str]) -> dict[str, list[str]]:
    """A row of the table for each of its words.

    >>> each({"long context, max length": "longer texts, length"})
    {'long context': ['longer texts', 'length'], 'max length': ['longer texts', 'length']}
    """
    return {asked: meant.split(", ") for many, meant in table.items() for asked in many.split(", ")}


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.name != "html":
        return
    target = Path(app.outdir, "_static", "search")
    target.mkdir(parents=True, exist_ok=True)
    words = yaml.safe_load(WORDS.read_text("utf-8"))
    data = json.dumps(index(app, words), ensure_ascii=False, separators=(",", ":"))
    # a browser reads a string of JSON in a fifth of the time that the same takes as a script
    quoted = json.dumps(data, ensure_ascii=False)
    scripts = {
        "library": library(Path(app.srcdir)),
        "engine": (FOLDER / "engine.js").read_text("utf-8"),
        "index": f"window.omSearchIndex = JSON.parse({quoted});\n",
    }
    for name, text in scripts.items():
        (target / f"{name}.js").write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-updated", remember)
    app.connect("build-finished", write, priority=800)  # before _ext.face copies what is there
    # what is kept of the pages is stale when this code changes
    version = zlib.crc32(Path(__file__).read_bytes())
    return {"env_version": version, "parallel_read_safe": True, "parallel_write_safe": True}
