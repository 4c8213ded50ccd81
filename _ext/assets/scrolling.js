// What scrolls sideways in its own box must be reachable by keyboard; what does not scroll must not
// be one more tab stop.
(() => {
  const BOXES = {
    pre: "Code", "div.math": "Formula", ".om-figure": "Figure", ".pst-scrollable-table-container": "Table",
  };
  const all = [...document.querySelectorAll(Object.keys(BOXES))];
  const seen = new Set(); // boxes that have been laid out; measuring the others would force that

  function check(boxes) {
    boxes.forEach((box) => seen.add(box));
    const widths = boxes.map((box) => [box, box.scrollWidth > box.clientWidth + 1]);
    for (const [box, scrolls] of widths) {
      const name = Object.entries(BOXES).find(([selector]) => box.matches(selector))[1];
      for (const [key, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", name]]) {
        if (scrolls) box.setAttribute(key, value);
        else box.removeAttribute(key);
      }
    }
  }

  const resized = new ResizeObserver((entries) => check(entries.map((entry) => entry.target)));
  all.forEach((box) => resized.observe(box));
  addEventListener("keydown", function tab({ key }) {
    if (key !== "Tab") return;
    removeEventListener("keydown", tab);
    check(all); // the next tab stop may lie in a section that has not been laid out
  });
  document.fonts.addEventListener("loadingdone", () => check([...seen])); // formulas got wider
})();
