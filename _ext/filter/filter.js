// The filter of a long list: its rows by words, and by what else the form asks; kept in the address.
// `fits(row, wanted)` judges all but the words, `more()` adds to what is asked, `shown()` follows.
window.omFilter = (
  form,
  { rows, name, text, fits, more = () => [], shown = () => {}, place = () => location.hash },
) => {
  const [status, all] = /** @type {HTMLCollectionOf<HTMLElement>} */ (form.lastElementChild.children);
  const plain = (said) => said.toLowerCase().replaceAll("−", "-");
  const texts = new Map(); // filled when somebody searches
  const textOf = (row) => texts.get(row) ?? texts.set(row, plain(text(row))).get(row);
  const asked = () => new URLSearchParams([...new FormData(form), ...more()].filter(([, value]) => value));

  function show() {
    const wanted = asked();
    const words = plain(wanted.get("words") ?? "")
      .split(/\s+/)
      .filter(Boolean);
    for (const row of rows) row.hidden = !(fits(row, wanted) && words.every((word) => textOf(row).includes(word)));
    const count = rows.filter((row) => !row.hidden).length;
    status.textContent = count < rows.length ? `${count} of ${rows.length} ${name}` : `${count} ${name}`;
    all.hidden = !wanted.size;
    shown();
  }
  function keep() {
    const query = asked().size ? `?${asked()}` : "";
    history.replaceState(null, "", `${location.pathname}${query}${place()}`);
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
  const given = new URLSearchParams(location.search);
  for (const field of /** @type {HTMLInputElement[]} */ ([...form.elements])) {
    if (field.type === "checkbox") field.checked = given.getAll(field.name).includes(field.value);
    else if (field.name) field.value = given.get(field.name) ?? "";
  }
  return { show, keep, asked };
};
