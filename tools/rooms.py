"""Measure how high each explorer is in each of its stories, and write the heights to rooms.toml.

A page reserves this height before the explorer's script runs, so that nothing jumps when it starts.
If a story is measured several times, on several pages or at similar widths, its greatest height
counts. Run this command on a built site after a change in what explorers show: python -m
tools.rooms
"""

import tomllib
from collections import defaultdict
from pathlib import Path

from playwright.sync_api import sync_playwright

from pe_lib.course.explorers._bundle import ROOMS
from tools.browser import launch
from tools.serve import serve_folder

SITE = Path(__file__).resolve().parent.parent / "_build" / "site"
WIDTHS = {768: "wide", 1280: "wide", 600: "between", 690: "between", 360: "phone", 390: "phone"}

MEASURE = """async () => {
  for (const card of document.querySelectorAll("article details:not(.ex-folded)")) card.open = true;
  const hosts = [...document.querySelectorAll(".om-explorer")];
  for (const host of hosts) {
    while (!host.matches("[data-live]")) { // explorers above it grow and may move it off the screen
      host.scrollIntoView();
      await new Promise((done) => setTimeout(done, 20));
    }
  }
  await document.fonts.ready;
  await new Promise((done) => setTimeout(done, 200));
  return hosts.map((host) => [host.dataset.kind, JSON.parse(host.dataset.state).story,
    host.querySelector(".om-live").offsetHeight]);
}"""


def main() -> None:
    """Measure all explorers at all widths of the page, and replace the tables in rooms.toml."""
    pages = [path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")
             if 'class="om-explorer"' in path.read_text("utf-8")]  # fmt: skip
    rooms: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)  # heights are in rem
    with serve_folder(SITE) as address, sync_playwright() as playwright:
        browser = launch(playwright)
        for width, name in WIDTHS.items():
            page = browser.new_page(
                viewport={"width": width, "height": 800},
                has_touch=name != "wide",
                is_mobile=name != "wide",
            )
            for path in pages:
                page.goto(address + path)
                for kind, story, height in page.evaluate(MEASURE):
                    room = rooms[kind].setdefault(story, {})
                    room[name] = max(room.get(name, 0), round(height / 16 + 0.05, 1))
            page.close()
        browser.close()
    text = ROOMS.read_text("utf-8")
    before, lines = tomllib.loads(text), [text.partition("\n\n")[0]]
    for kind, stories in sorted(rooms.items()):
        heights = {story: [*room.values()] for story, room in sorted(stories.items())}
        # one number is enough if all stories have the same height
        if len({*map(str, heights.values())}) == 1:
            heights = {"room": heights.popitem()[1]}
        entries = {
            key: value for key, value in before.get(kind, {}).items() if key == "said"
        } | heights
        lines += ["", f"[{kind}]", *(f"{name} = {sizes}" for name, sizes in entries.items())]
    ROOMS.write_text("\n".join([*lines, ""]), "utf-8")


if __name__ == "__main__":
    main()
