"""The audit in use: its claims found by words, by page and by verdict, and linked to."""

from built import Open
from playwright.sync_api import Page, expect

from pe_lib.course.audit import VERDICTS, Claim, claims
from pe_lib.course.audit.listing import SIGNS

AUDIT = "chapters/appendix-audit.html"
ALL = len(claims())


def shown(page: Page) -> list[str]:
    """The claims that are on the page, by their ids."""
    return page.evaluate("""() => [...document.querySelectorAll(".om-claims details")]
      .filter((row) => row.checkVisibility()).map((row) => row.querySelector("[id]").id)""")


def ids(*found: Claim) -> list[str]:
    return [claim.id.lower() for claim in found]


def test_a_verdict_and_a_page_leave_the_claims_that_have_both(open_page: Open) -> None:
    page = open_page(AUDIT)
    badges = page.locator(".om-claims summary > b").all_text_contents()
    assert badges == [f"{SIGNS[claim.verdict]} {claim.verdict}" for claim in claims()]
    status = page.locator(".om-filter").get_by_role("status")
    for verdict in VERDICTS:
        page.get_by_role("checkbox", name=verdict).check()
        wanted = [claim for claim in claims() if claim.verdict == verdict]
        assert shown(page) == ids(*wanted)
        expect(status).to_have_text(f"{len(wanted)} of {ALL} claims")
        page.get_by_role("checkbox", name=verdict).uncheck()
    page.get_by_role("checkbox", name="wrong").check()
    page.get_by_role("checkbox", name="imprecise").check()
    page.get_by_role("combobox", name="Page").select_option("article")
    wanted = [claim for claim in claims("S2") if claim.verdict in ("wrong", "imprecise")]
    assert shown(page) == ids(*wanted)
    expect(page.get_by_role("heading", name="All claims of the overview")).to_be_hidden()
    # kept in the address
    assert page.evaluate("location.search") == "?page=article&verdict=imprecise&verdict=wrong"
    page.reload()
    assert shown(page) == ids(*wanted)
    page.get_by_role("button", name="Show all").press("Enter")
    assert len(shown(page)) == ALL and page.evaluate("location.search") == ""
    expect(page.get_by_role("searchbox")).to_be_focused()
    expect(status).to_have_text(f"{ALL} claims")


def test_words_are_looked_for_in_what_a_claim_says_and_what_was_found(open_page: Open) -> None:
    page = open_page(AUDIT)
    texts = dict(
        page.locator(".om-claims details").evaluate_all("""(rows) => rows.map((row) =>
          [row.querySelector("[id]").id,
           [...row.querySelectorAll("summary, p")].map((e) => e.textContent).join(" ")])""")
    )
    for said in ("0.488814", "softmax saturates", "S3-42", "-0.96"):
        page.get_by_role("searchbox").fill(said)
        assert 0 < len(shown(page)) < ALL / 4
        for name in shown(page):
            text = texts[name].lower().replace("−", "-")
            assert all(word in text for word in said.lower().split())


def test_a_link_to_a_claim_shows_it_whatever_the_filter_says(open_page: Open) -> None:
    page = open_page(f"{AUDIT}?verdict=wrong#s4-20")
    expect(page.locator("details:has(#s4-20)")).to_have_attribute("open", "")
    expect(page.locator("#s4-20")).to_be_in_viewport()
    page.get_by_role("combobox", name="Page").select_option("article")
    expect(page.locator("#s4-20")).to_be_hidden()
    page.evaluate("location.hash = 's0-15'")
    expect(page.locator("#s0-15")).to_be_in_viewport()
    assert len(shown(page)) == ALL
