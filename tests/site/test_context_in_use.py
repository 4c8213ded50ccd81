"""The context explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import BETWEEN, PHONE, WIDE, Explored, Open
from hands import alive, finger, picture, set_slider, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/09-longer-contexts.html"


@pytest.fixture
def context(explored: Explored) -> Locator:
    return explored(PAGE, "context")


def bold(explorer: Locator) -> list[str]:
    """The pair, the count of pairs with new angles, the largest score inside and beyond."""
    settle(explorer.page)
    return [str(text) for text in explorer.locator(".ex-reading b").all_inner_texts()]


def choose(explorer: Locator, method: str) -> None:
    explorer.locator(f"input[value={method}]").check()


def number(text: str) -> float:
    return float(text.replace(",", ""))


def place(explorer: Locator, share: float) -> tuple[float, float]:
    """A point of the left chart, this share of the way from pair 0 to pair 63."""
    explorer.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    box = explorer.locator("canvas").bounding_box()
    assert box
    width = box["width"] if box["height"] > box["width"] else box["width"] / 2
    return box["x"] + 62 + share * (width - 78), box["y"] + 100


def test_every_slider_changes_the_picture_by_keyboard(context: Locator) -> None:
    for name in ("factor", "pair"):
        before, said = picture(context), told(context, name)
        context.get_by_role("slider", name=name).press("ArrowRight")
        assert picture(context) != before
        assert told(context, name) != said


def test_the_methods_are_chosen_by_keyboard(context: Locator) -> None:
    seen = {picture(context)}
    context.locator("input[value=none]").focus()
    for _ in range(4):
        context.page.keyboard.press("ArrowRight")
        seen.add(picture(context))
    assert len(seen) == 5
    expect(context.locator("input[value=yarn]")).to_be_checked()


def test_arrow_keys_take_another_pair_and_factor(context: Locator) -> None:
    canvas = context.locator("canvas")
    assert (told(context, "pair"), told(context, "factor s")) == ("50", "4.00")
    steps = [("ArrowRight", "51", "4.00"), ("ArrowUp", "51", "4.25"),
             ("ArrowLeft", "50", "4.25"), ("ArrowDown", "50", "4.00")]  # fmt: skip
    for key, pair, factor in steps:
        canvas.press(key)
        settle(context.page)
        assert (told(context, "pair"), told(context, "factor s")) == (pair, factor)
    for _ in range(13):
        canvas.press("ArrowDown")
        canvas.press("ArrowRight")
    settle(context.page)
    assert (told(context, "pair"), told(context, "factor s")) == ("63", "1.00")
    canvas.press("ArrowDown")
    canvas.press("ArrowRight")
    settle(context.page)
    assert (told(context, "pair"), told(context, "factor s")) == ("63", "1.00")


def test_the_mouse_points_at_a_pair(context: Locator) -> None:
    mouse = context.page.mouse
    x, y = place(context, 10 / 63)
    mouse.move(x, y)
    settle(context.page)
    assert told(context, "pair") == "50"  # passing over changes nothing
    mouse.down()
    settle(context.page)
    assert told(context, "pair") == "10"
    mouse.move(*place(context, 20 / 63))
    mouse.up()
    settle(context.page)
    assert told(context, "pair") == "20"


def test_a_finger_points_at_a_pair_and_the_page_stays(explored: Explored) -> None:
    context = explored(PAGE, "context", viewport=PHONE, has_touch=True, is_mobile=True)
    point = place(context, 30 / 63)
    scrolled = context.page.evaluate("scrollY")
    finger(context.page, [point])
    assert abs(int(str(told(context, "pair"))) - 30) <= 1
    assert context.page.evaluate("scrollY") == scrolled


def test_the_answers_to_the_tasks_are_what_it_shows(context: Locator) -> None:
    set_slider(context, "factor", "1.00")
    assert len(bold(context)) == 3 and number(bold(context)[2]) < 0.4
    set_slider(context, "factor", "1.25")
    assert bold(context)[1] == "23 of 64" and number(bold(context)[3]) > 1000
    choose(context, "interpolation")
    for factor in ("1.25", "4.00", "16.00"):
        set_slider(context, "factor", factor)
        assert bold(context)[1] == "0 of 64" and number(bold(context)[3]) <= 0.53
    set_slider(context, "factor", "4.00")
    choose(context, "ntk")
    assert bold(context)[1] == "22 of 64"
    choose(context, "yarn")
    assert bold(context)[1] == "0 of 64" and number(bold(context)[2]) > 1
    choose(context, "dynamic")
    assert number(bold(context)[2]) < 0.4 and number(bold(context)[3]) > 1000


def test_the_reading_tells_of_a_pair(context: Locator) -> None:
    reading = context.locator(".ex-reading")
    expect(reading).to_contain_text(
        "slowed by 1. 0.2444 turns in training, 0.9777 in the text: new"
    )
    choose(context, "interpolation")
    expect(reading).to_contain_text("slowed by 4. 0.2444 turns in training, 0.2444 in the text.")


@pytest.mark.parametrize("viewport", [PHONE, BETWEEN, WIDE])
def test_nothing_moves_while_it_is_used(open_page: Open, viewport: dict[str, int]) -> None:
    context = alive(open_page(PAGE, viewport=viewport), "context")
    height = context.evaluate("(e) => e.offsetHeight")
    for method in ("ntk", "yarn", "interpolation", "dynamic", "none"):
        choose(context, method)
        for key in ("Home", "End"):
            context.get_by_role("slider", name="factor").press(key)
            settle(context.page)
            assert context.evaluate("(e) => e.offsetHeight") == height
            assert context.evaluate("(e) => e.scrollWidth <= e.clientWidth")


def test_the_explorer_follows_the_theme(open_page: Open) -> None:
    light = picture(alive(open_page(PAGE, color_scheme="light"), "context"))
    dark = picture(alive(open_page(PAGE, color_scheme="dark"), "context"))
    assert light != dark
