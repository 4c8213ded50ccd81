// The filter of the audit: its claims by words, by page and by verdict, kept in the address.
(() => {
  const lists = [...document.querySelectorAll(".om-claims")];
  const total = document.querySelectorAll(".om-claims details").length;
  /** @type {HTMLFormElement} */
  const form = document.querySelector(".om-filter");
  const [status, all] = /** @type {HTMLCollectionOf<HTMLElement>} */ (form.lastElementChild.children);
  const plain = (text) => text.toLowerCase().replaceAll("−", "-");
  const texts = new Map(); // filled when somebody searches

  // What the row says, without the code of its check
  function text(row) {
    if (!texts.has(row)) {
      const parts = [...row.querySelectorAll("summary, p:not(:last-child)")];
      texts.set(row, plain(parts.map((part) => part.textContent).join(" ")));
    }
    return texts.get(row);
  }

  const asked = () =>
    new URLSearchParams(/** @type {[string, string][]} */ ([...new FormData(form)]).filter(([, value]) => value));

  function show() {
    const wanted = asked(),
      page = wanted.get("page"),
      verdicts = wanted.getAll("verdict");
    const words = plain(wanted.get("words") ?? "")
      .split(/\s+/)
      .filter(Boolean);
    let count = 0;
    for (const list of lists) {
      let some = false;
      for (const row of list.querySelectorAll("details")) {
        const fits =
          (!page || page === list.dataset.page) &&
          (!verdicts.length || verdicts.includes(row.dataset.verdict)) &&
          words.every((word) => text(row).includes(word));
        row.hidden = !fits;
        some ||= fits;
        if (fits) count++;
      }
      list.closest("section").hidden = !some;
    }
    all.hidden = !wanted.size;
    status.textContent = wanted.size ? `${count} of ${total} claims` : `${total} claims`;
  }

  function keep() {
    const query = asked().size ? `?${asked()}` : "";
    history.replaceState(null, "", `${location.pathname}${query}#${form.closest("section").id}`);
  }

  // Who follows a link to a claim sees it, whatever the filter says
  function reveal() {
    const target = document.querySelector("article [hidden] :target, article [hidden]:target");
    if (!target) return;
    form.reset();
    show();
    const row = target.closest("details");
    if (row) row.open = true;
    target.scrollIntoView();
  }

  form.addEventListener("input", show);
  form.addEventListener("change", keep); // not at each letter: browsers allow only so many a minute
  form.addEventListener("submit", (event) => event.preventDefault());
  all.addEventListener("click", () => {
    form.reset();
    show();
    keep();
    form.elements.words.focus();
  });
  addEventListener("hashchange", reveal);
  addEventListener("load", () => {
    reveal();
    // Chromium does not always come to a target in sections that wait with their layout
    if (!scrollY) document.querySelector(".om-claims :target")?.scrollIntoView();
  });

  const given = new URLSearchParams(location.search);
  form.elements.words.value = given.get("words") ?? "";
  form.elements.page.value = given.get("page") ?? "";
  for (const box of form.elements.verdict) box.checked = given.getAll("verdict").includes(box.value);
  if (asked().size) show();
})();
