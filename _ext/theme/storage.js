// Keeps a few records by name in the browser's storage, and sends them nowhere. A browser may refuse to store
// anything; then nothing is kept, and everything else on the page works.
window.omKept = (() => {
  /** @param {string} key */
  const isOurs = (key) => key.startsWith("om-") || ["mode", "theme"].includes(key);
  const root = new URL(document.documentElement.dataset.content_root ?? "", location.href);
  let canWrite = true;

  /** @type {(record: string) => Values} */
  function kept(record) {
    try {
      const value = JSON.parse(localStorage.getItem(`om-${record}`) ?? "null");
      return value instanceof Object ? value : {};
    } catch {
      return {};
    }
  }
  // Read the record again before writing it, because the course may be open in two tabs
  /** @type {(record: string, change: Values) => void} */
  function keep(record, change) {
    try {
      if (canWrite) localStorage.setItem(`om-${record}`, JSON.stringify({ ...kept(record), ...change }));
    } catch {
      /* the browser refuses, or its storage is full */
    }
  }
  // Remove everything, and write nothing more until the next page, so that no script of this page brings it back
  function forget() {
    canWrite = false;
    for (const storage of [localStorage, sessionStorage])
      Object.keys(storage)
        .filter(isOurs)
        .forEach((key) => storage.removeItem(key));
  }

  // Older pages kept answers and reviews under a question's version as well, as in
  // "02-the-formula one_row 1a2b3c4d". Move them to the question. The last of several wins, and a point stays.
  for (const record of ["answers", "reviews"]) {
    /** @type {Values} */
    const moved = {};
    for (const [key, entry] of Object.entries(kept(record))) {
      const [, question, version] = /^(\S+ \S+) ([0-9a-f]{8})$/.exec(key) ?? ["", key];
      const point = moved[question]?.got;
      moved[question] = { ...entry, ...(version && { version }), ...(point && { got: point }) };
      if (version) moved[key] = undefined;
    }
    if (Object.values(moved).includes(undefined)) keep(record, moved);
  }

  /** @param {string} address */
  const name = (address) => new URL(address, location.href).pathname.slice(root.pathname.length);
  return { kept, keep, forget, root, name, here: name(location.href) };
})();
