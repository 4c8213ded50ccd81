"""The README's picture, the front page as it was built: python -m tools.picture"""

import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tools.browser import launched

ROOT = Path(__file__).resolve().parent.parent
SITE, OUTPUT = ROOT / "_build" / "site" / "index.html", ROOT / ".github" / "front.png"
COLOURS = 64  # more look the same, and make a file of twice the size
POSITION = 23  # a word in the middle of the sentence, with rows behind it


def main() -> None:
    with sync_playwright() as playwright:
        browser = launched(playwright)
        page = browser.new_page(
            viewport={"width": 1280, "height": 880}, reduced_motion="reduce", color_scheme="light"
        )
        page.goto(SITE.as_uri())
        explorer = page.locator(".om-explorer[data-live]")
        explorer.locator("canvas").press("Home")
        for _ in range(POSITION):
            explorer.locator("canvas").press("ArrowRight")
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        shot = Image.open(io.BytesIO(page.screenshot()))
        browser.close()
    shot.quantize(COLOURS).save(OUTPUT, optimize=True)
    print(f"{OUTPUT.relative_to(ROOT)}: {OUTPUT.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
