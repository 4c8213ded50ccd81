// The audit's claims by words, by page and by verdict.
(() => {
  /** @type {HTMLFormElement} */
  const form = document.querySelector(".om-filter");
  const lists = [...document.querySelectorAll(".om-claims")];
  /** @type {HTMLElement[]} */
  const rows = [...document.querySelectorAll(".om-claims details")];

  const filter = window.omFilter(form, {
    rows,
    name: "claims",
    // without the code of its check
    text: (row) => [...row.querySelectorAll("summary, p:not(:last-child)")].map((part) => part.textContent).join(" "),
    fits: (row, wanted) =>
      [row.closest(".om-claims").dataset.page, null].includes(wanted.get("page")) &&
      (!wanted.has("verdict") || wanted.getAll("verdict").includes(row.dataset.verdict)),
    shown: () => {
      for (const list of lists) list.closest("section").hidden = !list.querySelector("details:not([hidden])");
    },
    place: () => `#${form.closest("section").id}`,
  });

  // Who follows a link to a claim sees it, whatever the filter says
  function reveal() {
    const target = document.querySelector("article [hidden] :target, article [hidden]:target");
    if (!target) return;
    form.reset();
    filter.show();
    const row = target.closest("details");
    if (row) row.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  addEventListener("load", reveal);
  if (filter.asked().size) filter.show();
})();
