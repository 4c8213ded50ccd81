// What scrolls sideways in its own box must be reachable by keyboard; what does not scroll must not
// be one more tab stop.
(() => {
  const BOXES = { pre: "Code", "div.math": "Formula", ".om-table": "Table" };
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

  // A section that waits asks for no fonts, and its formulas would be laid out anew when they come: so
  // they are asked for at once, in the shapes that the page has.
  const FONTS = {
    katex: "1em KaTeX_Main", mathnormal: "italic 1em KaTeX_Math", mathbf: "bold 1em KaTeX_Main",
    amsrm: "1em KaTeX_AMS", mathbb: "1em KaTeX_AMS", mathsf: "1em KaTeX_SansSerif",
    "small-op": "1em KaTeX_Size1", "delimsizing size1": "1em KaTeX_Size1", "delim-size1": "1em KaTeX_Size1",
    "large-op": "1em KaTeX_Size2", "delimsizing size2": "1em KaTeX_Size2",
    "delimsizing size3": "1em KaTeX_Size3",
    "delimsizing size4": "1em KaTeX_Size4", "delim-size4": "1em KaTeX_Size4",
  };
  for (const [shape, font] of Object.entries(FONTS))
    if (document.getElementsByClassName(shape).length) document.fonts.load(font);
})();
