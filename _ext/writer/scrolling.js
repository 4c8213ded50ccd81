// What scrolls sideways in its own box must be reachable by keyboard; what does not scroll must not
// be one more tab stop.
(() => {
  const BOXES = { pre: "Code", "div.math": "Formula", ".om-table": "Table" };
  const seen = new Set(); // boxes that have been laid out; measuring the others forces that

  function check(boxes) {
    boxes.forEach((box) => seen.add(box));
    const widths = boxes.map((box) => [box, box.scrollWidth > box.clientWidth + 1]);
    for (const [box, scrolls] of widths) {
      const name = Object.entries(BOXES).find(([selector]) => box.matches(selector))[1];
      for (const [key, value] of [
        ["tabindex", "0"],
        ["role", "group"],
        ["aria-label", name],
      ]) {
        if (scrolls) box.setAttribute(key, value);
        else box.removeAttribute(key);
      }
    }
  }

  const resized = new ResizeObserver((entries) => check(entries.map((entry) => entry.target)));
  const watch = (part) => part.querySelectorAll(Object.keys(BOXES).join()).forEach((box) => resized.observe(box));
  watch(document);
  window.omScrolling = watch; // for what comes later
  document.fonts.addEventListener("loadingdone", () => check([...seen])); // formulas got wider

  // Sections may wait with their layout now that each had one
  addEventListener("load", async () => {
    await document.fonts.ready;
    (window.requestIdleCallback ?? setTimeout)(() => document.querySelector("article").classList.add("om-settled"));
  });
})();
