"""The biases explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import finger, picture, set_slider, settle
from playwright.sync_api import Locator, expect

PAGE = "chapters/08-rotary-and-biases.html"


@pytest.fixture
def biases(explored: Explored) -> Locator:
    return explored(PAGE, "biases")


def reading(explorer: Locator) -> str:
    settle(explorer.page)
    return explorer.locator(".ex-reading").inner_text()


def place(explorer: Locator, across: float, down: float = 0.5) -> tuple[float, float]:
    """A point of the canvas, as fractions of its width and height."""
    box = explorer.locator("canvas").bounding_box()
    assert box
    return box["x"] + box["width"] * across, box["y"] + box["height"] * down


def test_heads_have_windows_of_their_own(biases: Locator) -> None:
    for head, slope, near in [("1", "0.5", "0.996"), ("3", "0.125", "0.747"),
                              ("8", "0.003906", "0.094")]:  # fmt: skip
        set_slider(biases, "in front", f"head {head}")
        assert f"Head {head} of 8: slope {slope}." in reading(biases)
        assert f"All keys at most 10 away together: {near}" in reading(biases)
    set_slider(biases, "heads", "1")  # takes the chosen one along
    set_slider(biases, "heads", "6")
    assert "Head 1 of 6: slope 0.25." in reading(biases)
    set_slider(biases, "in front", "head 6")
    assert "Head 6 of 6: slope 0.125." in reading(biases)


def test_without_a_mask_before_and_after_weigh_the_same(biases: Locator) -> None:
    before = picture(biases)
    biases.get_by_role("checkbox", name="causal mask").uncheck()
    assert picture(biases) != before
    told = reading(biases)
    assert "The key 20 before: bias −2.50" in told
    canvas = biases.locator("canvas")
    for key in ["PageUp"] * 4:
        canvas.press(key)
    assert reading(biases) == told.replace("20 before", "20 after")
    biases.get_by_role("checkbox", name="causal mask").check()
    assert "The query itself: bias 0.00" in reading(biases)  # what is hidden cannot be chosen


def test_arrow_keys_choose_a_key(biases: Locator) -> None:
    canvas = biases.locator("canvas")
    for key, wanted in [("ArrowRight", "19 before"), ("ArrowLeft", "20 before"),
                        ("PageDown", "30 before"), ("PageUp", "20 before"),
                        ("Home", "150 before")]:  # fmt: skip
        canvas.press(key)
        assert f"The key {wanted}" in reading(biases)
    canvas.press("End")
    assert "The query itself" in reading(biases)


def test_the_buckets_of_t5(biases: Locator) -> None:
    expect(biases.get_by_role("slider", name="heads")).to_be_visible()
    biases.get_by_role("radio", name="ALiBi").press("ArrowRight")
    assert "Bucket 17 of 32: offsets −20 to −19." in reading(biases)
    assert "The last bucket begins at distance 113." in reading(biases)
    expect(biases.get_by_role("slider", name="heads")).to_be_hidden()
    expect(biases.get_by_role("slider", name="buckets")).to_be_visible()
    biases.get_by_role("checkbox", name="causal mask").uncheck()
    assert "Bucket 10 of 32: offsets −22 to −16." in reading(biases)
    assert "The last bucket of a side begins at distance 91." in reading(biases)
    biases.locator("canvas").press("End")
    assert "Bucket 31 of 32: offsets 91 to 150 and beyond." in reading(biases)
    set_slider(biases, "buckets", "16")
    assert "Bucket 15 of 16" in reading(biases)


def test_a_key_is_chosen_by_mouse(biases: Locator) -> None:
    mouse = biases.page.mouse
    mouse.move(*place(biases, 0.2))
    assert "The key 20 before" in reading(biases)  # passing over changes nothing
    mouse.down()
    mouse.up()
    assert "The key 20 before" not in reading(biases)
    mouse.down()
    mouse.move(*place(biases, 0.95), steps=4)
    mouse.up()
    assert "The query itself" in reading(biases)  # the mask hides what is after it


def test_a_finger_chooses_a_key(explored: Explored) -> None:
    biases = explored(PAGE, "biases", viewport=PHONE, has_touch=True, is_mobile=True)
    biases.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(biases.page)
    finger(biases.page, [place(biases, x) for x in (0.5, 0.45, 0.4, 0.3)])
    distance = int(reading(biases).split("The key ")[1].split(" before")[0])
    assert distance > 50
