// Shows the card of a term, a citation or a formula beside its link: on hover, on focus and on the first
// tap. Escape closes it. The cards are popovers in the page; a formula's card is a copy of the formula.
(() => {
  const LINKS = "a.om-term, a.om-cite, a.om-formula";
  if (!HTMLElement.prototype.showPopover) return; // the links still work
  let link,
    card,
    timer,
    frame,
    touch = false;

  function cardOf(a) {
    if (!a.matches(".om-formula")) return document.getElementById(a.getAttribute("aria-describedby"));
    const formula = a.getAttribute("href").startsWith("#") && document.querySelector(a.hash);
    if (!formula) return null; // the formula is on another page
    const copy = window.omMake("div", { className: "om-card", popover: "manual", innerHTML: formula.innerHTML });
    copy.dataset.copy = "";
    document.body.append(copy);
    return copy;
  }

  function hide() {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    card?.hidePopover();
    if (card && "copy" in card.dataset) card.remove();
    link = card = undefined;
  }

  function show(a) {
    clearTimeout(timer);
    if (a === link) return;
    hide();
    card = cardOf(a);
    if (!card) return;
    link = a;
    card.showPopover();
    place();
  }

  // Put the card below its link, or above where there is no room, and always inside the window. This runs
  // in each frame, because a page also moves without scrolling, when the browser lays out a section late.
  function place() {
    const [first] = link.getClientRects(),
      { top, bottom } = link.getBoundingClientRect();
    if (!first) return hide();
    const width = document.documentElement.clientWidth,
      { offsetWidth: w, offsetHeight: h } = card;
    const below = bottom + 6,
      fits = below + h <= innerHeight - 8 || top < h + 14;
    card.style.left = `${Math.max(8, Math.min(first.left, width - w - 8))}px`;
    card.style.top = `${fits ? below : top - h - 6}px`;
    frame = requestAnimationFrame(place);
  }

  const later = (what, wait) => {
    clearTimeout(timer);
    timer = setTimeout(what, wait);
  };

  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType === "touch" || !target.closest) return;
    const a = target.closest(LINKS);
    if (a) later(() => show(a), link ? 0 : 150);
    else if (target.closest(".om-card"))
      clearTimeout(timer); // a reader may move the pointer into the card
    else later(() => link !== document.activeElement && hide(), 250);
  });
  document.addEventListener("focusin", ({ target }) => {
    if (target.matches(LINKS) && target.matches(":focus-visible")) show(target);
    else hide();
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  document.addEventListener("pointerdown", ({ target, pointerType }) => {
    touch = pointerType === "touch";
    if (!target.closest(`${LINKS}, .om-card`)) hide();
  });
  // The first tap shows the card, the second one follows the link
  document.addEventListener("click", (event) => {
    const a = event.target.closest(LINKS);
    if (!a || a === link) return hide();
    if (!touch) return;
    show(a);
    if (link) event.preventDefault();
  });
})();
