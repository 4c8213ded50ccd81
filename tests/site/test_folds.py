"""Test that fold-out cards open and close, even by links, and stay as the reader left them."""

from built import EXPLORED, Open
from hands import until
from playwright.sync_api import Locator, Page, expect

PRACTICE, WRONG = "in-practice", "what-people-get-wrong"


def card(page: Page, name: str) -> Locator:
    return page.locator(f"#{name} > details")


def is_closed(card: Locator) -> bool:
    return card.get_attribute("open") is None


def test_a_card_opens_in_place_by_hand_and_key_and_is_remembered(open_page: Open) -> None:
    page = open_page(EXPLORED)
    assert all(is_closed(card(page, name)) for name in (PRACTICE, WRONG))
    pressed = """(title) => {
      title.scrollIntoView({ block: "center", behavior: "instant" });
      const { x, y } = title.getBoundingClientRect();
      return document.elementFromPoint(x + 5, y + 5).tagName;
    }"""
    # The summary element covers the whole card, so a click on the heading also opens the card.
    assert page.locator(f"#{WRONG} > h2").evaluate(pressed) == "SUMMARY"
    card(page, WRONG).locator("summary").click()
    inside = card(page, WRONG).locator("p").first
    expect(inside).to_be_visible()
    card(page, PRACTICE).locator("summary").focus()
    page.keyboard.press("Enter")
    page.reload()
    expect(inside).to_be_visible()
    assert not is_closed(card(page, PRACTICE))
    card(page, WRONG).locator("summary").click()
    until(page, f"!JSON.stringify(omKept.kept('open')).includes('{WRONG}')")
    page.reload()
    assert is_closed(card(page, WRONG))
    assert not is_closed(card(page, PRACTICE))


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
    # an invalid fragment in the address must not stop the scripts
    page = open_page(f"{EXPLORED}#%")
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
