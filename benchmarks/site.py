"""Measure how fast the built site responds to readers: python -m benchmarks.site (or make bench).

A step moves a slider or presses an arrow key. The time of a step is how long it keeps headless
Chromium busy: the time in the handler, plus the time of the frame from its first callback until it
is painted. The wait for the screen does not count.
"""

import statistics
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tools.browser import launch
from tools.serve import serve_folder

SITE = Path(__file__).parents[1] / "_build" / "site"
STEPS = 200

# This script performs the steps, and returns how long each kept the page busy, in milliseconds.
MOVE = """async ([name, steps]) => {
  const painted = () => new Promise((done) => requestAnimationFrame((start) => {
    const began = performance.now(), { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done(performance.now() - began);  // the task after the frame
    port2.postMessage(0);
  }));
  const host = document.querySelector(".om-explorer");
  const slider = host.querySelector(`input[name="${name}"]`);
  const keys = host.querySelector(".ex-canvas[tabindex]");
  const low = Number(slider?.min), span = Number(slider?.max) - low;
  const act = (k) => {
    if (slider) {
      slider.value = low + Math.round(span * (0.5 + 0.5 * Math.sin(k / 7)));
      slider.dispatchEvent(new Event("input"));
    } else {
      const key = k % 20 < 10 ? "ArrowRight" : "ArrowLeft";
      keys.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    }
  };
  const busy = [];
  for (let k = 0; k < steps; k++) {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const frame = painted(), began = performance.now();
    act(k);
    busy.push(performance.now() - began + await frame);
  }
  return busy;
}"""


def find_controls(page: Page) -> list[str]:
    """Return the first explorer's sliders, and also "keys" if arrow keys control the explorer."""
    explorer = page.locator(".om-explorer").first
    explorer.scroll_into_view_if_needed()
    explorer.locator(".ex-reading").first.wait_for()
    ranges = explorer.locator("input[type=range]")
    sliders: list[str] = ranges.evaluate_all("all => all.map((slider) => slider.name)")
    takes_keys = explorer.locator(".ex-canvas[tabindex]").count() > 0
    return [*sliders, "keys"] if takes_keys else sliders


def main() -> None:
    with serve_folder(SITE) as base, sync_playwright() as playwright:
        browser = launch(playwright)
        print(f"Chromium {browser.version}, {STEPS} steps of each slider\n")
        print("work for a step, ms                                    median    p95")
        for path in sorted((SITE / "chapters").glob("[0-9]*.html")):
            page = browser.new_page()
            page.goto(f"{base}chapters/{path.name}")
            for name in find_controls(page):
                busy = page.evaluate(MOVE, [name, STEPS])
                p95 = statistics.quantiles(busy, n=20)[-1]
                print(f"{path.stem:<40}{name:<12}{statistics.median(busy):>9.2f}{p95:>7.2f}")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
