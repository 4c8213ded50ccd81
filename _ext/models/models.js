// Sorts the table of models, and filters it by words, model kind and position scheme. The address keeps the settings.
(() => {
  /** @type {(selector: string) => any} */
  const find = (selector) => document.querySelector(selector);
  /** @type {HTMLFormElement} */
  const form = find(".om-models-filter");
  /** @type {HTMLElement[]} */
  const [status, all] = find(".om-models-filter > :last-child").children;
  /** @type {HTMLTableElement} */
  const table = find(".om-models table");
  const body = table.tBodies[0],
    rows = [...body.rows];
  const heads = [...table.rows[0].cells];
  const KIND = 2,
    POSITIONS = 3;
  let column = -1,
    down = false;

  /** @type {(row: HTMLTableRowElement, nth: number) => string} */
  const cell = (row, nth) => row.cells[nth].textContent.trim().replace(/^–$/, "");

  // Compare two rows by the numbers that begin their cells, or else alphabetically. Empty cells come last.
  /** @type {(a: HTMLTableRowElement, b: HTMLTableRowElement) => number} */
  function compare(a, b) {
    const [x, y] = [cell(a, column), cell(b, column)];
    if (!x || !y) return Number(!x) - Number(!y);
    const [n, m] = [x, y].map((text) => parseFloat(text.replaceAll(",", "")));
    const order = Number.isNaN(n) || Number.isNaN(m) ? x.localeCompare(y, "en") : n - m;
    return down ? -order : order;
  }

  /** @param {string} text */
  const simplify = (text) => text.toLowerCase().replaceAll("−", "-");
  /** @type {(row: HTMLTableRowElement, query: URLSearchParams) => boolean} */
  function matches(row, query) {
    const text = simplify(row.textContent),
      words = simplify(query.get("words") ?? "").split(/\s+/);
    return (
      [cell(row, KIND), null].includes(query.get("kind")) &&
      cell(row, POSITIONS).includes(query.get("scheme") ?? "") &&
      words.every((word) => text.includes(word))
    );
  }

  // Return the filter and the sort order as query parameters, which are kept in the page's address.
  function readQuery() {
    /** @type {any[]} */
    const fields = [...new FormData(form)];
    if (column >= 0) fields.push(["sort", (down ? "-" : "") + heads[column].textContent.toLowerCase()]);
    return new URLSearchParams(fields.filter(([, value]) => value));
  }
  function show() {
    const query = readQuery();
    body.append(...(column < 0 ? rows : [...rows].sort(compare)));
    heads.forEach((head, nth) => {
      if (nth === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    for (const row of rows) row.hidden = !matches(row, query);
    const count = rows.filter((row) => !row.hidden).length;
    status.textContent = count < rows.length ? `${count} of ${rows.length} models` : `${count} models`;
    all.hidden = !query.size;
  }
  function keepInAddress() {
    const query = readQuery();
    const search = query.size ? `?${query}` : "";
    history.replaceState(null, "", `${location.pathname}${search}${location.hash}`);
  }

  form.addEventListener("input", show);
  form.addEventListener("change", keepInAddress); // not on "input", as browsers limit address changes
  form.addEventListener("submit", (event) => event.preventDefault());
  all.addEventListener("click", () => {
    form.reset();
    column = -1;
    show();
    keepInAddress();
    form.elements.words.focus();
  });
  heads.forEach((head, nth) => {
    const button = window.omMake("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      down = column === nth && !down;
      column = nth;
      show();
      keepInAddress();
    });
  });

  const query = new URLSearchParams(location.search),
    order = query.get("sort") ?? "";
  for (const name of ["words", "kind", "scheme"]) form.elements[name].value = query.get(name) ?? "";
  down = order.startsWith("-");
  column = heads.findIndex((head) => head.textContent.toLowerCase() === order.replace("-", ""));
  show();
})();
