"""The search in use: what it finds first, and how a reader gets there."""

import gzip
import re
from pathlib import Path

import yaml
from axe import axe
from built import CHAPTERS, PHONE, Open, ids
from hands import settle
from playwright.sync_api import Page, Route, expect
from visits import in_scheme

CHAPTER = next(page for page in CHAPTERS if page.startswith("chapters/"))
ASKED: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("queries.yml").read_text("utf-8")
)

# The right page comes first, whatever is written on others
PAGES = {
    "learned embeddings": "06-learned-embeddings",
    "why 10000": "03-frequencies",
    "rotary embedding pytorch code": "appendix-practice",
    "can a transformer work without positional encoding": "07-skipping-positions",
    "NoPE": "07-skipping-positions",
    "frequncy": "03-frequencies",
}


def search(page: Page, query: str) -> None:
    page.keyboard.press("Control+k")
    expect(page.locator("#om-search-input")).to_be_focused()
    page.keyboard.type(query)


def found(page: Page, queries: list[str]) -> dict[str, list[str]]:
    """For each query the addresses that the search gives, best first."""
    return page.evaluate(
        """async (queries) => {
          const found = {};
          for (const query of queries)
            found[query] = (await omSearch(query)).map(({ address }) => address);
          return found;
        }""",
        queries,
    )


def address(place: str) -> str:
    """The address of a place as the questions name it."""
    page, _, anchor = place.partition("#")
    return f"chapters/{page}.html#{anchor}".removesuffix("#")


def test_the_right_section_comes_first_in_four_of_five_and_nearly_always_in_three(
    open_page: Open,
) -> None:
    results = found(open_page(CHAPTER), list(ASKED))
    ranks = {
        query: [n for n, place in enumerate(results[query]) if place in map(address, right)]
        for query, right in ASKED.items()
    }
    late = {query: results[query][:3] for query, places in ranks.items() if places[:1] != [0]}
    first = sum(places[:1] == [0] for places in ranks.values())
    among_three = sum(min(places, default=9) < 3 for places in ranks.values())
    assert len(ASKED) >= 100
    assert first >= 0.8 * len(ASKED) and among_three >= 0.95 * len(ASKED), (first, late)


def test_the_right_page_comes_first(open_page: Open) -> None:
    results = found(open_page(CHAPTER), list(PAGES))
    first = {query: places[0].split("#")[0] for query, places in results.items()}
    assert first == {query: f"chapters/{page}.html" for query, page in PAGES.items()}


def test_every_address_leads_to_its_section(open_page: Open, site: Path) -> None:
    page = open_page(CHAPTER)
    found(page, ["position"])
    index = page.evaluate("omSearchIndex.pages.map(([address]) => address)")
    places = page.evaluate("omSearchIndex.sections.map(([page, at]) => [page, at])")
    known = [ids(site / name) | {""} for name in index]
    # a question whose sections are gone would count as a fault of the ranking
    there = {index[number] + (at and f"#{at}") for number, at in places}
    assert {address(place) for right in ASKED.values() for place in right} <= there
    assert not [(index[number], at) for number, at in places if at not in known[number]]


def test_the_index_is_loaded_on_first_use_only_and_is_light(open_page: Open, site: Path) -> None:
    page = open_page(CHAPTER)
    page.wait_for_load_state("load")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    loaded = page.evaluate("performance.getEntriesByType('resource').map((r) => r.name)")
    assert not [name for name in loaded if "/search/" in name]
    search(page, "encoding")
    expect(page.locator(".om-search-results a").first).to_be_visible()
    assert any("/search/index.js" in url for url in requests)
    files = list((site / "_static" / "search").iterdir())
    assert len(files) == 3
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) < 330_000


def test_keys_lead_to_the_section_itself(open_page: Open) -> None:
    page = open_page(CHAPTER)
    page.locator("body").press("/")
    page.keyboard.type("add or concatenate")
    links = page.locator(".om-search-results a")
    expect(links.first.locator(".om-search-title")).to_have_text("Add or concatenate")
    expect(links.first.locator(".om-search-page")).to_have_text("2. The formula")
    expect(links.first.locator("mark").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(links.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("02-the-formula.html#add-or-concatenate$"))
    heading = page.locator("#add-or-concatenate :is(h2, h3)").first
    expect(heading).to_be_in_viewport()
    expect(page.locator("article mark")).to_have_count(0)


def test_enter_opens_the_first_result_and_escape_none(open_page: Open) -> None:
    page = open_page(CHAPTER)
    search(page, "add or concatenate")
    page.keyboard.press("Escape")
    expect(page.locator("dialog.om-search")).to_be_hidden()
    search(page, "add or concatenate")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("02-the-formula.html#add-or-concatenate$"))


def test_a_later_key_wins(open_page: Open) -> None:
    """However late the index comes: what is shown belongs to what is written."""
    page = open_page(CHAPTER)
    waiting: list[Route] = []
    page.route("**/search/index.js", lambda route: waiting.append(route))
    search(page, "encoding")
    page.keyboard.press("Control+a")
    page.keyboard.type("xyzzyqq")
    while not waiting:
        page.wait_for_timeout(20)
    waiting[0].continue_()
    expect(page.locator(".om-search-status")).to_have_text("Nothing found.")
    expect(page.locator(".om-search-results a")).to_have_count(0)
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.locator(".om-search-status")).to_be_empty()


def test_a_thumb_can_read_and_hit_it(open_page: Open) -> None:
    page = open_page(CHAPTER, viewport=PHONE)
    search(page, "rotary embeddings")
    expect(page.locator(".om-search-results a").first).to_be_visible()
    settle(page)
    small = page.evaluate("""() =>
      [...document.querySelectorAll(".om-search :is(a, input, button)")]
      .map((e) => [e.outerHTML.slice(0, 60), e.getBoundingClientRect()])
      .filter(([, box]) => box.width < 44 || box.height < 44 || box.right > innerWidth)""")
    assert not small
    for scheme in ("light", "dark"):
        in_scheme(page, scheme)
        assert not axe(page, ".om-search", colours=True)
    assert not axe(page, ".om-search")


def test_search_page_finds_a_word(open_page: Open) -> None:
    page = open_page("search.html?q=encoding")
    expect(page.locator("#search-results li a").first).to_be_visible()
