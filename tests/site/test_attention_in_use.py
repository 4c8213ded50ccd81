"""The attention explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import finger, picture, reading, settle, to_the_task
from playwright.sync_api import Locator, expect

PAGE = "chapters/00-start-here.html"
BAND = 46  # pixels of the sentence below the plane


@pytest.fixture
def two(explored: Explored) -> Locator:
    return explored(PAGE, "attention", reduced_motion="reduce")


@pytest.fixture
def plane(two: Locator) -> Locator:
    """That of three words, further down."""
    return centred(two.page.locator(".om-explorer[data-kind=attention]").last)


def centred(explorer: Locator) -> Locator:
    explorer.scroll_into_view_if_needed()
    expect(explorer.locator("canvas")).to_be_visible()
    explorer.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(explorer.page)
    return explorer


def weights(explorer: Locator) -> list[float]:
    settle(explorer.page)
    return [float(text) for text in explorer.locator("td b").all_text_contents()]


def point(explorer: Locator, x: float, y: float, limit: float = 2.5) -> tuple[float, float]:
    """Where on the page the plane has the point (x, y)."""
    box = explorer.locator("canvas").bounding_box()
    assert box
    scale = min(box["width"] / (2 * limit + 2), (box["height"] - BAND) / (2 * limit + 1.2))
    return box["x"] + box["width"] / 2 + x * scale, box["y"] + (limit + 1 - y) * scale


def test_the_task_is_done_by_dragging_an_arrow(plane: Locator) -> None:
    says, mouse = to_the_task(plane), plane.page.mouse
    encoding, backwards = plane.get_by_role("checkbox").all()
    encoding.uncheck()
    backwards.uncheck()
    before = weights(plane)
    centred(plane)
    mouse.move(*point(plane, 1.8, 0.6))
    mouse.down()
    mouse.move(*point(plane, 0.7, 2.4), steps=6)
    mouse.up()
    assert "good is (0.70, 2.40)" in reading(plane)
    after = weights(plane)
    assert after != before
    assert after[3] > after[4]
    expect(says).to_contain_text("✓ Found: not gives good")
    mouse.move(*point(plane, -2, -2))
    assert "good is (0.70, 2.40)" in reading(plane)


def test_of_two_words_the_task_is_done_by_keyboard(two: Locator) -> None:
    says = to_the_task(two)
    canvas = centred(two).locator("canvas")
    for key in ["ArrowUp", "ArrowLeft"] * 4:
        canvas.press(key)
    expect(says).to_contain_text("Your turn")
    canvas.press("ArrowLeft")
    assert "dog is (0.50, 0.40)" in reading(two)
    expect(says).to_contain_text("✓ Found: such points lie on a circle")


def test_an_arrow_does_not_leave_the_plane(plane: Locator) -> None:
    mouse = plane.page.mouse
    mouse.move(*point(plane, -1.5, 0.8))
    mouse.down()
    mouse.move(*point(plane, -9, 9), steps=3)
    mouse.up()
    assert "bad is (−2.50, 2.50)" in reading(plane)


def test_an_arrow_is_dragged_by_finger(explored: Explored) -> None:
    first = explored(PAGE, "attention", viewport=PHONE, has_touch=True, is_mobile=True)
    plane = centred(first.page.locator(".om-explorer[data-kind=attention]").last)
    scrolled = plane.page.evaluate("scrollY")
    finger(plane.page, [point(plane, 0.4 - 0.3 * k, 1.5 - 0.1 * k) for k in range(6)])
    assert "not is (−1.10, 1.00)" in reading(plane)
    assert plane.page.evaluate("scrollY") == scrolled


def test_a_word_is_chosen_and_moved_by_keyboard(plane: Locator) -> None:
    before = picture(plane)
    plane.get_by_role("radio", name="good").press("Space")
    plane.get_by_role("radio", name="good").press("ArrowDown")
    assert "not is (0.40, 1.50)" in reading(plane)
    canvas = plane.locator("canvas")
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown"):
        canvas.press(key)
    assert "not is (0.20, 1.40)" in reading(plane)
    assert picture(plane) != before


def test_order_counts_only_with_positions(plane: Locator) -> None:
    encoding, backwards = plane.get_by_role("checkbox").all()
    before = weights(plane)
    backwards.check()
    assert "“bad not good”" in reading(plane)
    assert weights(plane) == before
    encoding.press("Space")
    there = weights(plane)
    assert "with clock 1" in reading(plane)
    backwards.press("Space")
    assert weights(plane) != there
