"""Test what follows an answer: pictures to answer by hand, hands that show a mistake, and a run."""

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from built import Open
from playwright.sync_api import Locator, Page, expect
from test_quiz_in_use import format_answer
from visits import OPEN_CARDS

from _ext.quizzing.by_hand import HANDS, PICTURES
from _ext.quizzing.quiz import describe_question, question_id
from pe_lib.course.grading.afterwards import find_afterwards
from pe_lib.course.grading.run import run_order
from pe_lib.course.grading.sheet import Question, load

THUMB = {"viewport": {"width": 390, "height": 664}, "has_touch": True, "is_mobile": True}
RUN = "chapters/appendix-exercises.html#run"


def question_of(key: str) -> Question:
    number, name = key.split()
    return load(number).questions[name]


def open_form(open_page: Open, question: Question, **options: object) -> Locator:
    """Open a question's page, and return its form."""
    page = open_page(f"chapters/{question.sheet}.html#{question_id(question)}", **options)
    page.evaluate(OPEN_CARDS)
    return page.locator(f'form.om-quiz[data-key="{question.sheet} {question.name}"]')


def give(form: Locator, answer: Any) -> None:
    form.get_by_role("textbox").fill(format_answer(answer))
    form.get_by_role("button", name="Check").click()


# --- Answers by hand, with keys only ---


def press(key: str, times: float) -> list[str]:
    return [key] * round(times)


def keys_to(distance: float) -> list[str]:
    """Return the keys that move a hand by this many positions, which may be negative."""
    far, near = divmod(abs(round(distance)), 10)
    return press("PageUp" if distance > 0 else "PageDown", far) + press(
        "ArrowRight" if distance > 0 else "ArrowLeft", near
    )


def turn_clocks(picture: Any, right: list[float], given: Any) -> Iterator[str]:
    if picture.get("marks"):
        at = picture["start"]
        for position in right:
            yield from [*keys_to(position - at), "ArrowUp"]
            at = position
    elif picture.get("gives") == "entries":
        yield from keys_to(given.offset)
    else:
        yield from keys_to(right[0] - picture["start"])


def choose_cells(picture: Any, right: list[float], given: Any) -> Iterator[str]:
    at = 0
    for cell in sorted(right):
        yield from press("ArrowRight", cell - at)
        yield "ArrowUp"
        at = round(cell)


def stretch_line(picture: Any, right: list[float], given: Any) -> Iterator[str]:
    low, high = (0, given.t) if "variance" in picture else (min(right), max(right))
    yield from keys_to(low - picture["start"][0])
    yield "ArrowUp"
    yield from keys_to(high - picture["start"][1])


def carry_words(picture: Any, right: list[float], given: Any) -> Iterator[str]:
    order = list(range(len(picture["order"])))
    at = 0
    for place, row in enumerate(picture["order"]):
        away = order.index(row)
        yield from press("ArrowRight" if away > at else "ArrowLeft", abs(away - at))
        yield from press("ArrowDown", away - place)
        order.insert(place, order.pop(away))
        at = place


def turn_arrows(picture: Any, right: list[float], given: Any) -> Iterator[str]:
    yield from ("ArrowDown", "ArrowLeft")


def pull_apart(picture: Any, right: list[float], given: Any) -> Iterator[str]:
    # The rows stand at 20 and 18
    yield from keys_to(18 + given.offset - 20)


def place_patches(picture: Any, right: list[float], given: Any) -> Iterator[str]:
    yield from press("ArrowDown", given.r) + press("ArrowRight", given.c) + ["PageUp"]
    rows, columns = given.r2 - 1, given.c2 - 1
    yield from press("ArrowDown" if rows > 0 else "ArrowUp", abs(rows))
    yield from press("ArrowRight" if columns > 0 else "ArrowLeft", abs(columns))


def cut_spectrum(picture: Any, right: list[float], given: Any) -> Iterator[str]:
    yield from keys_to(picture["pairs"] - right[0] - math.floor(picture["pairs"] / 4 + 0.5))


def lay_columns(picture: Any, right: list[float], given: Any) -> Iterator[str]:
    yield from [*press("ArrowRight", right[0]), "ArrowDown", *press("ArrowRight", right[1])]


BY_KEYS: dict[str, Callable[[Any, list[float], Any], Iterator[str]]] = {
    "clocks": turn_clocks,
    "cells": choose_cells,
    "stretch": stretch_line,
    "words": carry_words,
    "arrows": turn_arrows,
    "twins": pull_apart,
    "patches": place_patches,
    "spectrum": cut_spectrum,
    "columns": lay_columns,
}


@pytest.mark.parametrize("key", PICTURES)
def test_each_picture_leads_to_the_right_answer_by_keys(key: str, open_page: Open) -> None:
    question = question_of(key)
    form = open_form(open_page, question)
    right = describe_question(question)["variants"][0]["right"]
    given = question.given_numbers(0)
    picture = PICTURES[key](given)
    button = form.get_by_role("button", name="By hand")
    button.focus()
    button.press("Enter")
    drawing = form.get_by_role("application")
    expect(drawing).to_be_focused()
    before = form.locator(".om-byhand p").inner_text()
    for pressed in BY_KEYS[picture["kind"]](picture, right, given):
        drawing.press(pressed)
    expect(form.locator(".om-byhand p")).not_to_have_text(before)
    form.get_by_role("button", name="Check").press("Enter")
    expect(form.get_by_role("status")).to_have_text("✓ Right.")


def test_at_least_twelve_questions_have_a_picture() -> None:
    assert len(PICTURES) >= 12


# --- Answers by hand, with a finger ---


@pytest.mark.parametrize("key", PICTURES)
def test_a_thumb_sets_an_answer_and_other_numbers_begin_anew(key: str, open_page: Open) -> None:
    form = open_form(open_page, question_of(key), **THUMB)
    form.get_by_role("button", name="By hand").tap()
    drawing = form.get_by_role("application")
    drawing.evaluate("(svg) => svg.scrollIntoView({ block: 'center' })")
    box = drawing.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= THUMB["viewport"]["width"]  # type: ignore[index]
    form.page.touchscreen.tap(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    if (mark := form.get_by_role("button", name="Mark")).count():
        mark.tap()
    expect(form.get_by_role("textbox")).not_to_have_value("")
    form.get_by_role("button", name="Other numbers").tap()
    expect(form.get_by_role("textbox")).to_have_value("")
    expect(form.get_by_role("application")).to_be_visible()
    form.get_by_role("button", name="By hand").tap()
    expect(form.get_by_role("application")).to_have_count(0)


# --- A wrong answer as a hand ---


@pytest.mark.parametrize("key", HANDS)
def test_a_wrong_position_or_angle_is_shown_as_a_hand(key: str, open_page: Open) -> None:
    question = question_of(key)
    form = open_form(open_page, question)
    right = describe_question(question)["variants"][0]["right"]
    off = 7.0 if abs(right[0]) > 100 or question.kind == "number" else 0.7
    give(form, [right[0] + off, *right[1:]])
    clocks = HANDS[key](question.given_numbers(0))
    wrong = [clock for clock in clocks if 0 in clock["of"]]
    picture = form.get_by_role("img")
    expect(picture).to_have_attribute("aria-label", re.compile("^Clocks. "))
    label = str(picture.get_attribute("aria-label"))
    assert label.count("your hand is") == len(wrong) and picture.locator("circle").count() >= 3
    for clock in wrong:
        if "frequency" in clock:
            turn = math.remainder(math.degrees(off * clock["frequency"]), 360)
            way = "before" if turn < 0 else "after"
            assert f"{clock['says']}: your hand is {abs(turn):.0f} degrees {way}" in label
    give(form, right)
    expect(form.get_by_role("img")).to_have_count(0)


# --- After a right answer ---

SLOW = load("04").questions["slow_sine"]


@pytest.mark.parametrize("options", [{}, THUMB], ids=["keys", "thumb"])
def test_a_right_answer_says_why_asks_what_if_and_leads_on(
    options: dict[str, Any], open_page: Open
) -> None:
    texts = find_afterwards(SLOW)
    assert texts
    form = open_form(open_page, SLOW, **options)
    page, after = form.page, form.locator(".om-after")
    give(form, [1])
    expect(after).to_be_empty()
    give(form, describe_question(SLOW)["variants"][0]["right"])
    expect(after).to_contain_text(texts.why)
    expect(after).to_contain_text(texts.shorter)
    expect(after).to_contain_text(texts.what_if)
    expect(after).not_to_contain_text(texts.then)
    reveal = after.get_by_role("button", name="Think, then show")
    reveal.tap() if options else reveal.press("Enter")
    expect(after).to_contain_text(texts.then)
    page.reload()
    page.evaluate(OPEN_CARDS)
    expect(after).to_contain_text(texts.why)
    following = after.get_by_role("link", name="Next: One pair")
    following.tap() if options else following.press("Enter")
    expect(page.locator("#exercise-pair-position h3").first).to_be_in_viewport()


def test_the_answer_that_is_shown_comes_with_its_reason(open_page: Open) -> None:
    texts = find_afterwards(SLOW)
    assert texts
    form = open_form(open_page, SLOW)
    for _ in range(len(SLOW.hints) + 1):
        form.locator("[name=hint]").click()
    expect(form.locator(".om-after")).to_contain_text(texts.why)
    form.get_by_role("button", name="Other numbers").click()
    expect(form.locator(".om-after")).to_be_empty()


def test_after_the_last_question_of_a_page_the_run_is_next(open_page: Open) -> None:
    page = open_page("chapters/08-rotary.html")
    page.evaluate(OPEN_CARDS)
    for form in page.locator(".om-quiz:not(.om-again *)").all():
        number, name = str(form.get_attribute("data-key")).split()
        right = describe_question(load(number).questions[name])["variants"][0]["right"]
        if isinstance(right, str):
            form.locator(f"input[value={right}]").check()
            form.get_by_role("button", name="Check").click()
        else:
            give(form, right)
    page.locator(".om-after").last.get_by_role("link", name="Next: a run").click()
    expect(page.get_by_role("heading", name="Run")).to_be_in_viewport()


# --- A run ---


def solve(page: Page, question: Question) -> None:
    """Give the right answer to the question that the run asks, which must be this one."""
    key = f"{question.sheet} {question.name}"
    form = page.locator(f'.om-mixed form.om-quiz[data-key="{key}"]')
    expect(form).to_be_visible()
    right = describe_question(question)["variants"][0]["right"]
    if isinstance(right, str):
        form.locator(f"input[value={right}]").check()
        form.get_by_role("button", name="Check").click()
    else:
        give(form, right)
    expect(form.get_by_role("status")).to_contain_text("✓ Right.")


def test_the_page_of_exercises_waits_until_a_run_is_wanted(open_page: Open) -> None:
    page = open_page(RUN.removesuffix("#run"))
    expect(page.locator(".om-mixed form")).to_have_count(0)
    page.get_by_role("button", name="Begin").click()
    expect(page.locator(".om-mixed form").get_by_role("textbox")).to_be_focused()


def test_a_run_goes_on_from_question_to_question(open_page: Open) -> None:
    page = open_page(RUN)
    order = [question for question in run_order() if question.kind != "code"]
    status = page.locator(".om-mixed > [role=status]")
    expect(status).to_contain_text(f"0 of {len(order)} questions are solved")
    solve(page, order[0])
    expect(page.get_by_role("button", name="Another question")).to_be_hidden()
    page.get_by_role("button", name="Next question").click()
    expect(status).to_contain_text(f"1 of {len(order)} questions are solved")
    page.get_by_role("button", name="Another question").click()
    solve(page, order[2])
    page.reload()
    solve(page, order[1])
    page.goto(page.url.replace(RUN, f"chapters/{order[0].sheet}.html"))
    expect(page.locator("p.om-points")).to_contain_text(re.compile(r"^[1-9]"))
    page.get_by_role("link", name="Next question").click()
    expect(status).to_contain_text(f"3 of {len(order)} questions are solved")
