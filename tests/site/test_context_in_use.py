"""The context explorer under a reader's hands: mouse, finger and keyboard."""

from math import cos, sin

import pytest
from built import BETWEEN, PHONE, WIDE, Explored, Open
from hands import alive, finger, picture, set_slider, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/09-longer-contexts.html"
TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


@pytest.fixture
def context(explored: Explored) -> Locator:
    """The one with a score; the chapter begins with the clocks alone."""
    return unfolded(alive(explored(PAGE, "context").page, "context", 1))


def unfolded(explorer: Locator) -> Locator:
    explorer.locator(".ex-folded summary").press("Enter")
    settle(explorer.page)
    return explorer


def bold(explorer: Locator) -> list[str]:
    """The pair, the count of new clocks, the score, its largest below 2,048 and beyond."""
    settle(explorer.page)
    return [str(text) for text in explorer.locator(".ex-reading b").all_inner_texts()]


def choose(explorer: Locator, method: str) -> None:
    explorer.locator("select").select_option(method)


def number(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def point(explorer: Locator, part: str, *where: float) -> tuple[float, float]:
    """In a wide window: of the text's line, a pair's small clock, the rim of the large one."""
    explorer.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    box = explorer.locator("canvas").bounding_box()
    assert box
    if part == "text":
        x, y = 50 + where[0] * (box["width"] - 76), 26.0
    elif part == "clock":
        row, column = divmod(where[0], 16)
        x, y = (column + 0.5) * 32, 200 + (row + 0.5) * 32
    else:
        x = (512 + box["width"]) / 2 + 4 + 40 * sin(where[0])
        y = 201 + 55 - 40 * cos(where[0])
    return box["x"] + x, box["y"] + y


def test_every_slider_changes_the_picture_by_keyboard(context: Locator) -> None:
    for name in ("text", "factor", "pair"):
        before, said = picture(context), told(context, name)
        context.get_by_role("slider", name=name).press("ArrowRight")
        assert picture(context) != before
        assert told(context, name) != said


def test_the_methods_are_chosen_by_keyboard(context: Locator) -> None:
    context.locator("canvas").press("End")
    seen = {picture(context)}
    for _ in range(4):
        context.locator("select").press("ArrowDown")
        seen.add(picture(context))
    assert len(seen) == 5
    expect(context.locator("select")).to_have_value("yarn")


def test_arrow_keys_take_another_pair_and_length(context: Locator) -> None:
    canvas = context.locator("canvas")
    for key, words, pair in [("Home", "0", "50"), ("ArrowRight", "64", "50"),
                             ("ArrowUp", "64", "51"), ("ArrowDown", "64", "50"),
                             ("ArrowLeft", "0", "50"), ("ArrowLeft", "0", "50"),
                             ("End", "8,192", "50"), ("ArrowRight", "8,192", "50")]:  # fmt: skip
        canvas.press(key)
        settle(context.page)
        assert (told(context, "text"), told(context, "pair")) == (f"{words} words", pair)


def test_the_mouse_pulls_the_text_winds_a_hand_and_chooses_a_clock(context: Locator) -> None:
    mouse = context.page.mouse
    mouse.move(*point(context, "text", 0.25))
    settle(context.page)
    before = told(context, "text")
    mouse.down()
    mouse.move(*point(context, "text", 0.75), steps=3)
    mouse.up()
    settle(context.page)
    assert told(context, "text") != before
    assert number(str(told(context, "text")).split()[0]) == pytest.approx(6144, abs=20)
    mouse.click(*point(context, "clock", 43))
    settle(context.page)
    assert told(context, "pair") == "43"
    mouse.move(*point(context, "dial", 0))
    mouse.down()
    settle(context.page)
    start = number(str(told(context, "text")).split()[0])
    for angle in (-1, -2, -3):
        mouse.move(*point(context, "dial", angle))
    mouse.up()
    settle(context.page)
    wound = number(str(told(context, "text")).split()[0]) - start
    assert wound == pytest.approx(-3 * 10_000 ** (43 / 64), rel=0.03)


def test_a_finger_pulls_the_text_and_the_page_stays(explored: Explored) -> None:
    context = alive(explored(PAGE, "context", **TOUCH).page, "context", 1)
    (x, y), (far, _) = point(context, "text", 0.1), point(context, "text", 0.9)
    scrolled = context.page.evaluate("scrollY")
    finger(context.page, [(x + k * (far - x) / 5, y) for k in range(6)])
    settle(context.page)
    assert number(str(told(context, "text")).split()[0]) == pytest.approx(0.9 * 8192, abs=60)
    assert context.page.evaluate("scrollY") == scrolled


def test_the_story_and_its_task(explored: Explored) -> None:
    context = alive(explored(PAGE, "context").page, "context", 1)
    while context.locator(".ex-next").is_enabled():
        context.locator(".ex-next").press("Enter")
    expect(context.locator(".ex-reading")).to_contain_text("Pair 0: 1304 turns")
    choose(context, "ntk")
    context.page.mouse.click(*point(context, "clock", 62))
    settle(context.page)
    expect(context.locator(".ex-says")).to_contain_text("Your turn")
    context.page.mouse.click(*point(context, "clock", 63))
    expect(context.locator(".ex-says")).to_contain_text("Found: pair 63")


def test_the_chapter_begins_with_a_longer_text(explored: Explored) -> None:
    clocks = explored(PAGE, "context")
    expect(clocks.locator(".ex-reading")).to_contain_text("0 of 64 clocks new.")
    while clocks.locator(".ex-next").is_enabled():
        clocks.locator(".ex-next").press("Enter")
    text = clocks.get_by_role("slider", name="text")
    expect(text).to_have_attribute("aria-valuetext", "4,096 words")
    expect(clocks.locator(".ex-reading")).to_contain_text("23 of 64 clocks new.")
    for pair, found in [("46", False), ("45", True)]:
        clocks.get_by_role("slider", name="pair").fill(pair)
        clocks.page.wait_for_timeout(400)  # a task is judged when the hand rests
        assert ("Found" in clocks.locator(".ex-says").inner_text()) == found


def test_the_answers_to_the_tasks_are_what_it_shows(context: Locator) -> None:
    set_slider(context, "text", "2,048 words")
    assert bold(context)[2] == "−0.53" and number(bold(context)[3]) < 0.5
    set_slider(context, "text", "2,112 words")
    assert bold(context)[1] == "23 of 64" and number(bold(context)[4]) > 10
    context.locator("canvas").press("End")
    for method, count in [("interpolation", "0 of 64"), ("ntk", "22 of 64"), ("yarn", "0 of 64")]:
        choose(context, method)
        assert bold(context)[1] == count
        assert number(bold(context)[4]) <= 0.53 or method != "interpolation"
    assert number(bold(context)[3]) > 1
    choose(context, "interpolation")
    for factor in ("1.25", "4.00", "16.00"):
        set_slider(context, "factor", factor)
        context.locator("canvas").press("End")
        assert bold(context)[1] == "0 of 64" and number(bold(context)[4]) <= 0.53


@pytest.mark.parametrize("viewport", [PHONE, BETWEEN, WIDE])
def test_nothing_moves_while_it_is_used(open_page: Open, viewport: dict[str, int]) -> None:
    context = alive(open_page(PAGE, viewport=viewport), "context", 1)
    height = context.evaluate("(e) => e.offsetHeight")
    for method in ("ntk", "yarn", "interpolation", "dynamic", "none"):
        choose(context, method)
        for key in ("Home", "End"):
            context.locator("canvas").press(key)
            settle(context.page)
            assert context.evaluate("(e) => e.offsetHeight") == height
            assert context.evaluate("(e) => e.scrollWidth <= e.clientWidth")


def test_who_wants_no_motion_gets_steps_that_can_be_seen(open_page: Open) -> None:
    context = alive(open_page(PAGE, reduced_motion="reduce"), "context", 1)
    context.locator("canvas").press("Home")
    for words in ("256", "512"):
        context.get_by_role("button", name="Step").click()
        settle(context.page)
        assert told(context, "text") == f"{words} words"


@pytest.mark.parametrize("query", ["score=[1,2]", "factor=1.3", "length=99999"])
def test_an_address_that_does_not_fit_changes_nothing(open_page: Open, query: str) -> None:
    context = alive(open_page(f"{PAGE}?{query}#explorer-context-2"), "context", 1)
    expect(context.locator(".ex-reading")).to_contain_text("Score −0.53; largest drawn 0.29")
