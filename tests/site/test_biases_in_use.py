"""The biases explorers under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import drag, finger, picture, reading, scroll_past, set_slider, settle, to_the_task, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/08-rotary-and-biases.html"
KIND = ".om-explorer[data-kind=biases]"


@pytest.fixture
def t5(explored: Explored) -> Locator:
    """The first of the page: with T5's buckets, the query on the last word."""
    return explored(PAGE, "biases")


def started(page_of: Locator) -> Locator:
    biases = page_of.page.locator(KIND).last
    biases.scroll_into_view_if_needed()
    expect(biases.locator(".om-live canvas")).to_be_visible()
    settle(biases.page)
    return biases


@pytest.fixture
def alibi(t5: Locator) -> Locator:
    """The last of the page: with ALiBi's heads, the query at 40."""
    return started(t5)


def test_heads_have_windows_of_their_own(alibi: Locator) -> None:
    alibi.locator("canvas").press("End")
    for head, slope, near in [("1", "0.5", "0.996"), ("3", "0.125", "0.747"),
                              ("8", "0.003906", "0.180")]:  # fmt: skip
        set_slider(alibi, "shown", f"head {head}")
        assert f"Head {head} of 8: slope {slope}." in reading(alibi)
        assert f"{near} within 10." in reading(alibi)
    set_slider(alibi, "heads", "1")  # takes the chosen one along
    set_slider(alibi, "heads", "6")
    assert "Head 1 of 6: slope 0.25." in reading(alibi)
    set_slider(alibi, "shown", "head 6")
    assert "Head 6 of 6: slope 0.125." in reading(alibi)


def test_without_a_mask_before_and_after_weigh_the_same(alibi: Locator) -> None:
    before = picture(alibi)
    alibi.get_by_role("checkbox", name="causal mask").uncheck()
    assert picture(alibi) != before
    canvas, weight = alibi.locator("canvas"), reading(alibi).split("bias −1.25, ")[1]
    for key in ["PageUp"] * 2:
        canvas.press(key)
    assert f"10 after: bias −1.25, {weight}" in reading(alibi)
    alibi.get_by_role("checkbox", name="causal mask").check()
    assert "itself: bias 0.00" in reading(alibi)  # what is hidden cannot be chosen


def test_arrow_keys_move_the_query_and_choose_a_key(alibi: Locator) -> None:
    canvas = alibi.locator("canvas")
    for key, wanted in [
        ("ArrowRight", "“Trains,”, 10 before"), ("ArrowDown", "“minded.”, 11 before"),
        ("PageUp", "“does.”, 1 before"), ("ArrowLeft", "“breakfast”, 1 before"),
        ("Home", "No word here, 1 before"), ("ArrowUp", "“The”, itself"),
    ]:  # fmt: skip
        canvas.press(key)
        assert wanted in reading(alibi)


def test_the_query_is_dragged_through_the_text(alibi: Locator) -> None:
    drag(alibi, (15, 20), (15, 20))
    assert told(alibi, "query at") == "0"
    width = alibi.locator("canvas").evaluate("(canvas) => canvas.clientWidth")
    drag(alibi, (15, 20), (width / 2, 25), (15, 130))
    assert 20 < int(told(alibi, "query at") or "") < 60


def test_the_head_that_sees_half_of_the_text(alibi: Locator) -> None:
    to_the_task(alibi)
    alibi.get_by_role("checkbox", name="causal mask").check()
    alibi.locator("canvas").press("End")
    expect(alibi.locator(".ex-says")).to_contain_text("Your turn")
    set_slider(alibi, "shown", "head 4")
    expect(alibi.locator(".ex-says")).to_contain_text("Found: head 4 of 8")


def test_the_buckets_of_t5(t5: Locator) -> None:
    assert "T5: offset −10 has bucket 10 to itself." in reading(t5)
    expect(t5.get_by_role("slider", name="heads")).to_be_hidden()
    t5.locator("canvas").press("PageDown")
    assert "T5: offsets −20 to −19 share bucket 17 of 32." in reading(t5)
    t5.get_by_role("checkbox", name="causal mask").uncheck()
    assert "T5: offsets −22 to −16 share bucket 10 of 32." in reading(t5)
    set_slider(t5, "buckets", "16")
    assert "offsets −22 to −10 share bucket 5 of 16." in reading(t5)
    t5.get_by_role("radio", name="T5").press("ArrowLeft")
    expect(t5.get_by_role("slider", name="heads")).to_be_visible()


def test_where_the_last_bucket_begins(t5: Locator) -> None:
    to_the_task(t5)
    t5.get_by_role("checkbox", name="causal mask").check()
    width, height = t5.locator("canvas").evaluate("(c) => [c.clientWidth, c.clientHeight]")
    at = [(34 + (k + 150) / 150 * (width - 46), height - 60) for k in (-55, -112)]
    drag(t5, *at)
    expect(t5.locator(".ex-says")).to_contain_text("Your turn")
    t5.locator("canvas").press("ArrowDown")
    expect(t5.locator(".ex-says")).to_contain_text("Found: 113, not 128")


def test_a_finger_moves_the_query_and_scrolls_past(explored: Explored) -> None:
    first = explored(PAGE, "biases", viewport=PHONE, has_touch=True, is_mobile=True)
    biases = started(first)
    for move in (scroll_past, sideways):
        biases.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
        settle(biases.page)
        assert told(biases, "query at") == "40"
        move(biases)
    assert int(told(biases, "query at") or "") < 10


def sideways(biases: Locator) -> None:
    box = biases.locator("canvas").bounding_box()
    assert box
    finger(biases.page, [(box["x"] + x, box["y"] + 15) for x in (40, 55, 90)])
