// Puts TeX in place of the formulas when somebody copies text. KaTeX writes the signs of a formula twice, as MathML
// and as HTML, and a browser would copy both, sign by sign.
(() => {
  /** @param {Node} node */
  const formulaAround = (node) => (node instanceof Element ? node : node.parentElement)?.closest(".katex");

  // Return the range that is selected, extended to whole formulas at its ends, because half a formula has no TeX
  /** @param {Selection} selection */
  function selectedRange(selection) {
    const range = selection.getRangeAt(0).cloneRange();
    const [first, last] = [range.startContainer, range.endContainer].map(formulaAround);
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
    return range;
  }

  /** @param {HTMLElement} copy */
  function replaceFormulas(copy) {
    for (const formula of copy.querySelectorAll(".katex")) {
      const tex = formula.querySelector("annotation")?.textContent;
      const mark = formula.parentElement?.matches(".katex-display") ? "$$" : "$";
      if (tex) formula.replaceWith(mark + tex + mark);
    }
  }

  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea");
    if (!selection || !event.clipboardData || selection.isCollapsed || isTyping) return;
    /** @type {HTMLElement} */
    const copy = window.omMake("div", {}, selectedRange(selection).cloneContents());
    if (!copy.querySelector(".katex")) return;
    replaceFormulas(copy);
    copy.querySelectorAll(".headerlink, button").forEach((part) => part.remove());
    // The copy must be in the page, because innerText breaks lines only in an element that is laid out
    Object.assign(copy.style, { position: "fixed", top: "0", opacity: "0", pointerEvents: "none" });
    document.body.append(copy);
    event.clipboardData.setData("text/plain", copy.innerText);
    copy.removeAttribute("style");
    // Links get full addresses, because a relative one would lead elsewhere from the place where this is pasted
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const links = copy.querySelectorAll("a[href]");
    for (const link of links) link.setAttribute("href", link.href);
    event.clipboardData.setData("text/html", copy.innerHTML);
    copy.remove();
    event.preventDefault();
  });
})();
