"""What goes into the search's index, without a build."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from sphinx.errors import ExtensionError

from _ext import search


def section(name: str, title: str, *children: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title("", title), *children, ids=[name])


def paragraph(*children: nodes.Node | str, **attributes: object) -> nodes.paragraph:
    texts = [nodes.Text(child) if isinstance(child, str) else child for child in children]
    return nodes.paragraph("", "", *texts, **attributes)


def raw(source: str) -> nodes.raw:
    return nodes.raw("", source, format="html")


def document(*children: nodes.Node) -> nodes.document:
    made = nodes.document(None, None)
    made += section("clocks", "Clocks", *children)
    return made


def test_an_answer_that_waits_is_not_found() -> None:
    page = document(
        paragraph("Which hand?"),
        raw("<details><summary>Answer</summary>"),
        paragraph("The slow one."),
        nodes.literal_block("", "secret = 1"),
        raw("</details>"),
        paragraph("Go on."),
    )
    [record] = search.records(page)
    assert (record["text"], record["code"]) == ("Which hand? Go on.", "")


def test_code_gives_its_names_but_no_plain_words_and_output_nothing() -> None:
    code = nodes.literal_block("", "turned = HandOf(turn_by, _3)[0]  # atan2 again")
    printed = nodes.literal_block("", "0.1411", classes=["output"])
    [record] = search.records(document(code, printed))
    assert record["code"] == "HandOf turn_by atan2" and not record["text"]


def app(page: nodes.document) -> SimpleNamespace:
    return SimpleNamespace(
        srcdir=search.FOLDER.parents[1],
        env=SimpleNamespace(
            found_docs={"clocks"}, om_records={"clocks": (0, search.records(page))}
        ),
        builder=SimpleNamespace(get_target_uri=lambda name: f"{name}.html"),
    )


WORDS = {
    "weights": {"top": 0.9, "Asides": 0.5},
    "kinds": {"Asides": "remarks"},
    "spellings": {},
    "synonyms": {},
}


def test_the_index_has_addresses_weights_and_what_the_library_loads() -> None:
    page = document(section("asides", "Asides", paragraph("Turning.")))
    index = search.index(app(page), WORDS | {"sections": {"clocks#asides": "rotation"}})
    assert index["pages"] == [["clocks.html", "Clocks"]]
    assert index["sections"] == [
        [0, "", "Clocks", "", 0.9, ""],
        [0, "asides", "Asides", "Turning.", 0.5, "rotation, remarks"],
    ]
    terms = {term for term, _ in index["engine"]["index"]}
    assert {"clock", "turn", "rotat"} <= terms  # stems


def test_words_for_a_section_that_is_not_there_fail_the_build() -> None:
    with pytest.raises(ExtensionError, match="clocks#gone"):
        search.index(app(document()), WORDS | {"sections": {"clocks#gone": "rotation"}})
