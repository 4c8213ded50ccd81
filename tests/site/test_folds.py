"""Cards of one line, experiments that wait for a guess, and the minutes that a page takes."""

from collections import Counter
from pathlib import Path

import yaml
from built import EXPLORED, Open
from hands import until
from playwright.sync_api import Locator, Page, expect

from _ext import folds

PRACTICE, WRONG = "in-practice", "what-people-get-wrong"
GUESS = "#prediction-2-2"  # its experiment stands below it
READ = yaml.safe_load(Path(__file__).with_name("minutes.yml").read_text("utf-8"))


def test_minutes_are_those_of_careful_readers() -> None:
    held = [Counter(dict(zip(folds.MINUTES, parts, strict=True))) for parts, _ in READ]
    off = [abs(folds.minutes(one) - needed) for one, (_, needed) in zip(held, READ, strict=True)]
    assert sum(off) / len(off) < 6
    assert max(off) <= 12


def card(page: Page, name: str) -> Locator:
    return page.locator(f"#{name} > details")


def closed(card: Locator) -> bool:
    return card.get_attribute("open") is None


def test_a_card_opens_in_place_by_hand_and_key_and_is_remembered(open_page: Open) -> None:
    page = open_page(EXPLORED)
    assert all(closed(card(page, name)) for name in (PRACTICE, WRONG))
    pressed = """(title) => {
      title.scrollIntoView({ block: "center", behavior: "instant" });
      const { x, y } = title.getBoundingClientRect();
      return document.elementFromPoint(x + 5, y + 5).tagName;
    }"""
    assert page.locator(f"#{WRONG} > h2").evaluate(pressed) == "SUMMARY"  # covers all of the card
    card(page, WRONG).locator("summary").click()
    inside = card(page, WRONG).locator("p").first
    expect(inside).to_be_visible()
    card(page, PRACTICE).locator("summary").focus()
    page.keyboard.press("Enter")
    page.reload()
    expect(inside).to_be_visible()
    assert not closed(card(page, PRACTICE))
    card(page, WRONG).locator("summary").click()
    until(page, f"!JSON.stringify(omKept.kept('open')).includes('{WRONG}')")
    page.reload()
    assert closed(card(page, WRONG))
    assert not closed(card(page, PRACTICE))


def test_titles_of_cards_begin_at_one_edge(open_page: Open) -> None:
    page = open_page(EXPLORED)
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        titles = page.locator(".om-folding > :is(h2, h3)")
        assert titles.count() > 5
        lefts = titles.evaluate_all("(all) => all.map((e) => e.getBoundingClientRect().left)")
        assert max(lefts) - min(lefts) < 1, (width, lefts)


def test_a_link_opens_what_it_leads_to(open_page: Open) -> None:
    page = open_page(f"{EXPLORED}#{WRONG}")
    expect(card(page, WRONG).locator("p").first).to_be_visible()
    page.locator(f".om-toc a[href='#{PRACTICE}']").click()
    expect(card(page, PRACTICE).locator("p").first).to_be_visible()
    page = open_page(f"{EXPLORED}#%")  # is no name, and breaks nothing
    expect(page.get_by_role("checkbox", name="I have read this page")).to_be_visible()


def test_the_first_exercise_is_open_and_the_others_say_what_they_are_and_what_is_done(
    open_page: Open,
) -> None:
    page = open_page(EXPLORED)
    exercises = page.locator("#exercises > section")
    assert exercises.first.locator("> details").count() == 0
    cards = exercises.locator("> details > summary")
    assert cards.count() == exercises.count() - 1
    for said in cards.all_text_contents():
        assert "point" in said
        assert any(level in said for level in ("easy", "medium", "hard")), said
    page.evaluate("""() => {
      const { key } = document.querySelectorAll(".om-quiz")[1].dataset;
      omKept.keep("answers", { [key]: { got: true } });
    }""")
    page.reload()
    expect(cards.first.get_by_role("img", name="answered")).to_have_count(1)
    expect(cards.nth(1).get_by_role("img")).to_have_count(0)


def test_an_experiment_waits_for_a_guess_or_for_whoever_asks(open_page: Open) -> None:
    page = open_page(EXPLORED)
    veil = page.locator(".om-veil[data-number='2.2']")
    result, ask = veil.locator(".om-result"), veil.get_by_role("button", name="Show me")
    expect(result).to_be_hidden()
    reading = page.get_by_text("The hand itself is in no doubt")
    expect(reading).to_be_hidden()  # it says what came out
    page.locator(GUESS).get_by_label("four").check()
    expect(result).to_contain_text("How many of these positions fit?")
    expect(result).to_contain_text("You guessed: four. It is: two.")
    expect(result).to_contain_text("✗")
    expect(ask).to_have_count(0)
    expect(reading).to_be_visible()
    other = page.locator(".om-veil[data-number='2.1']")
    other.get_by_role("button", name="Show me").click()
    for _ in range(2):  # remembered
        expect(other.locator(".om-result")).to_contain_text("You made no guess.")
        expect(result).to_be_visible()
        page.reload()
    third = page.locator(".om-veil[data-number='2.3']")
    field = page.locator("#prediction-2-3").get_by_role("textbox")
    field.press_sequentially("12")
    expect(third.locator(".om-result")).to_be_hidden()  # a number is still being written
    field.press("Enter")
    expect(third.locator(".om-result")).to_be_visible()


def test_one_switch_lifts_all_veils(open_page: Open) -> None:
    page = open_page(EXPLORED)
    assert page.locator(".om-veil > p").count() > 2
    page.get_by_role("checkbox", name="Show results without a guess").check()
    expect(page.locator(".om-veil > p")).to_have_count(0)
    page.goto(page.url.replace("02-the-formula", "03-frequencies"))
    expect(page.locator(".om-veil > p")).to_have_count(0)
    expect(page.locator(".om-veil .om-result").first).to_be_visible()
