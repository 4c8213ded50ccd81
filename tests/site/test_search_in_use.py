"""Test the ranking of search results on a page, and how readers open a result."""

import gzip
import re
from pathlib import Path

import painted
import pytest
import yaml
from axe import axe
from built import PHONE, Open, ids
from hands import settle, wait_for_promise
from playwright.sync_api import Page, expect
from visits import in_scheme

CHAPTER = "chapters/00-start-here.html"
RESULTS = ".om-search-results a"
# Maps each query to the pages or sections that answer it.
ASKED: dict[str, list[str]] = {
    query: [re.sub(r"^[\w-]+", r"chapters/\g<0>.html", place) for place in places]
    for query, places in yaml.safe_load(
        Path(__file__).with_name("queries.yml").read_text("utf-8")
    ).items()
}
# For each of these queries, the first result must be on the right page.
FIRST = ["learned embeddings", "why 10000", "rotary embedding pytorch code", "NoPE", "frequncy",
         "wavel", "why do transformers need positional encoding",
         "can a transformer work without positional encoding",
         "rotate", "alibi slopes", "api", "api reference", "rotate_axes"]  # fmt: skip


@pytest.fixture
def page(open_page: Open) -> Page:
    return open_page(CHAPTER)


def search(page: Page, query: str) -> None:
    page.keyboard.press("Control+k")
    expect(page.locator("#om-search-input")).to_be_focused()
    page.keyboard.type(query)


def test_the_right_section_comes_first_in_nine_of_ten_and_nearly_always_in_three(
    page: Page, site: Path
) -> None:
    found = wait_for_promise(
        page,
        """async (queries) => {
          const found = {};
          for (const query of queries)
            found[query] = (await omSearch(query)).map(({ address }) => address);
          return found;
        }""",
        list(ASKED),
    )
    ranks = {
        query: [n for n, place in enumerate(found[query]) if place in right]
        for query, right in ASKED.items()
    }
    late = {query: found[query][:3] for query, places in ranks.items() if places[:1] != [0]}
    among_three = sum(min(places, default=9) < 3 for places in ranks.values())
    assert len(ASKED) >= 100
    assert len(late) <= 0.1 * len(ASKED) and among_three >= 0.97 * len(ASKED), late
    for query in FIRST:
        assert found[query][0].split("#")[0] == ASKED[query][0].split("#")[0], query
    # Every address must exist, because a missing section would look like bad ranking.
    there = page.evaluate("Object.values(omSearchIndex.index.documentIds)")
    places = [place.partition("#")[::2] for place in there]
    known = {name: ids(site / name) | {""} for name, _ in places}
    assert not [(name, at) for name, at in places if at not in known[name]]
    assert {place for right in ASKED.values() for place in right} <= set(there)


def test_who_asks_for_a_term_is_told_what_it_means(page: Page) -> None:
    late = wait_for_promise(
        page,
        """async () => {
      await omSearch("term");
      const { documentIds, storedFields } = omSearchIndex.index;
      const late = [];
      for (const [n, place] of Object.entries(documentIds)) {
        if (!place.includes("#term-")) continue;
        const found = await omSearch(storedFields[n].title.split(",")[0]);
        if (!found.slice(0, 3).some(({ address }) => address === place)) late.push(place);
      }
      return late;
    }""",
    )
    assert len(late) <= 4, late


def test_the_index_is_loaded_on_first_use_only_and_is_light(page: Page, site: Path) -> None:
    page.wait_for_load_state("load")
    loaded = "performance.getEntriesByType('resource').map((r) => r.name).join()"
    assert "/search/index.js" not in page.evaluate(loaded)
    search(page, "encoding")
    expect(page.locator(RESULTS).first).to_be_visible()
    assert "/search/index.js" in page.evaluate(loaded)
    files = list((site / "_static" / "search").iterdir())
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) < 480_000


def test_keys_lead_to_the_section_itself(page: Page) -> None:
    search(page, "add or concatenate")
    page.keyboard.press("Escape")
    expect(page.locator("dialog.om-search")).to_be_hidden()
    page.locator("body").press("/")
    page.keyboard.type("add or concatenate")
    links = page.locator(RESULTS)
    expect(links.first.locator(".om-search-title")).to_have_text("Add or concatenate")
    expect(links.first.locator(".om-search-page")).to_have_text("2. The formula")
    for key, place in (("ArrowDown", 0), ("ArrowDown", 1), ("ArrowUp", 0)):
        page.keyboard.press(key)
        expect(links.nth(place)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("02-the-formula.html#add-or-concatenate$"))
    expect(page.locator("#add-or-concatenate :is(h2, h3)").first).to_be_in_viewport()
    # Check that pressing Enter opens the first result.
    search(page, "alibi slopes")
    expect(links.first).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("a-straight-line-and-nothing-to-learn|#alibi"))


# Delay loading the index until the test calls come().
LATE = """() => {
  const append = document.head.append.bind(document.head);
  document.head.append = (script) => {
    if (script.src.endsWith("/index.js")) window.come = () => append(script);
    else append(script);
  };
}"""


def test_a_later_key_wins(page: Page) -> None:
    """Check that results match the latest query, even if the index loads after several queries."""
    page.evaluate(LATE)
    search(page, "encoding")
    page.keyboard.press("Control+a")
    page.keyboard.type("xyzzyqq")
    page.evaluate("come()")
    expect(page.locator(".om-search-status")).to_have_text("Nothing found. No page has “xyzzyqq”.")
    expect(page.locator(RESULTS)).to_have_count(0)


def test_a_word_that_no_page_has_is_named_above_the_results(page: Page) -> None:
    search(page, "xyzzyqq in attention")
    expect(page.locator(".om-search-status")).to_have_text(
        re.compile(r"^The best 12 of \d+ results\. No page has “xyzzyqq”\.$")
    )
    expect(page.locator(RESULTS)).to_have_count(12)
    page.locator("#om-search-input").fill("deltas of rope")
    expect(page.locator(RESULTS).first).to_contain_text("Counting after an image")


def test_a_thumb_can_read_and_hit_it(open_page: Open) -> None:
    page = open_page(CHAPTER, viewport=PHONE)
    search(page, "rotary embeddings")
    expect(page.locator(RESULTS).first).to_be_visible()
    settle(page)
    small = page.evaluate("""() =>
      [...document.querySelectorAll(".om-search :is(a, input, button)")]
      .map((e) => [e.outerHTML.slice(0, 60), e.getBoundingClientRect()])
      .filter(([, box]) => box.width < 44 || box.height < 44 || box.right > innerWidth)""")
    assert not small
    for scheme in ("light", "dark"):
        in_scheme(page, scheme)
        assert not painted.faint_texts(page)
    assert not axe(page, ".om-search")


def test_search_page_finds_a_word(open_page: Open) -> None:
    page = open_page("search.html?q=encoding")
    expect(page.locator("#search-results li a").first).to_be_visible()
