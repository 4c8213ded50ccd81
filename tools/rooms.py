"""Measures how high each explorer is, by kind and story, and writes it into rooms.toml.

A page keeps that room for an explorer before its script runs, so that nothing jumps when it does.
Where one is shown several times, or is higher at one width than at another, the highest counts.
Run it after a change of what explorers show: `python -m tools.rooms`, on a built site.
"""

import tomllib
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from pe_lib.course.explorers._bundle import ROOMS
from tools.browser import launched
from tools.serve import serving

SITE = Path(__file__).resolve().parent.parent / "_build" / "site"
WIDTHS = {"wide": (768, 1280), "between": (600, 690), "phone": (360, 390)}  # as in the style
MEASURED = """async () => {
  const cards = document.querySelectorAll("article details:not(.ex-folded)");
  for (const card of cards) card.open = true;
  const hosts = [...document.querySelectorAll(".om-explorer")];
  for (const host of hosts) {
    host.scrollIntoView();
    while (!host.matches("[data-live]")) await new Promise((done) => setTimeout(done, 20));
  }
  await document.fonts.ready;
  await new Promise((done) => setTimeout(done, 200));
  return hosts.map((host) => [host.dataset.kind, JSON.parse(host.dataset.state).story,
    host.querySelector(".om-live").offsetHeight]);
}"""


Rooms = dict[tuple[str, str], dict[str, float]]  # in rem, by kind and story, then by width


def measured(browser: Browser, address: str) -> Rooms:
    """Every explorer of every page at every width."""
    pages = [path.relative_to(SITE).as_posix() for path in sorted(SITE.rglob("*.html"))
             if 'class="om-explorer"' in path.read_text("utf-8")]  # fmt: skip
    rooms: Rooms = {}
    for name, widths in WIDTHS.items():
        for width in widths:
            finger = name != "wide"
            context = browser.new_context(
                viewport={"width": width, "height": 800}, has_touch=finger, is_mobile=finger
            )
            for path in pages:
                page = context.new_page()
                page.goto(address + path)
                for kind, story, height in page.evaluate(MEASURED):
                    room = rooms.setdefault((kind, story), {})
                    room[name] = max(room.get(name, 0), round(height / 16 + 0.05, 1))
                page.close()
            context.close()
            print(f"{name}, {width} pixels: measured", flush=True)
    return rooms


def table(rooms: Rooms, said: dict[str, list[float]]) -> str:
    """A table for each kind, with a line for each story, or one where all are equally high.

    >>> low, high = ({"wide": n, "between": n + 1, "phone": n + 2} for n in (30, 40))
    >>> rooms = {("hand", "main"): low, ("hand", "more"): low, ("row", "main"): high}
    >>> print(table(rooms | {("row", "other"): low}, {"hand": [3, 3, 5.4]}), end="")
    <BLANKLINE>
    [hand]
    said = [3, 3, 5.4]
    room = [30, 31, 32]
    <BLANKLINE>
    [row]
    main = [40, 41, 42]
    other = [30, 31, 32]
    """
    lines = []
    for kind in sorted({kind for kind, _ in rooms}):
        own = {
            story: [*room.values()] for (one, story), room in sorted(rooms.items()) if one == kind
        }
        heights = [*own.values()]
        if all(one == heights[0] for one in heights):
            own = {"room": heights[0]}
        own = ({"said": said[kind]} if kind in said else {}) | own
        lines += ["", f"[{kind}]", *(f"{name} = {sizes}" for name, sizes in own.items())]
    return "\n".join([*lines, ""])


def main() -> None:
    with serving(SITE) as address, sync_playwright() as playwright:
        browser = launched(playwright)
        rooms = measured(browser, address)
        browser.close()
    text = ROOMS.read_text("utf-8")
    kept = {kind: sizes["said"] for kind, sizes in tomllib.loads(text).items() if "said" in sizes}
    ROOMS.write_text(text.partition("\n\n")[0] + "\n" + table(rooms, kept), "utf-8")
    print(f"{ROOMS.name}: the rooms of {len(rooms)} explorers")


if __name__ == "__main__":
    main()
