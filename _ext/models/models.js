// The table of models: sorted by a column, filtered by words, kind and scheme; kept in the address.
(() => {
  /** @type {HTMLFormElement} */
  const form = document.querySelector(".om-models-filter");
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

  function sort() {
    body.append(...(column < 0 ? rows : [...rows].sort(compare)));
    heads.forEach((head, nth) => {
      if (nth === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  }

  const filter = window.omFilter(form, {
    rows,
    name: "models",
    text: (row) => row.textContent,
    fits: (row, wanted) =>
      [row.cells[KIND].textContent.trim(), null].includes(wanted.get("kind")) &&
      cell(row, POSITIONS).includes(wanted.get("scheme") ?? ""),
    more: () => (column < 0 ? [] : [["sort", (down ? "-" : "") + heads[column].textContent.toLowerCase()]]),
  });

  heads.forEach((head, nth) => {
    const button = window.omMade("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      down = column === nth && !down;
      column = nth;
      sort();
      filter.show();
      filter.keep();
    });
  });
  form.addEventListener("reset", () => {
    column = -1;
    sort();
  });

  const by = new URLSearchParams(location.search).get("sort") ?? "";
  down = by.startsWith("-");
  column = heads.findIndex((head) => head.textContent.toLowerCase() === by.replace("-", ""));
  sort();
  filter.show();
})();
