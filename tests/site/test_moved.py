"""Test that an old link to a section leads to the page that contains the section now."""

from pathlib import Path

import pytest
from built import Open
from hands import find_live_explorer
from little import build
from playwright.sync_api import expect
from sphinx.errors import ExtensionError

from _ext import moved
from _ext.moved import load_moves

INDEX = "# Book\n\n```{toctree}\nchapters/04\nchapters/04-deeper\n```\n"
DEEPER = "# Deeper\n\n## A long proof\n\nThe proof."
CHAPTER = "# Four\n\nFirst.\n\nThe proof [is longer](04-deeper.md#a-long-proof) than this page.\n"
TABLE = '["chapters/04"]\n"old-proof" = "chapters/04-deeper#a-long-proof"\n'


def build_book(folder: Path, monkeypatch: pytest.MonkeyPatch, chapter: str, table: str = TABLE):
    """Build a book of one chapter, its Deeper page, and a table of moved sections."""
    path = folder / "moved.toml"
    path.write_text(table, "utf-8")
    monkeypatch.setattr(moved, "TABLE", path)
    pages = {"index": INDEX, "chapters/04": chapter, "chapters/04-deeper": DEEPER}
    options = {"myst_heading_anchors": 3}
    return build(folder, pages, "_ext.anchors", "_ext.moved", **options)


def test_an_old_id_stands_on_the_paragraph_that_links_to_the_new_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = build_book(tmp_path, monkeypatch, CHAPTER)["chapters/04"]
    mark = body.find(id="old-proof")
    assert mark.parent.get_text().startswith("The proof is longer")
    assert mark["data-moved"] == "../chapters/04-deeper.html#a-long-proof"


def test_a_page_may_still_link_to_an_old_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapter = CHAPTER + "\nSee [above](#old-proof).\n"
    body = build_book(tmp_path, monkeypatch, chapter)["chapters/04"]
    assert body.find("a", string="above")["href"] == "#old-proof"


@pytest.mark.parametrize(
    ("chapter", "table", "message"),
    [
        ("# Four\n\nNo link.\n", TABLE, "no paragraph of the page links there"),
        (CHAPTER + "\n## Old proof\n", TABLE, "still has the id old-proof"),
    ],
)
def test_a_move_that_leads_nowhere_fails_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chapter: str, table: str, message: str
) -> None:
    with pytest.raises(ExtensionError, match=message):
        build_book(tmp_path, monkeypatch, chapter, table)


@pytest.mark.parametrize("table", ['["page"]\nold = "page"', '["page"]\nold = 3', 'page = "x#y"'])
def test_a_table_of_another_form_is_an_error(table: str) -> None:
    with pytest.raises(ExtensionError, match=r"moved\.toml: "):
        load_moves(table)


def test_a_shared_link_to_an_explorer_that_moved_brings_its_state(open_page: Open) -> None:
    """Test a link to chapter 4 that was shared before its explorer moved to the Deeper page."""
    query = "?digits=3&position=33&positions=100#explorer-phase-2"
    page = open_page(f"chapters/04-sine-and-cosine.html{query}")
    page.wait_for_url(f"**/chapters/04-sine-and-cosine-deeper.html{query}")
    explorer = find_live_explorer(page, "phase")
    expect(explorer).to_have_attribute("id", "explorer-phase-2")
    expect(explorer.locator(".ex-reading")).to_contain_text("Position 33")


def test_a_link_to_a_section_that_moved_leads_to_the_section(open_page: Open) -> None:
    page = open_page("chapters/04-sine-and-cosine.html#a-linear-shift-needs-the-pair")
    page.wait_for_url("**/chapters/04-sine-and-cosine-deeper.html#a-linear-shift-needs-the-pair")
