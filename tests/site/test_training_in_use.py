"""Test that a page can train a model, always alike for the same seed, even without web workers."""

import re

import pytest
from built import Explored
from playwright.sync_api import Locator, expect

PAGE = "chapters/06-learned-embeddings.html"
TRAINED = re.compile(r"^Step 400: (\d+) % right at 8 words")

# Imitate a browser that forbids web workers, and that reports the error only after a while.
REFUSED = """() => { window.Worker = class extends EventTarget {
  constructor() {
    super();
    setTimeout(() => this.dispatchEvent(new ErrorEvent("error", { cancelable: true })), 50);
  }
  postMessage() {}
  terminate() {}
} }"""


@pytest.fixture
def training(explored: Explored) -> Locator:
    return explored(PAGE, "training")


def drawn_curves(explorer: Locator) -> str:
    """Return the explorer's picture as the text of its SVG element."""
    return str(explorer.locator(".ex-drawn").first.inner_html())


def train_model(explorer: Locator, seed: int = 0) -> str:
    """Train the model on short texts, go to the last step, and return the explorer's message."""
    explorer.get_by_role("combobox", name="training").select_option(label=f"here, seed {seed}")
    explorer.get_by_role("radio", name="8", exact=True).check()
    explorer.get_by_role("slider", name="step").fill("25")
    expect(explorer.locator(".ex-reading")).to_contain_text(TRAINED, timeout=120_000)
    return str(explorer.locator(".ex-reading").inner_text())


def test_a_training_learns(training: Locator) -> None:
    assert TRAINED.findall(train_model(training)) == ["100"]


@pytest.mark.nightly
def test_its_seed_repeats_it(training: Locator) -> None:
    said, drawn = train_model(training), drawn_curves(training)
    assert train_model(training, 1) and drawn_curves(training) != drawn
    assert (train_model(training), drawn_curves(training)) == (said, drawn)


@pytest.mark.nightly
def test_where_no_worker_is_allowed_the_page_trains_and_says_the_same(explored: Explored) -> None:
    first = train_model(explored(PAGE, "training"))
    training = explored(PAGE, "training")
    training.page.evaluate(REFUSED)
    assert train_model(training) == first
