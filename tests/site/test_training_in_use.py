"""The training explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import finger, picture, set_slider, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/06-learned-embeddings.html"


@pytest.fixture
def training(explored: Explored) -> Locator:
    return explored(PAGE, "training")


def point(explorer: Locator, step: float) -> tuple[float, float]:
    """A point of the loss curve, a little above its foot."""
    explorer.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    box = explorer.locator("canvas").bounding_box()
    assert box
    return box["x"] + 30 + (box["width"] - 40) * step / 400, box["y"] + 60


def test_arrow_keys_go_through_the_training(training: Locator) -> None:
    canvas, before = training.locator("canvas"), picture(training)
    assert told(training, "step") == "0"
    for key, step in [("ArrowRight", "16"), ("PageUp", "96"), ("Home", "0"), ("ArrowLeft", "0"),
                      ("End", "400"), ("ArrowRight", "400"), ("ArrowLeft", "384")]:  # fmt: skip
        canvas.press(key)
        settle(training.page)
        assert told(training, "step") == step
        expect(training.locator(".ex-reading")).to_contain_text(f"Step {step}: ")
    assert picture(training) != before
    canvas.press("ArrowUp")
    expect(training.locator(".ex-reading")).to_contain_text("Row 8 has moved by")


def test_another_table_and_another_row(training: Locator) -> None:
    training.locator("canvas").press("End")
    training.locator(".ex-folded summary").press("Enter")
    set_slider(training, "row", "30")
    expect(training.locator(".ex-reading")).to_contain_text("Row 30 has not moved: no text")
    training.get_by_role("radio", name="sinusoidal").check()
    expect(training.locator(".ex-reading")).to_contain_text("neighbours’ similarity 0.96")


def test_the_curve_is_scrubbed_by_mouse(training: Locator) -> None:
    mouse = training.page.mouse
    mouse.move(*point(training, 300))
    settle(training.page)
    assert told(training, "step") == "0"  # passing over changes nothing
    mouse.down()
    mouse.move(*point(training, 200), steps=4)
    mouse.up()
    settle(training.page)
    assert told(training, "step") in ("192", "208")


def test_a_row_is_taken_hold_of(training: Locator) -> None:
    point(training, 0)
    box = training.locator("canvas").bounding_box()
    assert box
    training.page.mouse.click(box["x"] + 90, box["y"] + 155)  # the highest point is row 23
    expect(training.locator(".ex-reading")).to_contain_text("Row 23 ")


def test_the_curve_is_scrubbed_by_finger(explored: Explored) -> None:
    training = explored(PAGE, "training", viewport=PHONE, has_touch=True, is_mobile=True)
    point(training, 0)
    settle(training.page)
    finger(training.page, [point(training, step) for step in (100, 180, 260, 400)])
    assert told(training, "step") == "400"


def test_play_runs_to_the_end(training: Locator) -> None:
    training.locator("canvas").press("End")
    for _ in range(3):
        training.locator("canvas").press("ArrowLeft")
    training.get_by_role("button", name="Play").click()
    expect(training.locator(".ex-reading")).to_contain_text("Step 400: ")


def test_the_story_and_its_task(training: Locator) -> None:
    while training.locator(".ex-next").is_enabled():
        training.locator(".ex-next").press("Enter")
    expect(training.locator(".ex-reading")).to_contain_text("neighbours’ similarity 0.96")
    for look, found in [("7", False), ("8", True)]:
        training.get_by_role("slider", name="step").fill(look)
        training.page.wait_for_timeout(400)  # a task is judged when the hand rests
        assert ("Found" in training.locator(".ex-says").inner_text()) == found
