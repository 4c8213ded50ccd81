"""The spectrum explorer under a reader's hands: mouse, finger and keyboard."""

import math
import re

import pytest
from built import PHONE, Explored, Open
from hands import alive, finger, picture, set_slider, settle, told
from playwright.sync_api import Locator, expect

from pe_lib import wavelengths

PAGE = "chapters/03-frequencies.html"


@pytest.fixture
def spectrum(explored: Explored) -> Locator:
    return explored(PAGE, "spectrum")


@pytest.fixture
def on_a_phone(explored: Explored) -> Locator:
    return explored(PAGE, "spectrum", viewport=PHONE, has_touch=True, is_mobile=True)


def number(explorer: Locator, slider: str) -> float:
    settle(explorer.page)
    return float(str(told(explorer, slider)).split()[0].replace(",", ""))


def clock(explorer: Locator, k: int) -> Locator:
    return explorer.locator(".ex-clock").nth(k)


def faces(explorer: Locator) -> str:
    settle(explorer.page)
    return str(explorer.locator(".ex-faces").evaluate("(canvas) => canvas.toDataURL()"))


def middle(of: Locator, down: float | None = None) -> tuple[float, float]:
    box = of.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + (box["height"] / 2 if down is None else down)


def around(of: Locator, turns: list[float]) -> list[tuple[float, float]]:
    """Points on a clock's rim: 0 is straight up, a quarter is to the right."""
    x, y = middle(of, 46)
    angles = [2 * math.pi * turn for turn in turns]
    return [(x + 30 * math.sin(a), y - 30 * math.cos(a)) for a in angles]


@pytest.mark.parametrize("name", ["d_model", "base", "context"])
def test_every_slider_changes_the_picture_by_keyboard(spectrum: Locator, name: str) -> None:
    before, said = picture(spectrum), told(spectrum, name)
    spectrum.get_by_role("slider", name=name).press("ArrowRight")
    assert picture(spectrum) != before
    assert told(spectrum, name) != said


def test_the_position_slider_turns_the_hands_and_the_wheels(spectrum: Locator) -> None:
    before, odometer = faces(spectrum), spectrum.locator(".ex-odometer")
    set_slider(spectrum, "position", "150")
    assert faces(spectrum) != before
    expect(odometer).to_have_attribute("aria-label", "Position 150, in binary 10010110")
    digits = odometer.locator("b").all_inner_texts()
    assert "".join(digits) == "00150" + "10010110".rjust(17, "0")


def test_the_line_is_dragged_by_mouse(spectrum: Locator) -> None:
    mouse = spectrum.page.mouse
    x, y = middle(spectrum.locator(".ex-strip"))
    mouse.move(x, y)
    mouse.down()
    seen = []
    for by in (-20, -40, 20, 40, 60):
        mouse.move(x, y + by)
        seen.append(number(spectrum, "context"))
    mouse.up()
    down = [seen[1], seen[0], *seen[2:]]
    assert down == sorted(set(down), reverse=True) and seen[0] > 2048 > seen[2]
    # seven decades on the height of the picture: 39.4 pixels are a factor of ten
    assert seen[3] == pytest.approx(2048 / 10, rel=0.1)
    mouse.move(x, y - 100)
    assert number(spectrum, "context") == seen[-1]  # let go


def test_the_line_is_dragged_by_finger_and_the_page_stays(on_a_phone: Locator) -> None:
    page, before = on_a_phone.page, picture(on_a_phone)
    on_a_phone.locator(".ex-chart").scroll_into_view_if_needed()
    scrolled = page.evaluate("scrollY")
    x, y = middle(on_a_phone.locator(".ex-strip"))
    finger(page, [(x, y + by) for by in range(0, 60, 6)])
    assert number(on_a_phone, "context") < 200
    assert picture(on_a_phone) != before
    assert page.evaluate("scrollY") == scrolled


def test_beside_the_line_a_finger_may_scroll(on_a_phone: Locator) -> None:
    chart = on_a_phone.locator(".ex-chart")
    assert chart.evaluate("(e) => getComputedStyle(e).touchAction") == "pan-y"
    assert chart.evaluate(
        """(chart) => { chart.scrollIntoView({ block: "center" });
           const box = chart.getBoundingClientRect();
           return document.elementFromPoint(box.x + box.width / 2, box.y + 12).className; }"""
    ) == "ex-spectrum"  # fmt: skip


def test_a_hand_is_wound_by_mouse_through_a_turn_and_back(spectrum: Locator) -> None:
    set_slider(spectrum, "position", "0")
    hand, mouse = clock(spectrum, 1), spectrum.page.mouse
    hand.scroll_into_view_if_needed()
    first, *others = around(hand, [k / 12 for k in range(13)])
    mouse.move(*first)
    mouse.down()
    seen = [number(spectrum, "position")]
    for point in others:
        mouse.move(*point)
        seen.append(number(spectrum, "position"))
    assert seen == sorted(set(seen))  # clockwise is later
    turn = wavelengths(8)[1]
    for k, position in enumerate(seen):
        assert position == pytest.approx(turn * k / 12, abs=1)
    for point in around(hand, [k / 12 for k in range(11, -4, -1)]):
        mouse.move(*point)
    assert number(spectrum, "position") == 0  # no hand goes below position 0
    mouse.up()


def test_a_hand_is_wound_by_finger_and_the_page_stays(on_a_phone: Locator) -> None:
    page, hand = on_a_phone.page, clock(on_a_phone, 2)
    set_slider(on_a_phone, "position", "0")
    hand.evaluate("(e) => e.scrollIntoView({ block: 'center' })")
    before, scrolled = faces(on_a_phone), page.evaluate("scrollY")
    finger(page, around(hand, [k / 24 for k in range(13)]))
    assert number(on_a_phone, "position") == pytest.approx(wavelengths(8)[2] / 2, rel=0.05)
    assert faces(on_a_phone) != before
    assert page.evaluate("scrollY") == scrolled


def test_between_the_dials_a_finger_may_scroll(on_a_phone: Locator) -> None:
    found = [
        clock(on_a_phone, 0).locator(part).evaluate("(e) => getComputedStyle(e).touchAction")
        for part in (".ex-dial", ".ex-name")
    ]
    assert found == ["none", "auto"]


def test_keys_turn_a_clock(spectrum: Locator) -> None:
    set_slider(spectrum, "position", "0")
    hand, scrolled = clock(spectrum, 2), spectrum.page.evaluate("scrollY")
    hand.focus()
    scrolled = spectrum.page.evaluate("scrollY")
    step, quarter = round(wavelengths(8)[2] / 60), round(wavelengths(8)[2] / 4)
    for key, expected in [
        ("ArrowRight", step),
        ("ArrowUp", 2 * step),
        ("ArrowLeft", step),
        ("ArrowDown", 0),
        ("ArrowDown", 0),
        ("PageUp", quarter),
        ("PageDown", 0),
        ("End", 2047),
        ("ArrowRight", 2047),
        ("Home", 0),
    ]:
        spectrum.page.keyboard.press(key)
        assert number(spectrum, "position") == expected, key
    assert spectrum.page.evaluate("scrollY") == scrolled


def test_a_clock_tells_where_its_hand_is(spectrum: Locator) -> None:
    set_slider(spectrum, "position", "100")
    said = [clock(spectrum, k).get_attribute("aria-valuetext") for k in range(4)]
    for text, wave in zip(said, wavelengths(8), strict=True):
        turns = 100 / wave
        degrees, whole = (int(n) for n in re.findall(r"\d+", str(text))[:2])
        assert (whole, degrees) == (int(turns), int(360 * (turns % 1)))


def test_the_reading_counts_the_longer_pairs(spectrum: Locator) -> None:
    for d_model, base in [("8", 10_000), ("512", 10_000), ("512", 100)]:
        set_slider(spectrum, "d_model", d_model)
        set_slider(spectrum, "base", f"{base:,}")
        settle(spectrum.page)
        found = wavelengths(int(d_model), base)
        first, last, count = spectrum.locator(".ex-reading b").all_inner_texts()
        assert float(first) == pytest.approx(found[0], abs=0.01)
        assert float(last.replace(",", "")) == pytest.approx(found[-1], abs=0.51)
        assert count == f"{(found > 2048).sum()} of {len(found)}"


def test_a_shorter_context_takes_the_position_with_it(spectrum: Locator) -> None:
    clock(spectrum, 0).press("End")
    assert number(spectrum, "position") == 2047
    spectrum.get_by_role("slider", name="context").press("Home")
    assert number(spectrum, "position") == 1


@pytest.mark.parametrize(("d_model", "clocks"), [("2", 1), ("4", 2), ("8", 4), ("512", 8)])
def test_as_many_clocks_as_pairs_but_no_more_than_eight(
    spectrum: Locator, d_model: str, clocks: int
) -> None:
    set_slider(spectrum, "d_model", d_model)
    shown = [c for c in spectrum.locator(".ex-clock").all() if c.is_visible()]
    assert len(shown) == clocks
    assert shown[-1].get_attribute("aria-label") == f"Clock of pair {int(d_model) // 2 - 1}"


def test_clocks_keep_their_places_on_a_phone(on_a_phone: Locator) -> None:
    heights = set()
    for d_model in ("2", "8", "16", "512"):
        set_slider(on_a_phone, "d_model", d_model)
        settle(on_a_phone.page)
        heights.add(on_a_phone.locator(".ex-clocks").evaluate("(e) => e.offsetHeight"))
    assert len(heights) == 1
    last = clock(on_a_phone, 7).bounding_box()
    assert last and last["width"] >= 44 and last["x"] + last["width"] <= PHONE["width"]


def test_the_explorer_follows_the_theme(open_page: Open) -> None:
    light = faces(alive(open_page(PAGE, color_scheme="light"), "spectrum"))
    dark = faces(alive(open_page(PAGE, color_scheme="dark"), "spectrum"))
    assert light != dark


@pytest.mark.parametrize("viewport", [PHONE, {"width": 1280, "height": 800}])
def test_the_widest_numbers_fit_and_move_nothing(open_page: Open, viewport: dict[str, int]) -> None:
    explorer = alive(open_page(PAGE, viewport=viewport), "spectrum")
    height = explorer.evaluate("(e) => e.offsetHeight")
    for name in ("d_model", "context", "base"):
        explorer.get_by_role("slider", name=name).press("End")
    explorer.get_by_role("slider", name="position").press("End")
    settle(explorer.page)
    assert explorer.locator(".ex-reading b").all_inner_texts()[1] == "5,953,089"
    assert explorer.evaluate("(e) => e.offsetHeight") == height
    assert explorer.evaluate("(e) => e.scrollWidth <= e.clientWidth")


def test_the_answers_to_the_tasks_are_what_it_shows(spectrum: Locator) -> None:
    def longer() -> str:
        settle(spectrum.page)
        return str(spectrum.locator(".ex-reading b").last.inner_text())

    set_slider(spectrum, "d_model", "512")
    for length, count in [("512", 133), ("1,024", 114), ("2,048", 95), ("4,096", 75)]:
        set_slider(spectrum, "context", f"{length} positions")
        assert longer() == f"{count} of 256"
    set_slider(spectrum, "context", "2,048 positions")
    for base, count in [("100", 0), ("320", 0), ("400", 8)]:
        set_slider(spectrum, "base", base)
        assert longer() == f"{count} of 256"
        if base == "100":
            expect(spectrum.locator(".ex-reading")).to_contain_text("makes 3.317 turns")
    set_slider(spectrum, "d_model", "16")
    set_slider(spectrum, "base", "250")
    waves = [clock(spectrum, k).locator(".ex-wave").inner_text() for k in (1, 2)]
    assert float(waves[0]) < 16 < float(waves[1])
