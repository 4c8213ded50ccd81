"""Test which words are indexed, and which sections a search finds, without building the site."""

import json
import subprocess
from types import SimpleNamespace

import pytest
from built import ROOT
from docutils import nodes
from sphinx.errors import ExtensionError

from _ext import search
from _ext.formulas import find_node


def paragraph(text: str) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.Text(text))


def section(name: str, title: str, *children: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title("", title), *children, ids=[name])


def records(*children: nodes.Node) -> list[dict[str, str]]:
    page = nodes.document(None, None)
    page += section("clocks", "Clocks", *children)
    return search.collect_records(page)


def test_an_answer_that_waits_is_not_found_and_of_code_only_names() -> None:
    raw = lambda html: nodes.raw("", html, format="html")  # noqa: E731
    [record] = records(
        paragraph("Which hand?"),
        raw("<details><summary>Answer</summary>"),
        paragraph("The slow one."),
        nodes.literal_block("", "secret = 1"),
        raw("</details>"),
        nodes.literal_block("", "turned = HandOf(turn_by, _3)[0]  # atan2 again"),
        nodes.literal_block("", "0.1411", classes=["output"]),
        paragraph("Go on."),
    )
    assert record["text"] == "Which hand? Go on."
    assert record["code"] == "HandOf turn_by atan2"


def test_sections_have_addresses_and_weights_and_one_that_is_gone_ends_the_build() -> None:
    sections = records(section("asides", "Asides", paragraph("Turning.")))
    app = SimpleNamespace(
        env=SimpleNamespace(metadata={"clocks": {"om_records": sections}}),
        builder=SimpleNamespace(get_target_uri=lambda name: f"{name}.html"),
    )
    words = {"weights": {"top": 0.9, "Asides": 0.5}, "kinds": {"Asides": "remarks"}}
    [page, asides] = search.list_sections(app, words | {"sections": {"clocks#asides": "rotation"}})
    assert (page["id"], page["page"], page["weight"]) == ("clocks.html", "", 0.9)
    assert (asides["id"], asides["page"], asides["weight"]) == ("clocks.html#asides", "Clocks", 0.5)
    assert (asides["about"], asides["text"]) == ("rotation, remarks", "Turning.")
    with pytest.raises(ExtensionError, match="clocks#gone"):
        search.list_sections(app, words | {"sections": {"clocks#gone": "rotation"}})


# Load an index as a page does, and print each query's results and unknown words.
# Run this script with: node -e ASK LIBRARY ENGINE < {index, questions}
ASK = """
const [MiniSearch] = [require(process.argv[1]), require(process.argv[2])];
const { index, questions } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
omSearchEngine.start(MiniSearch, index).then((engine) => {
  const ask = (question) => [engine.search(question).map(({ id }) => id), engine.missing(question)];
  console.log(JSON.stringify(questions.map(ask)));
});
"""


def ask(texts: dict[str, str], *questions: str) -> list[tuple[set[str], list[str]]]:
    """For each query, return which texts match, and which words of the query no text contains."""
    fields = {"page": "", "title": "", "code": "", "about": "", "name": "", "weight": 1}
    sections = [fields | {"id": name, "text": text} for name, text in texts.items()]
    reading = {"ignored": ["the"], "spellings": {"attn": "attention"}}
    index = json.loads(search.build_index(ROOT, reading, sections))
    library = search.minisearch_folder(ROOT) / "dist" / "cjs" / "index.cjs"
    command = [find_node(), "-e", ASK, str(library), str(search.FOLDER / "engine.js")]
    task = json.dumps({"index": index, "questions": questions})
    output = subprocess.run(command, input=task, capture_output=True, check=True, encoding="utf-8")
    return [(set(names), missing) for names, missing in json.loads(output.stdout)]


def test_a_name_is_found_by_each_of_its_parts() -> None:
    texts = {
        "snake": "Add rope_deltas to it.",
        "library": "Call position_from_encoding.",
        "camel": "PositionalEncoding with d_modelEnds",
    }
    answers = {
        "deltas": {"snake"},
        "rope": {"snake"},
        "rope_deltas": {"snake"},
        "from_encoding": {"library"},
        "position_from": {"library"},
        "encoding": {"library", "camel"},
        "positionalenc": {"camel"},
        "model": {"camel"},
        "ends": {"camel"},
        "odel": set[str](),  # a search does not find letters from the middle of a word
    }
    assert [sections for sections, _ in ask(texts, *answers)] == list(answers.values())


def test_the_words_that_no_section_has_are_told() -> None:
    texts = {"one": "Attention sees the words.", "two": "Wavelengths."}
    questions = (
        "attention dropout",
        "Dropout the attn",
        "wavel",
        "attention wa",
        "wa attention",
        "frob",
    )
    assert ask(texts, *questions) == [
        ({"one"}, ["dropout"]),
        ({"one"}, ["Dropout"]),
        ({"two"}, []),
        ({"one", "two"}, []),
        # two letters count as the beginning of a word only at the end of a query
        ({"one"}, ["wa"]),
        (set(), ["frob"]),
    ]
