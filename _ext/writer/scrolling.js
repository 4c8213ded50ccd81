// Makes boxes that scroll sideways reachable by keyboard. A box that does not scroll is no tab stop.
(() => {
  const BOXES = { pre: "Code", "div.math": "Formula", ".om-table": "Table" };
  const seen = new Set(); // boxes that have been laid out, since measuring others would force their layout

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
  window.omScrolling = watch; // for parts that a script adds
  document.fonts.addEventListener("loadingdone", () => check([...seen])); // formulas may be wider now

  // Now that each section has had a layout, the browser may skip those off the screen
  addEventListener("load", async () => {
    await document.fonts.ready;
    (window.requestIdleCallback ?? setTimeout)(() => document.querySelector("article").classList.add("om-settled"));
  });
})();
