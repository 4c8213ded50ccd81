"""The attention explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored, Open
from hands import alive, finger, picture, settle
from playwright.sync_api import Locator

PAGE = "chapters/00-start-here.html"


@pytest.fixture
def plane(open_page: Open) -> Locator:
    explorer = alive(open_page(PAGE), "attention")
    explorer.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(explorer.page)
    return explorer


def reading(explorer: Locator) -> str:
    settle(explorer.page)
    return explorer.locator(".ex-reading").inner_text()


def weights(explorer: Locator) -> list[float]:
    settle(explorer.page)
    return [float(text) for text in explorer.locator("tbody td").all_inner_texts()]


def point(explorer: Locator, x: float, y: float) -> tuple[float, float]:
    """Where on the page the plane has the point (x, y)."""
    box = explorer.locator("canvas").bounding_box()
    assert box
    scale = min(box["width"], box["height"]) / 2 / 3.7
    return box["x"] + box["width"] / 2 + x * scale, box["y"] + box["height"] / 2 - y * scale


def test_an_arrow_is_dragged_by_mouse(plane: Locator) -> None:
    before, mouse = weights(plane), plane.page.mouse
    mouse.move(*point(plane, 1.8, 0.6))
    mouse.down()
    mouse.move(*point(plane, 0.7, 2.4), steps=6)
    mouse.up()
    assert "good is (0.70, 2.40)" in reading(plane)
    after = weights(plane)
    assert after != before
    assert after[3] > after[4]  # the second task: not looks at good more than at itself
    mouse.move(*point(plane, -2, -2))
    assert "good is (0.70, 2.40)" in reading(plane)


def test_an_arrow_does_not_leave_the_plane(plane: Locator) -> None:
    mouse = plane.page.mouse
    mouse.move(*point(plane, -1.5, 0.8))
    mouse.down()
    mouse.move(*point(plane, -9, 9), steps=3)
    mouse.up()
    assert "bad is (−2.50, 2.50)" in reading(plane)


def test_an_arrow_is_dragged_by_finger(explored: Explored) -> None:
    plane = explored(PAGE, "attention", viewport=PHONE, has_touch=True, is_mobile=True)
    plane.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(plane.page)
    scrolled = plane.page.evaluate("scrollY")
    finger(plane.page, [point(plane, 0.4, 1.5 - 0.5 * k) for k in range(6)])
    assert "not is (0.40, −1.00)" in reading(plane)
    assert plane.page.evaluate("scrollY") == scrolled


def test_a_word_is_chosen_and_moved_by_keyboard(plane: Locator) -> None:
    before = picture(plane)
    plane.get_by_role("radio", name="good").press("Space")
    plane.get_by_role("radio", name="good").press("ArrowRight")
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
    assert "with the encoding of position 1" in reading(plane)
    backwards.press("Space")
    assert weights(plane) != there
