"""Measures how high each explorer is, by kind and story, and writes it into frame.css.

A page keeps that room for an explorer before its script runs, so that nothing jumps when it does.
Where one is shown several times, or is higher at one width than at another, the highest counts.
Run it after a change of what explorers show: `python -m tools.rooms`, on a built site.
"""

import re
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from pe_lib.course.explorers._bundle import HERE
from tools.browser import launched
from tools.serve import serving

SITE = Path(__file__).resolve().parent.parent / "_build" / "site"
STYLE = HERE / "frame" / "frame.css"
WIDTHS = {"wide": (768, 1280), "between": (600, 690), "phone": (360, 390)}  # as in the style
TABLE = re.compile(r"(?:^\.om-explorer\[data-kind=.*\{ --ex-wide: .*\n)+", re.MULTILINE)

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


def table(rooms: Rooms) -> str:
    """A line for each story, or one for the kind where all its stories are equally high.

    >>> low, high = ({"wide": n, "between": n + 1, "phone": n + 2} for n in (30, 40))
    >>> rooms = {("hand", "main"): low, ("hand", "more"): low, ("table", "main"): high}
    >>> print(table(rooms | {("table", "other"): low}), end="")
    .om-explorer[data-kind="hand"] { --ex-wide: 30rem; --ex-between: 31rem; --ex-phone: 32rem; }
    .om-explorer[data-kind="table"][data-state*='"story": "main"'] \
{ --ex-wide: 40rem; --ex-between: 41rem; --ex-phone: 42rem; }
    .om-explorer[data-kind="table"][data-state*='"story": "other"'] \
{ --ex-wide: 30rem; --ex-between: 31rem; --ex-phone: 32rem; }
    """
    lines = {}
    for (kind, story), room in sorted(rooms.items()):
        alike = all(other == room for (name, _), other in rooms.items() if name == kind)
        where = "" if alike else f"""[data-state*='"story": "{story}"']"""
        sizes = "".join(f"--ex-{name}: {room[name]}rem; " for name in WIDTHS)
        lines[f'.om-explorer[data-kind="{kind}"]{where} {{ {sizes}}}\n'] = None
    return "".join(lines)


def main() -> None:
    with serving(SITE) as address, sync_playwright() as playwright:
        browser = launched(playwright)
        rooms = measured(browser, address)
        browser.close()
    style, count = TABLE.subn(lambda _: table(rooms), STYLE.read_text("utf-8"))
    if count != 1:
        raise SystemExit(f"{STYLE.name} has {count} tables of rooms; one is wanted")
    STYLE.write_text(style, "utf-8")
    print(f"{STYLE.name}: the rooms of {len(rooms)} explorers")


if __name__ == "__main__":
    main()
