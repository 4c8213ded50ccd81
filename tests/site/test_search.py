"""What goes into the search's index, without a build."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from sphinx.errors import ExtensionError

from _ext import search


def paragraph(text: str) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.Text(text))


def section(name: str, title: str, *children: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title("", title), *children, ids=[name])


def records(*children: nodes.Node) -> list[dict[str, str]]:
    page = nodes.document(None, None)
    page += section("clocks", "Clocks", *children)
    return search.records(page)


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
    found = records(section("asides", "Asides", paragraph("Turning.")))
    app = SimpleNamespace(
        env=SimpleNamespace(metadata={"clocks": {"om_records": found}}),
        builder=SimpleNamespace(get_target_uri=lambda name: f"{name}.html"),
    )
    words = {"weights": {"top": 0.9, "Asides": 0.5}, "kinds": {"Asides": "remarks"}}
    [page, asides] = search.sections(app, words | {"sections": {"clocks#asides": "rotation"}})
    assert (page["id"], page["page"], page["weight"]) == ("clocks.html", "", 0.9)
    assert (asides["id"], asides["page"], asides["weight"]) == ("clocks.html#asides", "Clocks", 0.5)
    assert (asides["about"], asides["text"]) == ("rotation, remarks", "Turning.")
    with pytest.raises(ExtensionError, match="clocks#gone"):
        search.sections(app, words | {"sections": {"clocks#gone": "rotation"}})
