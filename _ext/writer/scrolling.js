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

  // A section that waits asks for no fonts, and its formulas would be laid out anew when they come: so
  // they are asked for at once, in the shapes that the page has.
  const FONTS = {
    katex: "1em KaTeX_Main",
    mathnormal: "italic 1em KaTeX_Math",
    mathbf: "bold 1em KaTeX_Main",
    amsrm: "1em KaTeX_AMS",
    mathbb: "1em KaTeX_AMS",
    mathsf: "1em KaTeX_SansSerif",
    "small-op": "1em KaTeX_Size1",
    "delimsizing size1": "1em KaTeX_Size1",
    "delim-size1": "1em KaTeX_Size1",
    "large-op": "1em KaTeX_Size2",
    "delimsizing size2": "1em KaTeX_Size2",
    "delimsizing size3": "1em KaTeX_Size3",
    "delimsizing size4": "1em KaTeX_Size4",
    "delim-size4": "1em KaTeX_Size4",
  };
  const fonts = Promise.allSettled(
    Object.entries(FONTS)
      .filter(([shape]) => document.getElementsByClassName(shape).length)
      .map(([, font]) => document.fonts.load(font)),
  );

  // How high the sections are that the reader has not come to yet, one at a time, when there is
  // nothing to do: the room that they were told is a guess (_ext/writer/heights.py). From the last one on,
  // so that a section comes after those in it.
  const sections = [...document.querySelectorAll(".om-article > section section")];
  const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 50));
  const next = () => {
    const section = sections.pop();
    if (!section) return;
    const { top } = section.getBoundingClientRect();
    if (top > innerHeight) {
      // one above would move what is being read
      const blocks = /** @type {HTMLCollectionOf<HTMLElement>} */ (section.children);
      const last = [...blocks].findLast((child) => child.offsetHeight);
      if (last) {
        // in a shut card nothing has a height
        const space = parseFloat(getComputedStyle(last).marginBottom);
        const height = last.getBoundingClientRect().bottom + space - top;
        section.style.containIntrinsicBlockSize = `auto ${height}px`;
      }
    }
    idle(next);
  };
  addEventListener("load", () => fonts.then(() => idle(next)));
})();
