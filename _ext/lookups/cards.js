// Shows the card of a term, a citation or a formula beside its link: on hover, on focus and on the first
// tap. Escape closes it. The cards are popovers in the page; a formula's card is a copy of the formula.
(() => {
  const LINKS = "a.om-term, a.om-cite, a.om-formula";
  if (!HTMLElement.prototype.showPopover) return; // the links still work
  /** @type {HTMLAnchorElement | undefined} */
  let link;
  /** @type {HTMLElement | undefined | null} */
  let card;
  let timer = 0,
    frame = 0,
    touch = false;

  /** @type {(a: HTMLAnchorElement) => HTMLElement | null} */
  function cardOf(a) {
    if (!a.matches(".om-formula")) return document.getElementById(a.getAttribute("aria-describedby") ?? "");
    const formula = a.getAttribute("href")?.startsWith("#") && document.querySelector(a.hash);
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

  /** @param {HTMLAnchorElement} a */
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
    if (!link || !card) return;
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

  /** @type {(what: () => void, wait: number) => void} */
  const later = (what, wait) => {
    clearTimeout(timer);
    timer = window.setTimeout(what, wait);
  };

  // Return the element of an event: the document, for example, is none
  /** @param {EventTarget | null} target */
  const elementOf = (target) => (target instanceof Element ? target : undefined);
  /** @type {(target: EventTarget | null) => HTMLAnchorElement | null | undefined} */
  const linkAround = (target) => elementOf(target)?.closest(LINKS);

  document.addEventListener("pointerover", ({ target, pointerType }) => {
    const element = elementOf(target);
    if (pointerType === "touch" || !element) return;
    const a = linkAround(element);
    if (a) later(() => show(a), link ? 0 : 150);
    else if (element.closest(".om-card"))
      clearTimeout(timer); // a reader may move the pointer into the card
    else later(() => link !== document.activeElement && hide(), 250);
  });
  document.addEventListener("focusin", ({ target }) => {
    const a = linkAround(target);
    if (a && a === target && a.matches(":focus-visible")) show(a);
    else hide();
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  document.addEventListener("pointerdown", ({ target, pointerType }) => {
    touch = pointerType === "touch";
    if (!elementOf(target)?.closest(`${LINKS}, .om-card`)) hide();
  });
  // The first tap shows the card, the second one follows the link
  document.addEventListener("click", (event) => {
    const a = linkAround(event.target);
    if (!a || a === link) return hide();
    if (!touch) return;
    show(a);
    if (link) event.preventDefault();
  });
})();
