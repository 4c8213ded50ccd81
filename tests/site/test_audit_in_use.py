"""The audit in use: its claims found by words, by page and by verdict, linked to, and printed."""

import pytest
from built import Open
from playwright.sync_api import Locator, Page, expect

from pe_lib.course.audit import Claim, claims
from pe_lib.course.audit.finding import VERDICTS
from pe_lib.course.audit.listing import SIGNS

AUDIT = "chapters/appendix-audit.html"
ALL = len(claims())


def shown(page: Page) -> list[str]:
    """The claims that are on the page, by their ids."""
    return page.evaluate("""() => [...document.querySelectorAll(".om-claims details")]
      .filter((row) => row.checkVisibility()).map((row) => row.querySelector("[id]").id)""")


def ids(*found: Claim) -> list[str]:
    return [claim.id.lower() for claim in found]


def choice(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Page")


def row(page: Page, name: str) -> Locator:
    return page.locator(f".om-claims details:has(#{name})")


def test_each_claim_says_its_verdict_in_word_sign_and_colour(open_page: Open) -> None:
    page = open_page(AUDIT)
    colours: dict[str, set[str]] = {verdict: set() for verdict in VERDICTS}
    badges = page.evaluate("""() => [...document.querySelectorAll(".om-claims summary > b")]
      .map((b) => [b.textContent, getComputedStyle(b).color])""")
    for claim, (text, colour) in zip(claims(), badges, strict=True):
        assert text == f"{SIGNS[claim.verdict]} {claim.verdict}"
        colours[claim.verdict].add(colour)
    assert all(len(found) == 1 for found in colours.values())
    assert len(set.union(*colours.values())) == len(VERDICTS)


def test_a_verdict_and_a_page_leave_the_claims_that_have_both(open_page: Open) -> None:
    page = open_page(AUDIT)
    status = page.locator(".om-filter").get_by_role("status")
    expect(status).to_have_text(f"{ALL} claims")
    for verdict in VERDICTS:
        page.get_by_role("checkbox", name=verdict).check()
        wanted = [claim for claim in claims() if claim.verdict == verdict]
        assert shown(page) == ids(*wanted)
        expect(status).to_have_text(f"{len(wanted)} of {ALL} claims")
        page.get_by_role("checkbox", name=verdict).uncheck()
    page.get_by_role("checkbox", name="wrong").check()
    page.get_by_role("checkbox", name="imprecise").check()
    choice(page).select_option("article")
    wanted = [claim for claim in claims("S2") if claim.verdict in ("wrong", "imprecise")]
    assert shown(page) == ids(*wanted)
    expect(page.get_by_role("heading", name="All claims of the overview")).to_be_hidden()
    page.get_by_role("button", name="Show all").click()
    assert len(shown(page)) == ALL
    expect(status).to_have_text(f"{ALL} claims")
    expect(page.get_by_role("button", name="Show all")).to_be_hidden()


@pytest.mark.parametrize("said", ["0.488814", "softmax saturates", "S3-42", "-0.96"])
def test_words_are_looked_for_in_what_a_claim_says_and_what_was_found(
    open_page: Open, said: str
) -> None:
    page = open_page(AUDIT)
    page.get_by_role("searchbox").fill(said)
    found = shown(page)
    assert 0 < len(found) < ALL / 4
    for name in found:
        text = row(page, name).evaluate("""(row) =>
          [...row.querySelectorAll("summary, p")].map((e) => e.textContent).join(" ")""")
        assert all(word in text.lower().replace("−", "-") for word in said.lower().split())


def test_it_works_by_keyboard(open_page: Open) -> None:
    page = open_page(AUDIT)
    page.get_by_role("searchbox").focus()
    page.keyboard.type("invariant")
    page.keyboard.press("Enter")
    some = shown(page)
    assert 0 < len(some) < ALL
    page.keyboard.press("Tab")
    page.keyboard.type("book")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # imprecise
    imprecise = [claim for claim in claims("S3") if claim.verdict == "imprecise"]
    assert shown(page) == [name for name in some if name in ids(*imprecise)]
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # Show all
    assert len(shown(page)) == ALL
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_the_filter_is_kept_in_the_address(open_page: Open) -> None:
    page = open_page(AUDIT)
    page.get_by_role("checkbox", name="wrong").check()
    choice(page).select_option("course section")
    some = shown(page)
    page.reload()
    assert shown(page) == some
    assert page.evaluate("location.search") == "?page=course+section&verdict=wrong"
    page.get_by_role("button", name="Show all").click()
    assert page.evaluate("location.search") == ""


def test_a_link_to_a_claim_shows_it_whatever_the_filter_says(open_page: Open) -> None:
    page = open_page(f"{AUDIT}?verdict=wrong#s4-20")
    expect(row(page, "s4-20")).to_have_attribute("open", "")
    expect(page.locator("#s4-20")).to_be_in_viewport()
    assert len(shown(page)) == ALL
    choice(page).select_option("article")
    expect(page.locator("#s4-20")).to_be_hidden()
    page.evaluate("location.hash = 's0-15'")
    expect(page.locator("#s0-15")).to_be_in_viewport()
    assert len(shown(page)) == ALL
