// Puts a tick beside each page that has been read, in the menu and on the front page's path.
(() => {
  const { kept, keep, name, here } = window.omKept;
  const MENU = ".om-menu a[href], #the-path ol a[href]";
  const BLOCKS = ":not(section, span, noscript, script, [hidden])";
  const BEAT = 500; // milliseconds
  const read = () => kept("read");

  function tick() {
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const links = document.querySelectorAll(MENU);
    for (const link of links) window.omTick(link, read()[name(link.href)], "(read)");
  }

  // Add a box to tick at the end of the page. What the reader sets by hand stays.
  function box(article) {
    const input = window.omMake("input", { type: "checkbox" });
    const text = " I have read this page (remembered by this browser alone)";
    article.append(window.omMake("label", { className: "om-read" }, input, text));
    const set = (done) => {
      keep("read", { [here]: done });
      keep("seen", { [here]: undefined });
      input.checked = Boolean(read()[here]);
      tick();
    };
    input.checked = Boolean(read()[here]);
    input.addEventListener("change", () => set(input.checked));
    if (read()[here] === undefined) watch(article, set);
  }

  // A block counts as read after a second on the screen, and a high one after a second for each screen of its
  // height. A section counts when four fifths of its blocks do, and the page when four fifths of its sections
  // do, on one day or several.
  function watch(article, set) {
    const sections = [...article.querySelectorAll(":scope > section > section")];
    const most = (all, done) => all.length > 0 && all.filter(done).length >= 0.8 * all.length;
    const blocks = new Map(sections.map((section) => [section, blocksOf(section)]));
    const had = new Map(),
      shown = new Set(); // the share of its time that each block has had
    const seen = new Set([].concat(kept("seen")[here] ?? []));
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) shown[isIntersecting ? "add" : "delete"](target);
    });
    for (const block of [...blocks.values()].flat()) observer.observe(block);
    const timer = setInterval(() => {
      if (document.hidden) return;
      if (read()[here] !== undefined) return stop();
      for (const block of shown) {
        const wanted = 1000 * Math.max(1, block.offsetHeight / innerHeight);
        had.set(block, (had.get(block) ?? 0) + BEAT / wanted);
      }
      const fresh = sections.filter(
        (section) => !seen.has(section.id) && most(blocks.get(section), (block) => had.get(block) >= 1),
      );
      if (!fresh.length) return;
      fresh.forEach(({ id }) => seen.add(id));
      keep("seen", { [here]: [...seen] });
      if (!most(sections, ({ id }) => seen.has(id))) return;
      stop();
      set(true);
    }, BEAT);
    function stop() {
      clearInterval(timer);
      observer.disconnect();
    }
  }
  const blocksOf = (section) =>
    [...section.children].flatMap((block) =>
      block.matches("section") ? blocksOf(block) : block.matches(BLOCKS) ? block : [],
    );

  tick();
  const article = document.querySelector("article");
  if (article && here.startsWith("chapters/")) box(article);
})();
