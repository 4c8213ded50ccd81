// Puts a tick beside each page that the reader has read, in the menu and on the front page's path.
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

  // Add a checkbox at the end of the page. What the reader sets by hand stays.
  function addCheckbox(article) {
    const input = window.omMake("input", { type: "checkbox" });
    const text = " I have read this page (remembered by this browser alone)";
    article.append(window.omMake("label", { className: "om-read" }, input, text));
    const setRead = (isRead) => {
      keep("read", { [here]: isRead });
      keep("seen", { [here]: undefined });
      input.checked = Boolean(read()[here]);
      tick();
    };
    input.checked = Boolean(read()[here]);
    input.addEventListener("change", () => setRead(input.checked));
    if (read()[here] === undefined) watch(article, setRead);
  }

  // A block counts as read after a second on the screen, and a high block after a second for each screen of its
  // height. A section counts when four fifths of its blocks do, and the page when four fifths of its sections
  // do, on one day or several.
  function watch(article, setRead) {
    const sections = [...article.querySelectorAll(":scope > section > section")];
    const areMost = (items, isDone) => items.length > 0 && items.filter(isDone).length >= 0.8 * items.length;
    const blocks = new Map(sections.map((section) => [section, blocksOf(section)]));
    const shares = new Map(), // the share of its time that each block has had
      visibleSections = new Set();
    const readSections = new Set([].concat(kept("seen")[here] ?? []));
    // Only the sections are observed, since a browser looks at everything that is observed in each frame of a picture
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) visibleSections[isIntersecting ? "add" : "delete"](target);
    });
    for (const section of sections) observer.observe(section);
    const isVisible = (block) => {
      const { top, bottom, width } = block.getBoundingClientRect();
      return width > 0 && bottom >= 0 && top <= innerHeight;
    };
    const timer = setInterval(() => {
      if (document.hidden) return;
      if (read()[here] !== undefined) return stop();
      const visibleBlocks = [...visibleSections].flatMap((section) => blocks.get(section)).filter(isVisible);
      for (const block of visibleBlocks) {
        const duration = 1000 * Math.max(1, block.offsetHeight / innerHeight); // milliseconds
        shares.set(block, (shares.get(block) ?? 0) + BEAT / duration);
      }
      const newSections = sections.filter(
        (section) => !readSections.has(section.id) && areMost(blocks.get(section), (block) => shares.get(block) >= 1),
      );
      if (!newSections.length) return;
      newSections.forEach(({ id }) => readSections.add(id));
      keep("seen", { [here]: [...readSections] });
      if (!areMost(sections, ({ id }) => readSections.has(id))) return;
      stop();
      setRead(true);
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
  if (article && here.startsWith("chapters/")) addCheckbox(article);
})();
