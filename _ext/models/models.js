// The table of models: sorted by a column, filtered by words, kind and scheme; kept in the address.
(() => {
  /** @type {HTMLFormElement} */
  const form = document.querySelector(".om-models-filter");
  const [status, all] = /** @type {HTMLCollectionOf<HTMLElement>} */ (form.lastElementChild.children);
  /** @type {HTMLTableElement} */
  const table = document.querySelector(".om-models table");
  const body = table.tBodies[0],
    rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const KIND = 2,
    POSITIONS = 3;
  let column = -1,
    down = false;

  const cell = (row, nth) => row.cells[nth].textContent.trim().replace(/^–$/, "");

  // The first number of a cell; names and words by their letters; what is empty or unknown comes last
  function compare(a, b) {
    const [x, y] = [cell(a, column), cell(b, column)];
    if (!x || !y) return Number(!x) - Number(!y);
    const [n, m] = [x, y].map((text) => parseFloat(text.replaceAll(",", "")));
    const order = Number.isNaN(n) || Number.isNaN(m) ? x.localeCompare(y, "en") : n - m;
    return down ? -order : order;
  }

  const plain = (said) => said.toLowerCase().replaceAll("−", "-");
  function fits(row, wanted) {
    const text = plain(row.textContent),
      words = plain(wanted.get("words") ?? "").split(/\s+/);
    return (
      [cell(row, KIND), null].includes(wanted.get("kind")) &&
      cell(row, POSITIONS).includes(wanted.get("scheme") ?? "") &&
      words.every((word) => text.includes(word))
    );
  }

  function asked() {
    /** @type {any[]} */
    const fields = [...new FormData(form)];
    if (column >= 0) fields.push(["sort", (down ? "-" : "") + heads[column].textContent.toLowerCase()]);
    return new URLSearchParams(fields.filter(([, value]) => value));
  }
  function show() {
    const wanted = asked();
    body.append(...(column < 0 ? rows : [...rows].sort(compare)));
    heads.forEach((head, nth) => {
      if (nth === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    for (const row of rows) row.hidden = !fits(row, wanted);
    const count = rows.filter((row) => !row.hidden).length;
    status.textContent = count < rows.length ? `${count} of ${rows.length} models` : `${count} models`;
    all.hidden = !wanted.size;
  }
  function keep() {
    const query = asked().size ? `?${asked()}` : "";
    history.replaceState(null, "", `${location.pathname}${query}${location.hash}`);
  }

  form.addEventListener("input", show);
  form.addEventListener("change", keep); // not at each letter: browsers allow only so many a minute
  form.addEventListener("submit", (event) => event.preventDefault());
  all.addEventListener("click", () => {
    form.reset();
    column = -1;
    show();
    keep();
    form.elements.words.focus();
  });
  heads.forEach((head, nth) => {
    const button = window.omMade("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      down = column === nth && !down;
      column = nth;
      show();
      keep();
    });
  });

  const given = new URLSearchParams(location.search),
    by = given.get("sort") ?? "";
  for (const name of ["words", "kind", "scheme"]) form.elements[name].value = given.get(name) ?? "";
  down = by.startsWith("-");
  column = heads.findIndex((head) => head.textContent.toLowerCase() === by.replace("-", ""));
  show();
})();
