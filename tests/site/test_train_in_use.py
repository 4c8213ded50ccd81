"""Training in the page under a reader's hands: press, watch, wind back, and a task that it sees."""

import re

import pytest
from built import PHONE, Explored
from hands import finger, picture, settle
from playwright.sync_api import Locator, expect

PAGE = "chapters/06-learned-embeddings.html"
LOSS = re.compile(r"^Step 300: loss (\d\.\d+)")

# Where a page may have no worker it says so at once, or a moment later
REFUSED = """() => { window.Worker = class extends EventTarget {
  constructor() {
    super();
    setTimeout(() => this.dispatchEvent(new ErrorEvent("error", { cancelable: true })), 50);
  }
  postMessage() {}
  terminate() {}
} }"""


@pytest.fixture
def train(explored: Explored) -> Locator:
    return explored(PAGE, "train")


def choose(explorer: Locator, **choices: str) -> None:
    for name, text in choices.items():
        explorer.get_by_role("combobox", name=name).select_option(label=text)


def trained(explorer: Locator) -> str:
    """Press, and wait for what comes out."""
    explorer.get_by_role("button", name="Train 300 steps").click()
    expect(explorer.locator(".ex-reading")).to_contain_text(LOSS)
    return str(explorer.locator(".ex-reading").inner_text())


def test_a_training_learns(train: Locator) -> None:
    choose(train, scheme="learned", mask="no mask", length="8 long")
    said = trained(train)
    assert float(LOSS.findall(said)[0]) < 0.1 and "Right: 100% at 8," in said


@pytest.mark.nightly
def test_its_seed_repeats_it(train: Locator) -> None:
    choose(train, length="8 long")
    said, drawn = trained(train), picture(train)
    found = []
    for seed in ("seed 1", "seed 0"):
        choose(train, seed=seed)
        found.append((trained(train), picture(train)))
    assert found[0][1] != drawn and found[1] == (said, drawn)


@pytest.mark.nightly
def test_where_no_worker_is_allowed_the_page_trains_and_says_the_same(explored: Explored) -> None:
    train = explored(PAGE, "train")
    choose(train, length="8 long")
    first = trained(train)
    train.page.evaluate(REFUSED)
    alone = explored(PAGE, "train")
    choose(alone, length="8 long")
    assert trained(alone) == first


@pytest.mark.nightly
def test_it_pauses_goes_on_and_trains_more(train: Locator) -> None:
    choose(train, length="8 long")
    train.get_by_role("button", name="Train 300 steps").click()
    expect(train.locator("progress")).not_to_have_js_property("value", 0)
    train.get_by_role("button", name="Pause").click()
    expect(train.locator(".ex-reading")).to_contain_text("Paused at step")
    step = train.locator("progress").evaluate("(p) => p.value")
    assert 0 < step < 300
    train.page.wait_for_timeout(200)
    assert train.locator("progress").evaluate("(p) => p.value") == step
    train.get_by_role("button", name="Go on").press("Enter")
    expect(train.locator(".ex-reading")).to_contain_text("Step 300:")
    train.get_by_role("button", name="Train 300 more").click()
    expect(train.locator(".ex-reading")).to_contain_text("Step 600:")
    canvas = train.locator("canvas")
    for key, said in [("Home", "Maps at step 0."), ("ArrowRight", "Maps at step 20."),
                      ("End", "Maps at step 600.")]:  # fmt: skip
        canvas.press(key)
        expect(train.locator(".ex-reading")).to_contain_text(said)
    train.get_by_role("button", name="Reset").click()
    expect(train.locator(".ex-reading")).to_contain_text(
        "Untrained: no positions, the word before."
    )


@pytest.mark.nightly
def test_a_finger_winds_the_loss_back_and_a_thumb_passes(explored: Explored) -> None:
    train = explored(PAGE, "train", viewport=PHONE, has_touch=True, is_mobile=True)
    choose(train, length="8 long")
    trained(train)
    train.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(train.page)
    box = train.locator("canvas").bounding_box()
    assert box
    x, y, w, h = box["x"] + 30, box["y"] + box["height"] * 0.7, box["width"] / 2 - 45, 60
    finger(train.page, [(x + w, y), (x + w + 1, y - h / 3), (x + w, y - h)])
    expect(train.locator(".ex-reading")).not_to_contain_text("Maps at step")
    train.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(train.page)
    finger(train.page, [(x + w, y), (x + w / 2, y), (x, y)])
    expect(train.locator(".ex-reading")).to_contain_text("Maps at step 0.")
