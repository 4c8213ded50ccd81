"""The audit in use: its claims found by words, by page and by verdict, linked to, and printed."""

import re

import pytest
from built import PHONE, SITE, WIDE, Open, parsed
from hands import until
from playwright.sync_api import Locator, Page, expect
from visits import in_scheme

from pe_lib.course.audit import PAGES, Claim, claims
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


CONTRAST = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
      .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const probe = document.createElement("p");
  document.body.append(probe);
  const papers = ["--om-paper", "--om-raised"].map((name) => {
    probe.style.color = `var(${name})`;
    return light(getComputedStyle(probe).color);
  });
  probe.remove();
  const words = document.querySelectorAll(".om-claims summary > b, .om-filter label");
  return Math.min(...[...words].flatMap((word) => papers.map((paper) => {
    const ink = light(getComputedStyle(word).color);
    return Math.max(ink, paper) / Math.min(ink, paper);
  })));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_verdicts_stand_out_from_the_page_and_from_a_line_under_the_mouse(
    open_page: Open, scheme: str
) -> None:
    page = open_page(AUDIT)
    in_scheme(page, scheme)
    assert page.evaluate(CONTRAST) >= 4.5


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


def test_the_pages_to_choose_are_those_that_were_audited(open_page: Open) -> None:
    page = open_page(AUDIT)
    assert choice(page).locator("option").all_text_contents() == [
        "all five",
        *PAGES.values(),
    ]


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


def test_the_name_of_a_check_is_no_word_of_its_claim(open_page: Open) -> None:
    page = open_page(AUDIT)
    page.get_by_role("searchbox").fill("book_formula")
    expect(page.locator(".om-filter").get_by_role("status")).to_have_text(f"0 of {ALL} claims")


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


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_link_leads_to_its_claim_far_down_the_page(
    open_page: Open, viewport: dict[str, int]
) -> None:
    page = open_page(f"{AUDIT}#s3-90", viewport=viewport)
    expect(page.locator("#s3-90")).to_be_in_viewport()


def test_a_link_to_a_claim_that_is_shown_leaves_the_filter(open_page: Open) -> None:
    page = open_page(f"{AUDIT}?verdict=wrong#s0-15")
    expect(page.locator("#s0-15")).to_be_in_viewport()
    assert shown(page) == ids(*(claim for claim in claims() if claim.verdict == "wrong"))


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_what_is_found_stands_right_below_the_filter(
    open_page: Open, viewport: dict[str, int]
) -> None:
    """No heading, and no room, of lists that have nothing to show."""
    page = open_page(AUDIT, viewport=viewport)
    choice(page).select_option("questions and answers")
    gap = page.evaluate("""() => {
      const [row, form] = ["details:has(#s4-01)", ".om-filter"].map((name) =>
        document.querySelector(name).getBoundingClientRect());
      return row.top - form.bottom;
    }""")
    assert 0 < gap < 300
    overflow = "document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(overflow) <= 0


def test_paper_has_every_claim_and_no_filter(open_page: Open) -> None:
    page = open_page(AUDIT)
    page.get_by_role("checkbox", name="cannot be checked").check()
    choice(page).select_option("overview")
    assert len(shown(page)) == 1
    page.emulate_media(media="print")
    assert len(shown(page)) == ALL
    expect(page.locator(".om-filter")).to_be_hidden()


def test_without_javascript_every_claim_is_there_and_the_filter_is_not(open_page: Open) -> None:
    page = open_page(f"{AUDIT}#s0-15", java_script_enabled=False)
    assert len(shown(page)) == ALL
    expect(page.locator(".om-filter")).to_be_hidden()
    expect(row(page, "s0-15")).to_have_attribute("open", "")
    assert 0 < page.locator("#s0-15").evaluate("(e) => e.getBoundingClientRect().top") < 500


def test_it_works_from_disk(open_page: Open) -> None:
    page = open_page(AUDIT, base=f"{SITE.as_uri()}/")
    page.get_by_role("checkbox", name="wrong").check()
    assert len(shown(page)) < ALL
    until(page, "location.search === '?verdict=wrong'")


def test_only_this_page_has_the_script() -> None:
    name = re.compile(r"audit[.\w]*\.js")
    assert name.search(str(parsed(SITE / AUDIT).head))
    assert not name.search(str(parsed(SITE / "index.html").head))
