"""The schemes explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import finger, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/07-skipping-positions.html"


@pytest.fixture
def schemes(explored: Explored) -> Locator:
    return explored(PAGE, "schemes")


def row(explorer: Locator, scheme: str) -> list[str]:
    """A line of the table, folded or not."""
    settle(explorer.page)
    found = explorer.locator("tbody tr").filter(has=explorer.page.get_by_text(scheme, exact=True))
    return [str(text) for text in found.locator("b").all_text_contents()]


def point(explorer: Locator, words: float, share: float) -> tuple[float, float]:
    """A point of the chart."""
    explorer.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    box = explorer.locator("canvas").bounding_box()
    assert box
    x, y = 36 + (words - 16) / 32 * (box["width"] - 120), 14 + (1 - share) * (box["height"] - 52)
    return box["x"] + x, box["y"] + y


def test_the_table_follows_the_choice(schemes: Locator) -> None:
    assert row(schemes, "none") == ["0.50", "0.50", "0.51", "0.53"]
    schemes.get_by_role("checkbox", name="causal mask").check()
    assert row(schemes, "none") == ["1.00"] * 4
    schemes.locator("select").select_option("the word before")
    schemes.get_by_role("radio", name="two").check()
    assert [row(schemes, "rotary")[k] for k in (0, 3)] == ["1.00", "0.88"]
    schemes.locator("summary", has_text="numbers").press("Enter")
    table = schemes.locator("table").bounding_box()
    room = schemes.locator(".ex-scene").bounding_box()
    assert table and room and table["width"] <= room["width"] + 1


def test_arrow_keys_make_the_text_longer_and_bring_another_to_the_front(schemes: Locator) -> None:
    canvas, reading = schemes.locator("canvas"), schemes.locator(".ex-reading")
    expect(reading).to_contain_text("alibi at 16 words: 0.51 right, five seeds from")
    for key, said in [("End", "alibi at 48 words"), ("ArrowLeft", "alibi at 47 words"),
                      ("PageDown", "alibi at 39 words"), ("ArrowUp", "rotary at 39 words"),
                      ("Home", "rotary at 16 words")]:  # fmt: skip
        canvas.press(key)
        expect(reading).to_contain_text(said)
    schemes.locator("select").press("ArrowDown")
    assert row(schemes, "none")[0] == "1.00"


def test_the_mouse_pulls_the_texts_and_taps_a_name(schemes: Locator) -> None:
    mouse, reading = schemes.page.mouse, schemes.locator(".ex-reading")
    mouse.move(*point(schemes, 16, 0.3))
    mouse.down()
    mouse.move(*point(schemes, 40, 0.3), steps=3)
    mouse.up()
    settle(schemes.page)
    assert told(schemes, "words") == "40 words"
    schemes.locator("canvas").press("End")
    x, y = point(schemes, 48, 0.92)
    mouse.click(x + 30, y)
    expect(reading).to_contain_text("rotary at 48 words: 0.92 right")
    mouse.click(*point(schemes, 20, 0.853))
    expect(reading).to_contain_text("learned at 48 words")


def test_a_finger_pulls_the_texts(explored: Explored) -> None:
    schemes = explored(PAGE, "schemes", viewport=PHONE, has_touch=True, is_mobile=True)
    finger(schemes.page, [point(schemes, words, 0.2) for words in (16, 20, 30, 48)])
    settle(schemes.page)
    assert told(schemes, "words") == "48 words"


def test_the_story_and_its_task(schemes: Locator) -> None:
    while schemes.locator(".ex-next").is_enabled():
        schemes.locator(".ex-next").press("Enter")
    expect(schemes.locator(".ex-reading")).to_contain_text("sinusoidal at 48 words: 0.21 right")
    schemes.locator("select").select_option("counting")
    expect(schemes.locator(".ex-says")).to_contain_text("Your turn")  # the mask is still there
    schemes.get_by_role("checkbox", name="causal mask").uncheck()
    expect(schemes.locator(".ex-says")).to_contain_text("Found: to count praise no order is needed")


def test_the_curves_run(schemes: Locator) -> None:
    schemes.get_by_role("button", name="Play").click()
    expect(schemes.locator(".ex-reading")).to_contain_text("alibi at 48 words")
