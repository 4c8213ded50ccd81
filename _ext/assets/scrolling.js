// A section that waits with its layout asks for no fonts, and its formulas would be laid out anew
// when they come: so they are asked for at once, in the shapes that the page has.
(() => {
  const FONTS = {
    ".katex": "1em KaTeX_Main", ".mathnormal": "italic 1em KaTeX_Math", ".mathbf": "bold 1em KaTeX_Main",
    ".size1, .small-op": "1em KaTeX_Size1", ".size2, .large-op": "1em KaTeX_Size2",
    ".amsrm, .mathbb": "1em KaTeX_AMS",
  };
  for (const [shape, font] of Object.entries(FONTS))
    if (document.querySelector(`.katex ${shape}, ${shape}.katex`)) document.fonts.load(font).catch(() => {});
})();

// What scrolls sideways in its own box must be reachable by keyboard; what does not scroll must not
// be one more tab stop.
(() => {
  const BOXES = {
    pre: "Code", "div.math": "Formula", ".om-figure": "Figure", ".pst-scrollable-table-container": "Table",
  };
  const all = [...document.querySelectorAll(Object.keys(BOXES))];
  const seen = new Set(); // boxes that have been laid out; measuring the others forces that

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
  document.fonts.addEventListener("loadingdone", () => check([...seen])); // formulas got wider

  // The sections that the reader has not come to yet, one at a time, when there is nothing to do
  const sections = new Map();
  for (const box of all) {
    const section = box.closest(".bd-article > section > section");
    sections.set(section, [...(sections.get(section) ?? []), box]);
  }
  const groups = [...sections.values()];
  const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 50));
  const next = () => {
    const waiting = groups.shift()?.filter((box) => !seen.has(box));
    if (!waiting) return;
    check(waiting);
    idle(next);
  };
  addEventListener("load", () => idle(next));
})();
