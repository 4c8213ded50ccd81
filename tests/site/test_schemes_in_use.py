"""The schemes explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import settle
from playwright.sync_api import Locator, expect

PAGE = "chapters/07-skipping-positions.html"


@pytest.fixture
def schemes(explored: Explored) -> Locator:
    return explored(PAGE, "schemes")


def row(explorer: Locator, scheme: str) -> list[str]:
    settle(explorer.page)
    found = explorer.locator("tbody tr").filter(has=explorer.page.get_by_text(scheme, exact=True))
    return found.locator("b").all_inner_texts()


def test_the_table_follows_the_choice(schemes: Locator) -> None:
    assert row(schemes, "none") == ["0.50", "0.50", "0.53"]
    schemes.get_by_role("checkbox", name="causal mask").check()
    assert row(schemes, "none") == ["1.00", "1.00", "1.00"]
    schemes.get_by_role("radio", name="the word before").check()
    schemes.get_by_role("radio", name="two").check()
    assert row(schemes, "rotary") == ["1.00", "1.00", "0.92"]
    assert row(schemes, "none")[2] == "0.65"
    expect(schemes.locator(".ex-reading")).to_contain_text("Still at 48: no scheme.")


def test_arrow_keys_choose_the_task(schemes: Locator) -> None:
    schemes.get_by_role("radio", name="who bites whom").press("ArrowDown")
    expect(schemes.get_by_role("radio", name="more praise or complaint")).to_be_checked()
    assert row(schemes, "none")[0] == "1.00"


def test_a_finger_chooses(explored: Explored) -> None:
    schemes = explored(PAGE, "schemes", viewport=PHONE, has_touch=True, is_mobile=True)
    schemes.get_by_role("radio", name="the word before").tap()
    assert row(schemes, "none")[0] == "0.26"
    table, room = schemes.locator("table").bounding_box(), schemes.locator(".ex").bounding_box()
    assert table and room and table["width"] <= room["width"] + 1
