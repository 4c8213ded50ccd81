"""The layers of a model under a reader's hands: mouse, finger and keyboard."""

from math import log10

import pytest
from built import PHONE, Explored
from hands import drag, finger, picture, reading, settle, size, to_the_task
from playwright.sync_api import Locator, expect

PAGE = "chapters/11-since-2024.html"


@pytest.fixture
def layers(explored: Explored) -> Locator:
    return explored(PAGE, "layers")


def place(explorer: Locator, distance: float, kinds: int = 2) -> tuple[float, float]:
    """A point of the canvas, in its own pixels."""
    left, (width, _) = 17 * kinds + 24, size(explorer)
    return left + (width - 12 - left) * log10(distance) / 7, 60


def at(explorer: Locator) -> tuple[int, int]:
    """Where query and key are."""
    settle(explorer.page)
    query, key = (
        int(explorer.get_by_role("spinbutton", name=name).input_value())
        for name in ("query at", "key at")
    )
    return query, key


def type_in(explorer: Locator, name: str, value: str) -> None:
    field = explorer.get_by_role("spinbutton", name=name)
    field.fill(value)
    field.press("Enter")
    settle(explorer.page)


def test_the_first_look_tells_seeing_layers_from_the_others(layers: Locator) -> None:
    assert at(layers) == (10_000, 5_000)
    assert reading(layers).startswith("5,000 back: 4 of 26 layers can tell it by themselves.")
    assert "22 do not see it" in reading(layers)


def test_the_key_is_dragged_by_mouse(layers: Locator) -> None:
    before = picture(layers)
    drag(layers, place(layers, 1_000), place(layers, 300))
    query, key = at(layers)
    assert query == 10_000 and abs(query - key - 300) <= 6
    assert "all 26 layers can tell it" in reading(layers)
    assert picture(layers) != before
    drag(layers, (2, 60))  # beyond the axis: the nearest
    assert at(layers) == (10_000, 9_999)


def test_the_task_is_done_with_typed_positions(layers: Locator) -> None:
    says = to_the_task(layers)
    layers.get_by_role("combobox", name="model").select_option("gpt-oss 20B")
    type_in(layers, "query at", "300")
    type_in(layers, "key at", "172")
    expect(says).to_contain_text("Your turn")
    assert reading(layers).startswith("128 back: 12 of 24 layers")
    type_in(layers, "key at", "173")
    expect(says).to_contain_text("✓ Found: 127.")


def test_positions_stay_within_the_model(layers: Locator) -> None:
    layers.get_by_role("combobox", name="model").select_option("GPT-2")
    assert at(layers) == (1_023, 0)  # the distance as far as it goes
    type_in(layers, "query at", "5000")
    assert at(layers) == (1_023, 0)
    type_in(layers, "key at", "2000")
    assert at(layers) == (1_023, 1_022)
    type_in(layers, "query at", "500")
    assert at(layers) == (500, 499)
    type_in(layers, "key at", "")
    assert at(layers) == (500, 0)
    assert "no layer can tell it by itself. 12 only see the key" in reading(layers)


def test_arrow_keys_move_the_key(layers: Locator) -> None:
    canvas = layers.locator(".ex-scene canvas")
    for key, distance in [("ArrowUp", 5_001), ("ArrowDown", 5_000), ("ArrowRight", 6_295),
                          ("Home", 1), ("ArrowLeft", 1), ("ArrowRight", 2), ("PageUp", 20),
                          ("PageDown", 2), ("End", 10_000), ("ArrowUp", 10_000)]:  # fmt: skip
        canvas.press(key)
        query, at_ = at(layers)
        assert (query, query - at_) == (10_000, distance), key


def test_an_address_brings_a_state_back_and_refuses_what_does_not_fit(layers: Locator) -> None:
    page, url = layers.page, layers.page.url.split("#")[0].split("?")[0]
    anchor = layers.get_attribute("id")
    page.goto(f"{url}?model=Llama+4+Scout&query=8192&key=8191#{anchor}")
    again = page.locator(".om-explorer[data-kind=layers]").first
    again.scroll_into_view_if_needed()
    expect(again.locator(".ex-reading")).to_contain_text("1 back: no layer can tell it")
    page.goto(f"{url}?model=GPT-2&query=5000&key=1#{anchor}")
    page.reload()
    again.scroll_into_view_if_needed()
    expect(again.locator(".ex-reading")).to_contain_text("5,000 back: 4 of 26 layers")


def test_a_finger_pulls_the_key(explored: Explored) -> None:
    layers = explored(PAGE, "layers", viewport=PHONE, has_touch=True, is_mobile=True)
    canvas = layers.locator(".ex-scene canvas")
    canvas.evaluate("(e) => e.scrollIntoView({ block: 'center' })")
    box = canvas.bounding_box()
    assert box
    points = [place(layers, d) for d in (5_000, 2_000, 800, 300)]
    finger(layers.page, [(box["x"] + x, box["y"] + y) for x, y in points])
    query, key = at(layers)
    assert abs(query - key - 300) <= 9


def test_it_fits_a_phone(explored: Explored) -> None:
    layers = explored(PAGE, "layers", viewport=PHONE, has_touch=True, is_mobile=True)
    live = layers.locator(".om-live")
    for model in layers.get_by_role("combobox", name="model").locator("option").all_inner_texts():
        layers.get_by_role("combobox", name="model").select_option(model)
        settle(layers.page)
        box = live.bounding_box()
        assert box and box["height"] <= 610, model
