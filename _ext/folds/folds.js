// Remembers which cards of one line are open, and marks the exercises that were answered. It runs before
// place.js, which measures the page.
(() => {
  const { kept, keep, here } = window.omKept;
  /** @type {NodeListOf<HTMLDetailsElement>} */
  const cards = document.querySelectorAll("details.om-fold");
  /** @type {string[]} */
  const none = [];
  const open = new Set(none.concat(kept("open")[here] ?? []));
  /** @param {Element} card */
  const id = (card) => card.parentElement?.id ?? "";

  for (const card of cards) {
    card.open ||= open.has(id(card));
    card.addEventListener("toggle", () => {
      const now = [...cards].filter((other) => other.open).map(id);
      keep("open", { [here]: now.length ? now : undefined });
    });
  }
  function tick() {
    const answers = kept("answers");
    for (const card of cards) {
      /** @type {HTMLElement | null} */
      const form = card.querySelector("form.om-quiz");
      const summary = card.firstElementChild;
      if (form?.dataset.key && summary) window.omTick(summary, answers[form.dataset.key]?.got, "(answered)");
    }
  }
  document.addEventListener("om-answered", tick);
  tick();
})();
