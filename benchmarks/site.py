"""How light and how quick the built site is: python benchmarks/site.py (or make bench).

Four questions, each answered on the page that is served on this machine, in headless Chromium:
what a first visit transfers, when the first explorer has drawn its picture, when text and explorer
are there on a slow phone, and how long a slider's step keeps the browser busy. The last is the time
in which it can do nothing else: the handler, and the frame from its first callback until it was
painted; waiting for the screen is left out.
"""

import statistics
import sys
import threading
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tools.browser import launched  # noqa: E402
from tools.serve import Handler, Server  # noqa: E402

CHAPTER = "chapters/02-the-formula.html"
ROUNDS, STEPS = 9, 200

# A phone far from its mast, as Lighthouse has it: a quarter of this machine's speed, 150 ms to the
# server and back, 1.6 Mbit/s down
SLOWER = 4
SLOW_4G = {
    "offline": False, "latency": 150,
    "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8,
}  # fmt: skip

READY = """() => {
  window.ready = new Promise((done) => addEventListener("DOMContentLoaded", () => {
    const host = document.querySelector(".om-explorer");
    host.scrollIntoView();
    new MutationObserver(() => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now());  // the task after the frame was painted
      port2.postMessage(0);
    })).observe(host, { attributeFilter: ["data-live"] });
  }));
}"""

MOVE = """async ([name, steps]) => {
  const host = document.querySelector(".om-explorer");
  const slider = host.querySelector(`input[name=${name}]`);
  const keys = host.querySelector(".ex-canvas[tabindex], .ex-word");
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
    const frame = new Promise((done) => requestAnimationFrame((start) => {
      const began = performance.now();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now() - began);
      port2.postMessage(0);
    }));
    const began = performance.now();
    act(k);
    busy.push(performance.now() - began + await frame);
  }
  return busy;
}"""


def transferred(browser: Browser, address: str) -> tuple[int, int]:
    """Bytes over the wire and requests of a first visit, scrolled to the end."""
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(address, wait_until="load")
    for _ in range(60):
        page.mouse.wheel(0, 600)
        page.wait_for_timeout(15)
    page.wait_for_load_state("networkidle")
    page.close()
    return int(sum(sizes)), len(sizes)


def first_picture(browser: Browser, address: str) -> float:
    """Milliseconds from the start of the navigation to the explorer's first painted picture."""
    page = browser.new_page()
    page.add_init_script(f"({READY})()")
    page.goto(address)
    milliseconds = float(page.evaluate("() => window.ready"))
    page.close()
    return milliseconds


def on_a_slow_phone(browser: Browser, address: str) -> tuple[float, float]:
    """Milliseconds until text is painted, and until the first explorer has drawn its picture."""
    page = browser.new_page(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW_4G)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.add_init_script(f"({READY})()")
    page.goto(address)
    explorer = float(page.evaluate("() => window.ready"))
    (text,) = page.evaluate(
        "performance.getEntriesByName('first-contentful-paint').map((e) => e.startTime)"
    )
    page.close()
    return float(text), explorer


def steps(browser: Browser, address: str, name: str, largest: bool = False) -> list[float]:
    """Milliseconds of work for each step of a slider, or of the arrow keys if `name` is "keys".

    `largest`: in a table of 512 by 512.
    """
    page = browser.new_page()
    page.goto(address)
    page.locator(".om-explorer").first.scroll_into_view_if_needed()
    page.locator(".om-live .ex-reading").first.wait_for()
    if largest:
        for other in ("d_model", "positions"):
            page.locator(f".om-explorer input[name={other}]").press("End")
    busy = list(page.evaluate(MOVE, [name, STEPS]))
    page.close()
    return busy


def sliders(browser: Browser, address: str) -> list[str]:
    """The names of the sliders of the page's first explorer, and "keys" if it takes arrow keys."""
    page = browser.new_page()
    page.goto(address)
    page.locator(".om-explorer").first.scroll_into_view_if_needed()
    page.locator(".om-live .ex-reading").first.wait_for()
    explorer = page.locator(".om-explorer").first
    names = explorer.locator("input[type=range]").evaluate_all("all => all.map((s) => s.name)")
    if explorer.locator(".ex-canvas[tabindex], .ex-word").count():
        names.append("keys")
    page.close()
    return list(names)


def main() -> None:
    site = ROOT / "_build" / "site"
    with (
        Server(("127.0.0.1", 0), partial(Handler, directory=str(site))) as server,
        sync_playwright() as playwright,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = launched(playwright)
        base = f"http://127.0.0.1:{server.server_port}/"
        print(f"Chromium {browser.version}, {ROUNDS} loads, {STEPS} steps of each slider\n")

        print("first visit                       kB   requests")
        for path in ("index.html", CHAPTER):
            size, requests = transferred(browser, base + path)
            print(f"{path:<30}{size / 1000:>6.1f}{requests:>11}")

        times = sorted(first_picture(browser, base + CHAPTER) for _ in range(ROUNDS))
        print(f"\nfirst explorer picture: median {statistics.median(times):.0f} ms", end="")
        print(f" ({times[0]:.0f} to {times[-1]:.0f})\n")

        phone = [on_a_slow_phone(browser, base + CHAPTER) for _ in range(ROUNDS)]
        print("on a slow phone, ms           median    least")
        for name, values in zip(
            ("text", "first explorer picture"), zip(*phone, strict=True), strict=True
        ):
            print(f"{name:<28}{statistics.median(values):>8.0f}{min(values):>9.0f}")
        print()

        print("work for a step, ms                                    median    p95")

        def report(where: str, name: str, busy: list[float]) -> None:
            p95 = statistics.quantiles(busy, n=20)[-1]
            print(f"{where:<40}{name:<12}{statistics.median(busy):>9.2f}{p95:>7.2f}")

        for path in sorted((site / "chapters").glob("[0-9]*.html")):
            address = f"{base}chapters/{path.name}"
            for name in sliders(browser, address):
                report(path.stem, name, steps(browser, address, name))
        for name in ("base", "positions", "position"):
            report("02, up to 512 × 512", name, steps(browser, base + CHAPTER, name, largest=True))
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
