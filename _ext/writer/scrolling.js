// Makes boxes that scroll sideways reachable by keyboard. A box that does not scroll gets no tab stop.
(() => {
  const BOXES = { pre: "Code", "div.math": "Formula", ".om-table": "Table" };
  /** @type {Set<Element>} */
  const laidOutBoxes = new Set(); // only these are measured, because measuring others would force their layout

  /** @param {Element[]} boxes */
  function check(boxes) {
    boxes.forEach((box) => laidOutBoxes.add(box));
    const widths = boxes.map((box) => ({ box, scrolls: box.scrollWidth > box.clientWidth + 1 }));
    for (const { box, scrolls } of widths) {
      const name = Object.entries(BOXES).find(([selector]) => box.matches(selector))?.[1] ?? "";
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

  const resizeObserver = new ResizeObserver((entries) => check(entries.map((entry) => entry.target)));
  /** @param {ParentNode} part */
  const watch = (part) =>
    part.querySelectorAll(Object.keys(BOXES).join()).forEach((box) => resizeObserver.observe(box));
  watch(document);
  window.omScrolling = watch; // other scripts call it for the parts that they add
  document.fonts.addEventListener("loadingdone", () => check([...laidOutBoxes])); // formulas may be wider now

  // Now that each section has had a layout, the browser may skip those off the screen
  addEventListener("load", async () => {
    await document.fonts.ready;
    (window.requestIdleCallback ?? setTimeout)(() => document.querySelector("article")?.classList.add("om-settled"));
  });
})();
