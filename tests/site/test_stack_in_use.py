"""The stack of layers under a reader's hands: mouse, finger and keyboard."""

from math import log10

import pytest
from built import PHONE, Explored
from hands import finger, settle, to_the_task, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/10-choosing.html"


@pytest.fixture
def stack(explored: Explored) -> Locator:
    return explored(PAGE, "stack")


def place(explorer: Locator, distance: float) -> tuple[float, float]:
    box = explorer.locator("canvas").bounding_box()
    assert box
    return box["x"] + 44 + (box["width"] - 56) * (log10(distance) - 1) / 4, box["y"] + 60


def test_the_task_is_done_by_dragging_the_word(stack: Locator) -> None:
    to_the_task(stack)
    mouse = stack.page.mouse
    mouse.move(*place(stack, 1_000))
    mouse.down()
    mouse.move(*place(stack, 5_000))
    settle(stack.page)
    expect(stack.locator(".ex-says")).to_contain_text("Your turn")
    mouse.move(*place(stack, 20_000))
    mouse.up()
    expect(stack.locator(".ex-says")).to_contain_text("Found: beyond 8,191")
    expect(stack.locator(".ex-reading")).to_contain_text("2 of 8 layers. They have no positions.")


def test_the_model_and_the_distance_by_keyboard(stack: Locator) -> None:
    stack.get_by_role("radio", name="LLaMA 7B").press("ArrowDown")
    stack.locator("canvas").press("End")
    settle(stack.page)
    assert told(stack, "distance") == "100,000 positions back"
    expect(stack.locator(".ex-reading")).to_contain_text("it takes 25")  # 100,000 / 4,095
    stack.locator("canvas").press("Home")
    stack.locator("canvas").press("ArrowRight")
    stack.locator("canvas").press("PageUp")
    settle(stack.page)
    assert told(stack, "distance") == "126 positions back"


def test_a_finger_pulls_the_word(explored: Explored) -> None:
    stack = explored(PAGE, "stack", viewport=PHONE, has_touch=True, is_mobile=True)
    finger(stack.page, [place(stack, d) for d in (100, 200, 400, 1_000)])
    settle(stack.page)
    assert told(stack, "distance") == "1,000 positions back"
