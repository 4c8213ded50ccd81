"""Test that the front page's scenes survive all gestures, and that their numbers are correct."""

import json
import math
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from built import PHONE, ROOT, SITE, WIDE, Open, parse_page
from hands import finger
from playwright.sync_api import Locator, Page, expect

from _ext.tour import write_widths
from pe_lib import encode, frequencies
from pe_lib.course.attention import attention
from pe_lib.rotary import rotate
from tests import machine, node
from tests.scrambled import scramble_numbers

SWAPPED = [0, 5, 2, 3, 4, 1, 6, 7, 8]
STATES: dict[str, list[dict[str, Any]]] = {
    "sentence": [
        *({"position": t} for t in (0, 4, 8)),
        *({"view": view, "order": SWAPPED} for view in ("alone", "both")),
    ],
    "clocks": [{"t": t} for t in (0, 6, 13)],
    "distance": [{"here": t, "other": s} for t, s in [(0, 0), (2, 5), (15, 7)]],
    "turned": [{"here": q, "other": k} for q, k in [(3, 1), (7, 0), (2, 6)]],
    "shuffle": [
        {"order": order, "clocks": clocks}
        for order in ([0, 1, 2, 3, 4], [2, 1, 0, 4, 3])
        for clocks in (False, True)
    ],
}
# The words at which the scene of a million words must count hands in untrained directions
NUMBERS = [1, 1000, 4096, 10_000, 100_000, 1_000_000]
LLAMA = json.loads((ROOT / "chapters/data/checkpoints/llama-2-7b.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Any:
    script = Path(__file__).with_name("tour.mjs")
    words = {"million": [{"x": math.log10(n)} for n in NUMBERS]}
    write_widths()
    return node.run(script, STATES | words, tmp_path_factory.mktemp("tour"))


def test_any_gesture_at_any_width_leaves_a_picture(answered: Any) -> None:
    assert answered["problems"] == []


def numbers(said: str) -> list[float]:
    return [float(x.replace("−", "-")) for x in re.findall(r"−?\d+\.\d+", said)]


def compute_expected(name: str, state: dict[str, Any]) -> list[float]:
    match name:
        case "sentence" if "position" in state:
            return list(encode(state["position"], 16, base=100.0)[:2])
        case "sentence":
            before, after = (
                machine.mixtures(machine.WORDS, order, state["view"] == "both")
                for order in ([*range(9)], SWAPPED)
            )
            return [np.abs(after - before).max()]
        case "clocks":
            return list(encode(state["t"], 8, base=100.0))
        case "distance":
            one, two = encode([state["here"], state["other"]], 8, base=100.0)
            return [one @ two]
        # each hand is a pair (up, right), and its rotation with the position is clockwise
        case "turned":
            angles = {"here": (0.4, -0.5, 2.2), "other": (2.6, 0.9, 2.9)}
            q, k = (
                rotate(
                    np.ravel([[np.cos(a), np.sin(a)] for a in angles[who]]), state[who], base=100.0
                )
                for who in angles
            )
            return [q @ k]
    rows = np.array([1.6 * np.asarray(scramble_numbers(8, k + 3)) for k in range(5)])

    def outputs(order: list[int]) -> Any:
        places = np.argsort(order)
        x = rows + state["clocks"] * encode(places, 8, base=100.0)
        return attention(x, x, x)

    return [np.abs(outputs(state["order"]) - outputs(list(range(5)))).max()]


@pytest.mark.parametrize("name", STATES)
def test_the_numbers_that_are_told_are_the_librarys(name: str, answered: Any) -> None:
    for said, state in zip(answered["told"][name], STATES[name], strict=True):
        assert numbers(said) == pytest.approx(compute_expected(name, state), abs=0.00501), said


def test_the_hands_of_llama_2_leave_the_angles_of_its_training(answered: Any) -> None:
    config = LLAMA["config"]
    omega = frequencies(config["hidden_size"] // config["num_attention_heads"])
    seen = np.minimum((LLAMA["trained"] - 1) * omega, 2 * np.pi)
    for n, said in zip(NUMBERS, answered["told"]["million"], strict=True):
        new = int(((n - 1) * omega % (2 * np.pi) > seen + 1e-9).sum())
        assert f"Word {n:,} of a long text" in said
        assert f"Of the 64 hands of Llama 2, {new or 'none'} point" in said
        assert f"which had {LLAMA['trained']:,} positions" in said


def test_the_passages_of_the_long_text_agree() -> None:
    """Check that overlapping passages agree in words, numbers and the order of chapters."""
    text = (ROOT / "_ext/tour/scenes/gibbon.mjs").read_text("utf-8")
    rows = [json.loads(row) for row in re.findall(r"^  (\[.*\]),$", text, re.MULTILINE)]
    numbers, chapters = [row[0] for row in rows], [row[1] for row in rows]
    assert numbers == sorted({round(10 ** (k / 10)) for k in range(61)} | {LLAMA["trained"]})
    assert chapters == sorted(chapters) and chapters[0] >= 1 and chapters[-1] <= 71
    words: dict[int, str] = {}
    for n, _, before, word, after in rows:
        first = n - len(before.split())
        for k, one in enumerate([*before.split(), word, *after.split()]):
            assert words.setdefault(first + k, one) == one


def scene(page: Page, name: str) -> Locator:
    found = page.locator(f"#{name} svg[role=slider]")
    found.scroll_into_view_if_needed()
    return found


def test_a_picture_is_on_the_first_screen_and_moves_once(open_page: Open) -> None:
    page = open_page("index.html", viewport=PHONE)
    picture = page.locator("#sentence svg[role=slider]")
    for viewport in (WIDE, PHONE):
        page.set_viewport_size(viewport)
        box = picture.bounding_box()
        assert box and box["y"] + 0.3 * box["height"] < viewport["height"]
        expect(page.get_by_role("link", name="Start the course")).to_be_in_viewport(ratio=1)
    page.evaluate("scrollTo({ top: 300, behavior: 'instant' })")
    expect(picture).to_have_attribute("aria-valuetext", re.compile("Position 8"), timeout=15_000)


def test_keys_move_every_scene_and_nothing_else_does(open_page: Open) -> None:
    page = open_page("index.html", reduced_motion="reduce")
    for host in parse_page(SITE / "index.html").select(".om-scene > div"):
        moved = scene(page, str(host["id"]))
        at_first = moved.get_attribute("aria-valuetext")
        assert at_first == host.select("svg[role=img]")[0]["aria-label"]
        moved.press("ArrowLeft")
        expect(moved).not_to_have_attribute("aria-valuetext", str(at_first))
    shuffled = scene(page, "shuffle")
    expect(shuffled).not_to_have_attribute("aria-valuetext", re.compile(" is 0.00"))
    shuffled.press("ArrowDown")
    expect(shuffled).to_have_attribute("aria-valuetext", re.compile("“man dog bites.* is 0.00"))


def test_a_film_plays_again_until_a_reader_stops_it_or_moves_something(open_page: Open) -> None:
    page = open_page("index.html")
    picture = scene(page, "clocks")
    button = page.locator(".om-scene:has(#clocks) .om-replay")
    for stop in (button.click, lambda: picture.press("ArrowLeft")):
        if button.inner_text().strip() == "stop":  # the film has started by itself
            button.click()
        button.click()
        expect(button).to_have_text("stop")
        stop()
        expect(button).to_have_text("play again")
    page.emulate_media(reduced_motion="reduce")
    expect(button).to_be_hidden()


def test_a_device_is_told_what_it_can_do(open_page: Open) -> None:
    for touch in (False, True):
        page = open_page("index.html", has_touch=touch, is_mobile=touch, reduced_motion="reduce")
        keys = page.locator(".om-scene .om-arrows")
        assert keys.count() > 0
        assert [keys.nth(k).is_visible() for k in range(keys.count())] == [not touch] * keys.count()


def test_a_finger_drags_to_the_side_and_scrolls_upwards(open_page: Open) -> None:
    page = open_page("index.html", viewport=PHONE, has_touch=True, reduced_motion="reduce")
    counted = scene(page, "counter")
    box = counted.bounding_box()
    assert box
    x, y = box["x"] + 100, box["y"] + 100
    at_first = str(counted.get_attribute("aria-valuenow"))
    finger(page, [(x, y - 90 * n / 8) for n in range(9)])
    expect(counted).to_have_attribute("aria-valuenow", at_first)
    finger(page, [(x + 200 * n / 8, y) for n in range(9)])
    expect(counted).not_to_have_attribute("aria-valuenow", at_first)


def own_sentence(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Your own sentence")


def test_a_typed_sentence_is_shuffled_by_hand_and_shared(open_page: Open) -> None:
    page = open_page("index.html", reduced_motion="reduce")
    picture, typed = scene(page, "sentence"), "<b>Fish</b> & chips “on” Friday"
    own_sentence(page).fill(typed)
    page.get_by_label("attention without clocks").check()
    picture.press("ArrowLeft")  # the dragged word has changed places with its neighbour
    shuffled = re.compile("^“<b>Fish</b> & chips Friday “on”.* is 0.00")
    expect(picture).to_have_attribute("aria-valuetext", shuffled)
    page.get_by_label("attention with clocks").check()
    expect(picture).not_to_have_attribute("aria-valuetext", re.compile(" is 0.00"))
    said = str(picture.get_attribute("aria-valuetext"))
    page.wait_for_url("**/*show=both#sentence")
    shared = urlsplit(page.url)
    again = open_page(f"index.html?{shared.query}#{shared.fragment}", reduced_motion="reduce")
    expect(scene(again, "sentence")).to_have_attribute("aria-valuetext", said)
    expect(own_sentence(again)).to_have_value(typed)


def test_an_address_brings_no_more_than_a_sentence(open_page: Open) -> None:
    words = quote("  a\u202e\x00b  " + "long" * 30 + " c" * 40)
    query = f"words={words}&order=0,0,9&show=else"
    page = open_page(f"index.html?{query}#sentence", reduced_motion="reduce")
    expect(own_sentence(page)).to_have_value(f"a b longlonglonglo{' c' * 9}")
    expect(scene(page, "sentence")).to_have_attribute("aria-valuetext", re.compile("^Position"))
    page = open_page("index.html?words=one#sentence", reduced_motion="reduce")
    expect(own_sentence(page)).to_have_value(re.compile("^the old dog"))
