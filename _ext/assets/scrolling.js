// What scrolls sideways in its own box must be reachable by keyboard; what does not scroll must not
// be one more tab stop. The theme sees to code and tables; formulas and figures are left.
(() => {
  function update() {
    for (const box of document.querySelectorAll("div.math, .om-figure")) {
      const scrolls = box.scrollWidth > box.clientWidth + 1;
      for (const [name, value] of [
        ["tabindex", "0"], ["role", "group"], ["aria-label", box.matches(".math") ? "Formula" : "Figure"],
      ]) {
        if (scrolls) box.setAttribute(name, value);
        else box.removeAttribute(name);
      }
    }
  }
  let pending = 0;
  addEventListener("load", update); // widths are known when style and fonts are there
  addEventListener("resize", () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(update);
  });
})();
