// Keeps a few records by name in the browser's storage, and sends them nowhere. If storage fails, nothing
// is kept, and nothing else fails.
window.omKept = (() => {
  const OURS = (key) => key.startsWith("om-") || ["mode", "theme"].includes(key);
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  let open = true;

  function kept(record) {
    try {
      const value = JSON.parse(localStorage.getItem(`om-${record}`));
      return value instanceof Object ? value : {};
    } catch {
      return {};
    }
  }
  // Read the record again before writing it, because the course may be open in two tabs
  function keep(record, change) {
    try {
      if (open) localStorage.setItem(`om-${record}`, JSON.stringify({ ...kept(record), ...change }));
    } catch {
      /* not kept */
    }
  }
  // Remove everything, and keep nothing more until the next page
  function forget() {
    open = false;
    for (const storage of [localStorage, sessionStorage])
      Object.keys(storage)
        .filter(OURS)
        .forEach((key) => storage.removeItem(key));
  }

  // Older pages kept answers and reviews under a question's version as well, as in
  // "02-the-formula one_row 1a2b3c4d". Move them to the question. The last of several wins, and a point stays.
  for (const record of ["answers", "reviews"]) {
    const moved = {};
    for (const [key, entry] of Object.entries(kept(record))) {
      const [, question, version] = /^(\S+ \S+) ([0-9a-f]{8})$/.exec(key) ?? ["", key];
      const { got } = moved[question] ?? {};
      moved[question] = { ...entry, ...(version && { version }), ...(got && { got }) };
      if (version) moved[key] = undefined;
    }
    if (Object.values(moved).includes(undefined)) keep(record, moved);
  }

  const name = (address) => new URL(address, location.href).pathname.slice(root.pathname.length);
  return { kept, keep, forget, root, name, here: name(location.href) };
})();
