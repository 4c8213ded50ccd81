// Searches while the reader types, in a dialog or on the page search.html. The library, the engine and the index
// are loaded when the reader opens the search. They are classic scripts, because a page from disk cannot fetch.
(() => {
  const root = document.documentElement.dataset.content_root ?? "";
  const EXCERPT = 170; // characters
  const SHOWN = 12; // results

  const make = window.omMake;
  const load = (name) =>
    new Promise((onload, failed) => {
      const src = `${root}_static/search/${name}.js`;
      document.head.append(make("script", { src, onload, onerror: () => failed(new Error(name)) }));
    });
  let ready;
  const loadEngine = () =>
    (ready ??= Promise.all(["library", "engine", "index"].map(load)).then(() =>
      omSearchEngine.start(MiniSearch, omSearchIndex),
    ));

  // Return the sections that answer a query, best first
  window.omSearch = async (query) => (await loadEngine()).search(query);

  // --- Results ---

  const WORD = /([\p{L}\p{N}_]+(?:[.,]\d+)*)/gu;
  const termsByWord = new Map(); // kept, because most words are shown again after the next key
  function isMatch(word, matches) {
    if (!termsByWord.has(word)) termsByWord.set(word, omSearchEngine.terms(word));
    return termsByWord.get(word).some((term) => matches.has(term));
  }

  // Split `text` into nodes, with each word that matches in <mark>
  const markMatches = (text, matches) =>
    text.split(WORD).map((part, n) => (n % 2 && isMatch(part, matches) ? make("mark", {}, part) : part));

  // Return the part of `text` with the most matches, from a word's beginning to a word's end
  function excerpt(text, matches) {
    const matched = [...text.matchAll(WORD)].filter(([word]) => isMatch(word, matches));
    const countNear = (first) => {
      const close = matched.filter(({ index }) => index >= first.index && index < first.index + EXCERPT - 30);
      return { at: first.index, words: new Set(close.map(([word]) => word.toLowerCase())).size };
    };
    const [best] = matched.map(countNear).sort((a, b) => b.words - a.words);
    const from = best?.at > 40 ? text.lastIndexOf(" ", best.at - 40) + 1 : 0;
    const to = from + EXCERPT < text.length ? text.lastIndexOf(" ", from + EXCERPT) : text.length;
    return `${from ? "… " : ""}${text.slice(from, to)}${to < text.length ? " …" : ""}`;
  }

  const line = (className, ...parts) => make("span", { className }, ...parts);
  function makeResult({ address, page, title, text, words }) {
    const lines = [line("om-search-title", ...markMatches(title, words))];
    if (page) lines.unshift(line("om-search-page", page));
    if (text) lines.push(line("om-search-text", ...markMatches(excerpt(text, words), words)));
    return make("li", {}, make("a", { href: root + address }, ...lines));
  }

  function summary(count, missing) {
    let results = count ? `${count} result${count > 1 ? "s" : ""}` : "Nothing found";
    if (count > SHOWN) results = `The best ${SHOWN} of ${results}`;
    if (!missing.length) return count ? results : `${results}.`;
    return `${results}. No page has ${missing.map((word) => `“${word}”`).join(" or ")}.`;
  }

  // Return a function that shows the results for the text in `input`. The results of an earlier key are dropped if
  // they come after those of a later one.
  function follow(input, list, status) {
    let lastQuery = "";
    return async () => {
      const query = (lastQuery = input.value.trim());
      let sections = [],
        missing = [];
      try {
        if (query) [sections, missing] = [await window.omSearch(query), (await loadEngine()).missing(query)];
      } catch (error) {
        status.textContent = "The search index could not be loaded.";
        console.error("Search does not work:", error);
        return;
      }
      if (query !== lastQuery) return;
      // A result that has the focus keeps it, by its rank, when later letters change the list.
      const rank = [...list.querySelectorAll("a")].indexOf(document.activeElement);
      list.replaceChildren(...sections.slice(0, SHOWN).map(makeResult));
      if (rank >= 0) (list.querySelectorAll("a")[rank] ?? input).focus();
      list.parentElement.scrollTop = 0;
      status.textContent = query ? summary(sections.length, missing) : "";
    };
  }

  // --- The dialog ---

  const MARKUP = `<form role="search"><label class="om-hidden" for="om-search-input">Search the course</label>
    <input id="om-search-input" type="text" placeholder="Search the course" autocomplete="off"
      autocapitalize="off" spellcheck="false" enterkeyhint="search">
    <button type="button" class="om-search-close" aria-label="Close the search">×</button></form>
    <p class="om-search-status" role="status"></p>
    <div class="om-search-scroll"><ul class="om-search-results"></ul></div>`;
  let dialog;

  function makeDialog() {
    dialog = make("dialog", { className: "om-search", ariaLabel: "Search", innerHTML: MARKUP });
    document.body.append(dialog);
    const input = dialog.querySelector("input"),
      list = dialog.querySelector("ul");
    const update = follow(input, list, dialog.querySelector(".om-search-status"));
    const close = () => dialog.close();
    input.addEventListener("input", update);
    dialog.querySelector("button").addEventListener("click", close);
    dialog.addEventListener("click", ({ target }) => {
      // a click beside the dialog or on a result closes it
      if (target === dialog || target.closest("a")) close();
    });
    dialog.querySelector("form").addEventListener("submit", async (event) => {
      event.preventDefault();
      await update();
      list.querySelector("a")?.click();
    });
    dialog.addEventListener("keydown", (event) => move(event, input, [...list.querySelectorAll("a")]));
  }

  function move(event, input, links) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const stops = [input, ...links];
      stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
    } else if (event.key.length === 1 && !hasCommandKey(event) && document.activeElement.matches("a")) {
      input.focus(); // so that the letter continues the query
    }
  }
  const hasCommandKey = ({ ctrlKey, metaKey, altKey }) => ctrlKey || metaKey || altKey;

  function open() {
    if (!dialog) makeDialog();
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("input").select();
    loadEngine().catch(() => {}); // follow() reports an error
  }

  const isWriting = ({ target }) => target.isContentEditable || target.matches?.("input, select, textarea");
  addEventListener(
    "keydown",
    (event) => {
      const shortcut = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
      if (!shortcut && (event.key !== "/" || isWriting(event) || hasCommandKey(event))) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      open();
    },
    true,
  );
  document.querySelector(".om-open-search").addEventListener("click", open);

  // --- The page ---

  /** @type {HTMLFormElement} */
  const form = document.querySelector("#om-search-page");
  if (!form) return;
  const update = follow(form.q, document.getElementById("search-results"), form.nextElementSibling);
  form.q.value = new URLSearchParams(location.search).get("q") ?? "";
  form.q.addEventListener("input", update);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `?${new URLSearchParams({ q: form.q.value })}`);
    update();
  });
  update();
  form.q.focus();
})();
