// Copied text has its formulas as TeX. KaTeX keeps the TeX of a formula beside its signs, once as MathML
// and once as HTML, and a browser would copy both, sign by sign.
(() => {
  const formulaAround = (node) => (node instanceof Element ? node : node.parentElement)?.closest(".katex");

  // What is selected, with whole formulas at its ends: half a formula has no TeX
  function selectedRange(selection) {
    const range = selection.getRangeAt(0).cloneRange();
    const [first, last] = [range.startContainer, range.endContainer].map(formulaAround);
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
    return range;
  }

  function replaceFormulas(copy) {
    for (const formula of copy.querySelectorAll(".katex")) {
      const tex = formula.querySelector("annotation")?.textContent;
      const mark = formula.parentElement?.matches(".katex-display") ? "$$" : "$";
      if (tex) formula.replaceWith(mark + tex + mark);
    }
  }

  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (selection.isCollapsed || event.target.closest?.("input, textarea")) return;
    const copy = window.omMake("div", {}, selectedRange(selection).cloneContents());
    if (!copy.querySelector(".katex")) return;
    replaceFormulas(copy);
    copy.querySelectorAll(".headerlink, button").forEach((part) => part.remove());
    // Only what is laid out has lines
    Object.assign(copy.style, { position: "fixed", top: "0", opacity: "0", pointerEvents: "none" });
    document.body.append(copy);
    event.clipboardData.setData("text/plain", copy.innerText);
    copy.removeAttribute("style");
    // Where this is pasted, an address from here would lead elsewhere
    for (const link of copy.querySelectorAll("a[href]")) link.setAttribute("href", link.href);
    event.clipboardData.setData("text/html", copy.innerHTML);
    copy.remove();
    event.preventDefault();
  });
})();
