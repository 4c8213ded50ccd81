"""Pictures of the site, to see what a change of its insides did to its outside.

    python tests/site/looks.py BEFORE                   of _build/site, into this folder
    python tests/site/looks.py AFTER --site FOLDER      of another build
    python tests/site/looks.py BEFORE AFTER             which differ, and by how much

An explorer of each kind and eight pages, everything opened, light and dark. They are compared on
the machine that took both: another one has other fonts and another browser, so none are committed.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from PIL import Image, ImageChops

sys.path[:0] = [str(Path(__file__).parents[2])]

from built import SITE  # noqa: E402
from hands import settle  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402
from visits import opened, unfold  # noqa: E402

from tools.browser import launched  # noqa: E402
from tools.serve import serving  # noqa: E402

PAGES = ["index.html", "search.html?q=rotary", "chapters/02-the-formula.html"]
PAGES += [f"chapters/{name}.html" for name in (
    "08-rotary", "09-biases", "appendix-audit", "appendix-doctor", "appendix-models",
    "appendix-exercises")]  # fmt: skip
WINDOW = {"width": 1280, "height": 2_000}  # so much of a page a picture
SEEN = 24  # of 255: a smaller difference of a pixel nobody sees


def take(folder: Path, site: Path) -> None:
    """All pictures, by name: what, light or dark, and of a page which part from its top."""
    folder.mkdir(parents=True, exist_ok=True)
    with started() as browser, serving(site) as base:
        for scheme in ("light", "dark"):
            for page, path in visited(browser, base, PAGES, scheme):
                whole(page, folder / f"{Path(path.split('.html')[0]).name}-{scheme}")
            table = Path(__file__).with_name("explorers.yml").read_text("utf-8")
            kinds = yaml.safe_load(table)
            paths = sorted({f"chapters/{one['page']}.html" for one in kinds.values()})
            for page, path in visited(browser, base, paths, scheme):
                for name, one in kinds.items():
                    if one["page"] == Path(path).stem:
                        host = page.locator(f"#{one['id']}")
                        host.screenshot(path=folder / f"{name}-{scheme}.png")


@contextmanager
def started() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        yield launched(playwright)


def visited(
    browser: Browser, base: str, paths: list[str], scheme: str
) -> Iterator[tuple[Page, str]]:
    """Each page, with everything on it open, answered and running."""
    for path in paths:
        page, problems = opened(
            browser, base, path, viewport=WINDOW, color_scheme=scheme, reduced_motion="reduce"
        )
        page.wait_for_load_state("networkidle")
        unfold(page)
        settle(page)
        if problems:
            print(f"{path}: {'; '.join(problems)}")
        yield page, path
        page.context.close()


def whole(page: Page, name: Path) -> None:
    """The page from its top, a window after the other: at once, a long one takes minutes."""
    height = page.evaluate("document.documentElement.scrollHeight")
    for n, top in enumerate(range(0, height, WINDOW["height"])):
        page.evaluate("(top) => scrollTo({ top, behavior: 'instant' })", top)
        settle(page)
        page.screenshot(path=f"{name}-{n:02}.png")


def differing(before: Path, after: Path) -> Iterator[str]:
    """The names of pictures that are not the same, with what is seen of the difference."""
    names = {path.name for folder in (before, after) for path in folder.glob("*.png")}
    for name in sorted(names):
        there = [(folder / name).is_file() for folder in (before, after)]
        if not all(there):
            yield f"{name}: only in {before if there[0] else after}"
            continue
        one, other = (Image.open(folder / name).convert("RGB") for folder in (before, after))
        if one.size != other.size:
            yield f"{name}: {one.width} × {one.height} is now {other.width} × {other.height}"
            continue
        worst = ImageChops.difference(one, other).convert("L").point(lambda x: 255 * (x > SEEN))
        if box := worst.getbbox():
            share = worst.histogram()[255] / (one.width * one.height)
            yield f"{name}: {share:.2%} of it, from {box[0]}, {box[1]} to {box[2]}, {box[3]}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--site", type=Path, default=SITE)
    given = parser.parse_args()
    if len(given.folders) == 1:
        take(given.folders[0], given.site.resolve())
        print(f"{len([*given.folders[0].glob('*.png')])} pictures are in {given.folders[0]}")
    else:
        differ = [*differing(*given.folders)]
        print(*differ, f"{len(differ)} pictures differ.", sep="\n")
        sys.exit(bool(differ))
