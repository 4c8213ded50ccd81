// Search as you type, in the theme's search dialog. Sphinx's search tools and the index (most of
// the site's text) are loaded when the reader reaches for the search, not with every page.
(() => {
  const root = document.documentElement.dataset.content_root;
  const scripts = ["_static/language_data.js", "_static/searchtools.js", "searchindex.js"];
  let loading;

  const load = () => loading ??= Promise.all(scripts.map((path) => new Promise((done, failed) => {
    const script = document.createElement("script");
    script.async = false; // in this order
    script.onload = done;
    script.onerror = () => failed(new Error(path));
    script.src = root + path;
    document.head.append(script);
  })));

  function find(query) {
    const results = Search._performSearch(...Search._parseQuery(query)).reverse().slice(0, 20);
    return results.map(([page, title, anchor]) => {
      const link = document.createElement("a"), item = document.createElement("li");
      link.href = root + page + DOCUMENTATION_OPTIONS.LINK_SUFFIX + anchor;
      link.innerHTML = title; // Sphinx has escaped it
      item.append(link);
      return item;
    });
  }

  function start() {
    const dialog = document.getElementById("pst-search-dialog");
    const input = dialog?.querySelector("input");
    if (location.pathname.endsWith("/search.html")) // that page has them already
      return document.querySelector("main form.bd-search input, form.bd-search input")?.select();
    if (!input) return;
    const status = document.createElement("p"), list = document.createElement("ul");
    status.className = "om-search-status";
    status.setAttribute("role", "status");
    list.className = "om-search-results";
    dialog.append(status, list);

    // Sphinx's tools empty every field of this name when they start; the reader is typing in it
    function ready() {
      if (!loading) input.removeAttribute("name");
      return load().finally(() => { input.name = "q"; });
    }

    async function show() {
      const query = input.value.trim();
      try {
        await ready();
      } catch (error) {
        status.textContent = "The search index could not be loaded.";
        console.error("Search does not work:", error);
        return;
      }
      if (query !== input.value.trim()) return; // a later key is on its way
      const found = query ? find(query) : [];
      list.replaceChildren(...found);
      status.textContent = query
        ? found.length ? `${found.length} result${found.length > 1 ? "s" : ""}` : "Nothing found."
        : "";
    }
    let timer;
    input.addEventListener("focus", () => ready().catch(() => {})); // show() reports it
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(show, 120);
    });
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
