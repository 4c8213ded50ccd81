"""Test that all addresses, names and links on which readers rely (see contract.yml) still work."""

import json
from pathlib import Path

import contract
import pytest
import yaml
from built import SITE, Open, ids
from playwright.sync_api import expect
from visits import OPEN_CARDS

RECORDED = contract.read_contract()
KEPT = yaml.safe_load(Path(__file__).with_name("kept.yml").read_text("utf-8"))

FOUND = {  # functions that each compute one part of the current contract
    "pages": lambda was: {page: ids(SITE / page) for page in was if (SITE / page).is_file()},
    "downloads": lambda was: [one for one in was if contract.file(one).is_file()],
    "sheets": lambda was: contract.sheets(),
    "kinds": lambda was: contract.kinds(),
    "library": contract.library,
}


@pytest.mark.parametrize("part", FOUND)
def test_nothing_that_readers_rely_on_is_gone(site: Path, part: str) -> None:
    gone = list(contract.find_lost(RECORDED[part], FOUND[part](RECORDED[part])))
    assert not gone, contract.MEANT


@pytest.mark.parametrize(
    ("recorded", "found", "told"),
    [
        ({"a.html": ["one", "two"]}, {"a.html": ["two"], "b.html": []}, ["a.html: one"]),
        ({"a.html": ["one"]}, {}, ["a.html"]),
        ("x, y=1, *, z=2", "x, y=1, new=3, *, other=4, z=2", []),
        ("x", "x, *, y=1", []),
        ("x, y=1", "x, y=2", ["x, y=1 is now x, y=2"]),
        ("x, y=1", "x, new, y=1", ["x, y=1 is now x, new, y=1"]),
        ("x", "x, y", ["x is now x, y"]),
        ("x, *, y=1", "x", ["x, *, y=1 is now x"]),
        ("number", "numbers", ["number is now numbers"]),
    ],
)
def test_more_may_come_and_nothing_may_go(recorded: object, found: object, told: list[str]) -> None:
    assert list(contract.find_lost(recorded, found)) == told


def test_what_a_browser_keeps_is_read(open_page: Open, server: str) -> None:
    """Check that a page restores the theme, reading position and answers stored in kept.yml."""
    kept = {name: value if name == "mode" else json.dumps(value) for name, value in KEPT.items()}
    local = [{"name": name, "value": value} for name, value in kept.items()]
    state = {"cookies": [], "origins": [{"origin": server.rstrip("/"), "localStorage": local}]}
    page = open_page("index.html", storage_state=state, color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("#the-path li:has(.om-tick)")).to_have_count(1)
    expect(page.get_by_role("link", name="Questions are back")).to_be_visible()
    page.get_by_role("link", name="Go on with 4. Sine and cosine: Touch it").click()
    page.wait_for_url("**/chapters/04-sine-and-cosine.html#touch-it")
    expect(page.get_by_role("checkbox", name="I have read this page")).to_be_checked()
    page.evaluate(OPEN_CARDS)
    for name in ("slow-sine", "pair-position"):
        form = page.locator(f"#exercise-{name} form")
        expect(form.get_by_role("textbox")).to_have_value("1")
        expect(form.get_by_role("status")).to_contain_text("✗ Not yet.")
    expect(page.locator("#exercise-enough input:checked")).to_have_value("c")
    expect(page.locator("p.om-points")).to_contain_text("1 of")
    # A guess is dropped if the question with its number now has another unit or other choices.
    expect(page.locator("#prediction-4-1").get_by_role("textbox")).to_have_value("")
    expect(page.locator("#prediction-4-2").get_by_role("textbox")).to_have_value("3")
    page.goto(f"{server}chapters/04-sine-and-cosine-deeper.html")
    expect(page.locator("#prediction-4-d1 input:checked")).to_have_value("yes, some two have")
    page.goto(f"{server}chapters/appendix-exercises.html")
    expect(page.locator(".om-due")).to_have_text("4 questions are due.")
