"""The spectrum explorer under a reader's hands: mouse, finger and keyboard."""

from math import cos, log10, sin

import pytest
from built import PHONE, Explored, Open
from hands import alive, finger, last, picture, set_slider, settle, to_the_task, told
from playwright.sync_api import Locator, expect

from pe_lib import wavelengths

PAGE = "chapters/03-frequencies.html"


@pytest.fixture
def spectrum(explored: Explored) -> Locator:
    return last(explored(PAGE, "spectrum"))


@pytest.fixture
def on_a_phone(explored: Explored) -> Locator:
    explorer = last(explored(PAGE, "spectrum", viewport=PHONE, has_touch=True, is_mobile=True))
    explorer.locator("canvas").evaluate("(e) => e.scrollIntoView({ block: 'center' })")
    settle(explorer.page)
    return explorer


def number(explorer: Locator, slider: str) -> float:
    settle(explorer.page)
    return float(str(told(explorer, slider)).split()[0].replace(",", ""))


def row(explorer: Locator, pair: int) -> tuple[float, float, float, float]:
    """Of one of four pairs: its clock's middle and radius, and where the scale begins."""
    box = explorer.locator("canvas").bounding_box()
    assert box
    tall = (box["height"] - 60) / 4
    r = min(tall / 2 - 3, 36)
    return box["x"] + r + 6, box["y"] + 22 + (pair + 0.5) * tall, r, box["x"] + 2 * r + 16


def clock(explorer: Locator, pair: int, angle: float) -> tuple[float, float]:
    x, y, r, _ = row(explorer, pair)
    return x + 0.8 * r * sin(angle), y - 0.8 * r * cos(angle)


def scale(explorer: Locator, pair: int, value: float) -> tuple[float, float]:
    """Where a number of positions is on the scale, at the height of a pair."""
    _, y, _, left = row(explorer, pair)
    box = explorer.locator("canvas").bounding_box()
    assert box
    return left + log10(value) / 7 * (box["x"] + box["width"] - 16 - left), y


@pytest.mark.parametrize("name", ["d_model", "base", "context", "position"])
def test_every_slider_changes_the_picture_by_keyboard(spectrum: Locator, name: str) -> None:
    before, said = picture(spectrum), told(spectrum, name)
    spectrum.get_by_role("slider", name=name).press("ArrowRight")
    assert picture(spectrum) != before
    assert told(spectrum, name) != said


def test_the_context_is_dragged_by_mouse(spectrum: Locator) -> None:
    mouse = spectrum.page.mouse
    mouse.move(*scale(spectrum, 0, 2048))
    mouse.down()
    for value in (10_000, 500, 50):
        mouse.move(*scale(spectrum, 0, value))
        assert number(spectrum, "context") == pytest.approx(value, rel=0.1)
    mouse.up()
    mouse.move(*scale(spectrum, 0, 1000))
    assert number(spectrum, "context") < 60  # let go


def test_the_line_is_dragged_to_another_base(spectrum: Locator) -> None:
    mouse = spectrum.page.mouse
    mouse.move(*scale(spectrum, 3, wavelengths(8)[3]))
    mouse.down()
    for base in (100, 500_000, 2_000):
        mouse.move(*scale(spectrum, 3, wavelengths(8, base)[3]))
        assert number(spectrum, "base") == pytest.approx(base, rel=0.05)
    mouse.up()


def test_a_finger_drags_the_line_and_the_page_stays(on_a_phone: Locator) -> None:
    scrolled = on_a_phone.page.evaluate("scrollY")
    ways = [wavelengths(8, 10_000 / 2**k)[3] for k in range(7)]
    finger(on_a_phone.page, [scale(on_a_phone, 3, value) for value in ways])
    assert number(on_a_phone, "base") == pytest.approx(10_000 / 64, rel=0.1)
    assert on_a_phone.page.evaluate("scrollY") == scrolled


def test_a_hand_is_wound_by_mouse_through_a_turn_and_back(spectrum: Locator) -> None:
    set_slider(spectrum, "position", "0")
    mouse = spectrum.page.mouse
    mouse.move(*clock(spectrum, 1, 0))
    mouse.down()
    seen = []
    for angle in range(1, 8):
        mouse.move(*clock(spectrum, 1, angle))
        seen.append(number(spectrum, "position"))
    assert seen == pytest.approx([10 * k for k in range(1, 8)], abs=1)
    for angle in range(6, -4, -1):
        mouse.move(*clock(spectrum, 1, angle))
    assert number(spectrum, "position") == 0  # no hand goes below position 0
    mouse.up()


def test_a_hand_is_wound_by_finger(on_a_phone: Locator) -> None:
    set_slider(on_a_phone, "position", "0")
    on_a_phone.locator("canvas").evaluate("(e) => e.scrollIntoView({ block: 'center' })")
    scrolled = on_a_phone.page.evaluate("scrollY")
    finger(on_a_phone.page, [clock(on_a_phone, 2, k / 4) for k in range(13)])
    assert number(on_a_phone, "position") == pytest.approx(300, rel=0.05)
    assert on_a_phone.page.evaluate("scrollY") == scrolled


def test_keys_move_the_position_and_the_base(spectrum: Locator) -> None:
    canvas = spectrum.locator("canvas")
    canvas.focus()
    scrolled = spectrum.page.evaluate("scrollY")
    for key, position in [("ArrowRight", 6), ("PageUp", 106), ("ArrowLeft", 105), ("End", 2047),
                          ("ArrowRight", 2047), ("Home", 0), ("PageDown", 0)]:  # fmt: skip
        canvas.press(key)
        assert number(spectrum, "position") == position, key
    for key, base in [("ArrowUp", 13_000), ("ArrowDown", 10_000), ("ArrowDown", 7_900)]:
        canvas.press(key)
        assert number(spectrum, "base") == base, key
    assert spectrum.page.evaluate("scrollY") == scrolled


def test_the_reading_counts_the_longer_pairs(spectrum: Locator) -> None:
    for d_model, base in [("8", 10_000), ("512", 10_000), ("512", 100)]:
        set_slider(spectrum, "d_model", d_model)
        set_slider(spectrum, "base", f"{base:,}")
        settle(spectrum.page)
        found = wavelengths(int(d_model), base)
        first, last, count, _ = spectrum.locator(".ex-reading b").all_inner_texts()
        assert float(first) == pytest.approx(found[0], abs=0.01)
        assert float(last.replace(",", "")) == pytest.approx(found[-1], abs=0.51)
        assert count == f"{(found > 2048).sum()} of {len(found)}"


def test_a_shorter_context_takes_the_position_with_it(spectrum: Locator) -> None:
    spectrum.locator("canvas").press("End")
    assert number(spectrum, "position") == 2047
    spectrum.get_by_role("slider", name="context").press("Home")
    assert number(spectrum, "position") == 1


def test_the_explorer_follows_the_theme(open_page: Open) -> None:
    light = picture(alive(open_page(PAGE, color_scheme="light"), "spectrum"))
    dark = picture(alive(open_page(PAGE, color_scheme="dark"), "spectrum"))
    assert light != dark


@pytest.mark.parametrize("viewport", [PHONE, {"width": 1280, "height": 800}])
def test_the_widest_numbers_fit_and_move_nothing(open_page: Open, viewport: dict[str, int]) -> None:
    explorer = alive(open_page(PAGE, viewport=viewport), "spectrum")
    height = explorer.evaluate("(e) => e.offsetHeight")
    for name in ("d_model", "context", "base", "position"):
        explorer.get_by_role("slider", name=name).press("End")
    settle(explorer.page)
    assert explorer.locator(".ex-reading b").all_inner_texts()[1] == "5,953,089"
    assert explorer.evaluate("(e) => e.offsetHeight") == height
    assert explorer.evaluate("(e) => e.scrollWidth <= e.clientWidth")


def test_the_task_is_done_by_dragging_the_line(spectrum: Locator) -> None:
    to_the_task(spectrum)
    says = spectrum.locator(".ex-says")
    box = spectrum.locator("canvas").bounding_box()
    assert box
    tall = (box["height"] - 60) / 8
    r, y = min(tall / 2 - 3, 36), box["y"] + box["height"] - 38 - tall / 2
    left = box["x"] + 2 * r + 16
    mouse = spectrum.page.mouse

    def at(wave: float) -> tuple[float, float]:
        return left + log10(wave) / 7 * (box["x"] + box["width"] - 16 - left), y

    mouse.move(*at(wavelengths(512)[-1]))
    mouse.down()
    mouse.move(*at(5000))
    expect(says).to_contain_text("Your turn")
    mouse.move(*at(1800))
    mouse.up()
    expect(says).to_contain_text("✓ Found: base 2")


def test_the_answers_to_the_tasks_are_what_it_shows(spectrum: Locator) -> None:
    def longer() -> str:
        settle(spectrum.page)
        return str(spectrum.locator(".ex-reading b").nth(2).inner_text())

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
    set_slider(spectrum, "position", "63")
    expect(spectrum.locator(".ex-reading")).to_contain_text("Position 63: 10.0 turns")
