"""Test that a page stores a reader's prediction, and later shows it next to the result."""

import json

import pytest
from built import EXPLORED, PHONE, SITE, Open, parse_page
from hands import settle
from playwright.sync_api import Locator, Page, expect
from sphinx.errors import ExtensionError

from _ext import predictions
from pe_lib.course.predictions import MIME

PAGE = "chapters/08-rotary.html"  # this page asks for a number first, and later for a choice


def read_predictions(path: str) -> list[dict[str, object]]:
    hosts = parse_page(SITE / path).select(".om-predict")
    return [json.loads(str(host["data-prediction"])) for host in hosts]


def field(page: Page, number: str) -> Locator:
    return page.locator(f"#{predictions.question_id(number)} form")


def result(page: Page, number: str) -> Locator:
    name = f'"number": "{number}"'
    return page.locator(f".om-predicted[data-prediction*='{name}'] .om-result")


def meet(page: Page, number: str) -> None:
    """Scroll to the result of a prediction, and wait for as long as a reader takes to read it."""
    # after a reader scrolls, the page no longer restores the stored position
    page.mouse.wheel(0, 1)
    result(page, number).scroll_into_view_if_needed()
    page.wait_for_timeout(1_300)


def test_each_question_has_a_field_and_each_result_its_line(open_page: Open) -> None:
    page, questions = open_page(PAGE), read_predictions(PAGE)
    assert len({bool(about["choices"]) for about in questions}) == 2
    for about in questions:
        form = field(page, str(about["number"]))
        role = "radio" if about["choices"] else "textbox"
        expect(form.get_by_role(role)).to_have_count(len(about["choices"]) or 1)  # type: ignore[arg-type]
        described = form.locator("[aria-describedby]").first.get_attribute("aria-describedby")
        above = page.locator(f"#{str(described).split()[0]}")
        expect(above).to_contain_text("Predict.")
        expect(result(page, str(about["number"]))).to_contain_text("You made no guess.")
    assert page.locator(".om-result").count() == len(questions)
    assert not page.get_by_text("predicted(").count()  # these cells must stay hidden


def test_a_choice_is_kept_until_its_result_was_met_and_can_be_forgotten(open_page: Open) -> None:
    page = open_page(PAGE)
    form, line = field(page, "8.3"), result(page, "8.3")
    form.get_by_label("wrong scores").check()
    expect(line).to_contain_text("You guessed: wrong scores. So it is.")
    # the guess may change, because the reader has not seen the result
    form.get_by_label("an error").check()
    for _ in range(2):
        expect(line).to_contain_text("You guessed: an error. It is: wrong scores.")
        expect(form.get_by_label("an error")).to_be_checked()
        expect(form.get_by_label("wrong scores")).to_be_enabled()
        page.reload()
    meet(page, "8.3")
    for _ in range(2):
        expect(form.get_by_role("status")).to_contain_text("You have met the result")
        expect(form.get_by_label("an error")).to_be_checked()
        expect(form.get_by_label("wrong scores")).to_be_disabled()
        page.reload()
    form.get_by_role("button", name="Forget my guess").click()
    expect(form.get_by_label("wrong scores")).to_be_enabled()
    expect(line).to_contain_text("You made no guess.")
    # If a question was edited, a stored guess remains only if it is still one of the choices.
    page.evaluate("omKept.keep('guesses', { 8.3: { asked: 'all | others', guess: 'an error' } })")
    page.reload()
    expect(form.get_by_label("an error")).to_be_checked()
    page.evaluate("omKept.keep('guesses', { 8.3: { asked: 'all | others', guess: 'others' } })")
    page.reload()
    expect(line).to_contain_text("You made no guess.")
    assert form.locator("input:checked").count() == 0


def test_a_number_is_typed_judged_and_kept(open_page: Open) -> None:
    page = open_page(PAGE)
    form, line = field(page, "8.1"), result(page, "8.1")
    box = form.get_by_role("textbox")
    box.focus()
    page.keyboard.type("-0.6")
    # Enter must not submit the form, because that would load another page
    page.keyboard.press("Enter")
    assert page.url.endswith(PAGE)
    expect(box).to_have_value("-0.6")
    expect(line).to_contain_text("You guessed -0.6; it is −0.654: close, 8 % too high.")
    box.fill("0.5")
    expect(line).to_contain_text("You guessed 0.5; it is −0.654: the other sign.")
    box.fill("much")
    expect(form.get_by_role("status")).to_contain_text("Write a number")
    expect(line).to_contain_text("You made no guess.")
    meet(page, "8.1")
    expect(box).to_be_editable()  # the text was not a number, so the reader can still change it
    box.fill("-0.65")
    meet(page, "8.1")
    expect(box).not_to_be_editable()
    page.reload()
    expect(box).to_have_value("-0.65")


def test_by_keyboard_alone(open_page: Open) -> None:
    page = open_page(PAGE)
    form = field(page, "8.2")
    form.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowDown")
    expect(form.get_by_role("radio").nth(1)).to_be_checked()
    page.keyboard.press("Tab")
    expect(form.get_by_role("button", name="Forget my guess")).to_be_focused()
    page.keyboard.press("Enter")
    assert form.locator("input:checked").count() == 0
    expect(form.get_by_role("radio").first).to_be_focused()


def test_on_a_phone_it_fits_a_thumb(open_page: Open) -> None:
    page = open_page(PAGE, viewport=PHONE, has_touch=True, is_mobile=True)
    form = field(page, "8.1")
    form.scroll_into_view_if_needed()
    box = form.get_by_role("textbox")
    assert box.get_attribute("inputmode") == "decimal"
    box.tap()
    box.press_sequentially("5")
    form.get_by_role("button", name="minus").tap()
    expect(box).to_have_value("-5")
    expect(box).to_be_focused()
    field(page, "8.2").get_by_text("it falls, with ripples").tap()
    settle(page)
    targets = ".om-guess :is(label:has(input), button:not([hidden]), input[type=text])"
    for target in page.locator(targets).all():
        assert target.bounding_box()["height"] >= 43.9  # type: ignore[index]


def test_a_result_without_a_question_fails_the_build() -> None:
    held = {MIME: {"number": "3.1", "said": "d", "values": [], "unit": ""}, "text/plain": "…"}
    output = {"output_type": "execute_result", "data": held}
    cell = {"cell_type": "code", "source": "…", "metadata": {}, "outputs": [output]}
    with pytest.raises(ExtensionError, match="is answered but not asked"):
        predictions.rewrite({"cells": [cell]})


# --- Experiments that stay hidden until a guess ---


def test_an_experiment_waits_for_a_guess_or_for_whoever_asks(open_page: Open) -> None:
    page = open_page(EXPLORED)
    veil = page.locator(".om-veil[data-number='2.1']")
    result, ask = veil.locator(".om-result"), veil.get_by_role("button", name="Show me")
    expect(result).to_be_hidden()
    reading = page.get_by_text("But the hand itself points in different directions.")
    expect(reading).to_be_hidden()  # hidden, because this paragraph reveals the result
    field(page, "2.1").get_by_label("four").check()
    expect(result).to_contain_text("At how many of the positions")
    expect(result).to_contain_text("You guessed: four. It is: two.")
    expect(result).to_contain_text("✗")
    expect(ask).to_have_count(0)
    expect(reading).to_be_visible()
    other = page.locator(".om-veil[data-number='2.2']")
    other.get_by_role("button", name="Show me").click()
    for _ in range(2):  # the page remembers the click after a reload
        expect(other.locator(".om-result")).to_contain_text("You made no guess.")
        expect(result).to_be_visible()
        page.reload()


def test_a_number_counts_once_it_is_complete(open_page: Open) -> None:
    page = open_page("chapters/03-frequencies.html")
    result = page.locator(".om-veil[data-number='3.2'] .om-result")
    box = field(page, "3.2").get_by_role("textbox")
    box.press_sequentially("12")
    expect(result).to_be_hidden()  # the reader may still be typing the number
    box.press("Enter")
    expect(result).to_be_visible()


def test_one_switch_lifts_all_veils(open_page: Open) -> None:
    page = open_page(EXPLORED)
    assert page.locator(".om-veil > p").count() > 1
    page.get_by_role("checkbox", name="Show results without a guess").check()
    expect(page.locator(".om-veil > p")).to_have_count(0)
    page.goto(page.url.replace("02-the-formula", "03-frequencies"))
    expect(page.locator(".om-veil > p")).to_have_count(0)
    expect(page.locator(".om-veil .om-result").first).to_be_visible()
