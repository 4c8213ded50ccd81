"""Measure how fast the built site reacts to readers: python -m benchmarks.site (or make bench).

A step moves a slider or presses an arrow key. The time of a step is how long it keeps headless
Chromium busy: the time in the handler, plus the time of the frame from its first callback until it
is painted. The wait for the screen does not count.

With --phone, everything that plays by itself is played on the screen of a phone, with a processor
that Chromium slows down fourfold. Each line also says how busy the machine was: with other work on
the machine the times are too long.
"""

import os
import statistics
import sys
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from tools.browser import launch
from tools.serve import serve_folder

SITE = Path(__file__).parents[1] / "_build" / "site"
STEPS = 200
PHONE = {"width": 390, "height": 664}
SLOWER = 4
PLAYED = 3000  # an explorer plays for this many milliseconds
# A random matrix gives each position a curve of its own, which is drawn in each frame.
STATES = {"offset": ["between=nothing", "between=random"], "order": ["view=ribbons", "view=scores"]}

# This script moves a control step by step. It returns for how many milliseconds each step kept the
# page busy.
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

# This script presses a button. It then returns for how long each frame keeps the page busy.
PLAY = """async ([button, ms]) => {
  const busy = [];
  let watches = true;
  const watch = () => {  // the first callback of each frame
    if (!watches) return;
    const began = performance.now(), { port1, port2 } = new MessageChannel();
    requestAnimationFrame(watch);
    port1.onmessage = () => busy.push(performance.now() - began);  // the task after the frame
    port2.postMessage(0);
  };
  if (button.hasAttribute("data-playing")) button.click();
  button.click();
  watch();
  await new Promise((done) => setTimeout(done, ms));
  watches = false;
  return busy;
}"""

# This script opens the folded parts of the page in which an explorer lies.
OPEN = """(host) => {
  for (let one = host; one; one = one.parentElement) if (one.matches("details")) one.open = true;
}"""


def find_controls(page: Page) -> list[str]:
    """Return the first explorer's sliders, and "keys" if the explorer can be controlled by keys."""
    explorer = page.locator(".om-explorer").first
    explorer.scroll_into_view_if_needed()
    explorer.locator(".ex-reading").first.wait_for()
    ranges = explorer.locator("input[type=range]")
    sliders: list[str] = ranges.evaluate_all("all => all.map((slider) => slider.name)")
    takes_keys = explorer.locator(".ex-canvas[tabindex]").count() > 0
    return [*sliders, "keys"] if takes_keys else sliders


def report(name: str, busy: list[float], end: str = "") -> None:
    """Print the median and the 95th percentile of some times in milliseconds."""
    p95 = statistics.quantiles(busy, n=20)[-1]
    print(f"{name:<52}{statistics.median(busy):>9.2f}{p95:>7.2f}{end}", flush=True)


def measure_steps(browser: Browser, base: str) -> None:
    print(f"Chromium {browser.version}, {STEPS} steps of each slider\n")
    print("work for a step, ms                                    median    p95")
    for path in sorted((SITE / "chapters").glob("[0-9]*.html")):
        page = browser.new_page()
        page.goto(f"{base}chapters/{path.name}")
        for name in find_controls(page):
            report(f"{path.stem:<40}{name}", page.evaluate(MOVE, [name, STEPS]))
        page.close()


def play(page: Page, button: Locator, name: str) -> None:
    """Press the button Play, report how long the frames take, and press the button again."""
    busy = page.evaluate(PLAY, [button.element_handle(), PLAYED])
    report(name, busy, f"{os.getloadavg()[0]:>7.1f}")


def measure_phone(browser: Browser, base: str) -> None:
    context = browser.new_context(
        viewport=PHONE, device_scale_factor=2, is_mobile=True, has_touch=True
    )

    def visit(address: str) -> Page:
        page = context.new_page()
        page.goto(base + address)
        slow = {"rate": SLOWER}
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", slow)
        return page

    print(f"Chromium {browser.version}, {PLAYED} ms of each, {SLOWER} times slower\n")
    print("work for a frame, ms                                   median    p95   load")
    page = visit("index.html")
    for scene in page.locator(".om-scene:has(.om-replay)").all():
        scene.scroll_into_view_if_needed()
        play(
            page,
            scene.locator(".om-replay"),
            f"index {scene.locator('div').first.get_attribute('id')}",
        )
    page.close()
    for path in sorted((SITE / "chapters").glob("[0-9]*.html")):
        page = visit(f"chapters/{path.name}")
        hosts = [(str(host.get_attribute("id")), host.get_attribute("data-kind"))
                 for host in page.locator(".om-explorer").all()]  # fmt: skip
        page.close()
        for host_id, kind in hosts:
            # The last step of a story is its task, in which the whole picture is drawn.
            for state in STATES.get(str(kind), ["step=9"]):
                page = visit(f"chapters/{path.name}?{state}#{host_id}")
                host = page.locator(f"#{host_id}")
                host.evaluate(OPEN)
                host.scroll_into_view_if_needed()
                host.locator(".ex-reading").first.wait_for(state="attached")
                button = host.get_by_role("button", name="Play", exact=True)
                if button.count():
                    play(page, button, f"{path.stem} {host_id.removeprefix('explorer-')} {state}")
                page.close()


def main() -> None:
    with serve_folder(SITE) as base, sync_playwright() as playwright:
        browser = launch(playwright)
        measure = measure_phone if "--phone" in sys.argv[1:] else measure_steps
        measure(browser, base)
        browser.close()


if __name__ == "__main__":
    main()
