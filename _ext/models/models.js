// The table of models: sorted by a column, filtered by words, kind and scheme; kept in the address.
(() => {
  /** @type {HTMLFormElement} */
  const form = document.querySelector(".om-models-filter");
  /** @type {HTMLTableElement} */
  const table = document.querySelector(".om-models table");
  const body = table.tBodies[0],
    rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const [status, all] = /** @type {HTMLCollectionOf<HTMLElement>} */ (form.lastElementChild.children);
  const KIND = 2,
    POSITIONS = 3;
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
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

  function asked() {
    const found = new URLSearchParams(
      /** @type {[string, string][]} */ ([...new FormData(form)]).filter(([, value]) => value),
    );
    if (column >= 0) found.set("sort", (down ? "-" : "") + heads[column].textContent.toLowerCase());
    return found;
  }

  function show() {
    const { words, kind, scheme } = form.elements;
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const fits =
        (!kind.value || cell(row, KIND) === kind.value) &&
        cell(row, POSITIONS).includes(scheme.value) &&
        wanted.every((word) => texts.get(row).includes(word));
      row.hidden = !fits;
      if (fits) count++;
    }
    const some = count < rows.length;
    const total = rows.length;
    status.textContent = some ? `${count} of ${total} models` : `${total} models`;
    all.hidden = !asked().size;
  }

  function keep() {
    const query = asked().size ? `?${asked()}` : "";
    history.replaceState(null, "", `${location.pathname}${query}${location.hash}`);
  }

  heads.forEach((head, nth) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      down = column === nth && !down;
      column = nth;
      sort();
      show();
      keep();
    });
  });
  form.addEventListener("input", show);
  form.addEventListener("change", keep); // not at each letter: browsers allow only so many a minute
  form.addEventListener("submit", (event) => event.preventDefault());
  all.addEventListener("click", () => {
    form.reset();
    column = -1;
    sort();
    show();
    keep();
    form.elements.words.focus();
  });

  const given = new URLSearchParams(location.search);
  for (const name of ["words", "kind", "scheme"]) form.elements[name].value = given.get(name) ?? "";
  const by = given.get("sort") ?? "";
  down = by.startsWith("-");
  column = heads.findIndex((head) => head.textContent.toLowerCase() === by.replace("-", ""));
  sort();
  show();
})();
