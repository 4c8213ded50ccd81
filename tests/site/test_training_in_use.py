"""The training explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import finger, picture, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/06-learned-embeddings.html"


@pytest.fixture
def training(explored: Explored) -> Locator:
    return explored(PAGE, "training")


def point(explorer: Locator, step: float) -> tuple[float, float]:
    """A point of the loss curve, a little above its foot."""
    box = explorer.locator("canvas").bounding_box()
    assert box
    return box["x"] + 40 + (box["width"] - 52) * step / 400, box["y"] + box["height"] - 40


def test_arrow_keys_go_through_the_training(training: Locator) -> None:
    canvas, before = training.locator("canvas"), picture(training)
    assert told(training, "step") == "80"
    for key, step in [("ArrowRight", "96"), ("PageUp", "176"), ("Home", "0"), ("ArrowLeft", "0"),
                      ("End", "400"), ("ArrowRight", "400"), ("ArrowDown", "384")]:  # fmt: skip
        canvas.press(key)
        settle(training.page)
        assert told(training, "step") == step
        expect(training.locator(".ex-reading")).to_contain_text(f"Step {step} of 400")
    assert picture(training) != before


def test_the_curve_is_scrubbed_by_mouse(training: Locator) -> None:
    training.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    mouse = training.page.mouse
    mouse.move(*point(training, 300))
    settle(training.page)
    assert told(training, "step") == "80"  # passing over changes nothing
    mouse.down()
    mouse.move(*point(training, 200), steps=4)
    mouse.up()
    settle(training.page)
    assert told(training, "step") in ("192", "208")


def test_the_curve_is_scrubbed_by_finger(explored: Explored) -> None:
    training = explored(PAGE, "training", viewport=PHONE, has_touch=True, is_mobile=True)
    training.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'end'})")
    settle(training.page)
    finger(training.page, [point(training, step) for step in (100, 180, 260, 400)])
    assert told(training, "step") == "400"


def test_play_runs_to_the_end_and_can_be_stopped(training: Locator) -> None:
    play = training.get_by_role("button", name="play")
    training.locator("canvas").press("End")
    for _ in range(3):
        training.locator("canvas").press("ArrowLeft")
    play.click()
    expect(training.locator(".ex-reading")).to_contain_text("Step 400 of 400")
    expect(play).to_be_visible()
    play.click()  # from the start
    training.get_by_role("button", name="stop").click()
    stopped = told(training, "step")
    training.page.wait_for_timeout(400)
    assert told(training, "step") == stopped != "400"
