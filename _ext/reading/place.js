// Keeps the reader's place: for each entry of the browser's history, so that a reload and Back return to it, and
// as the section from which the front page lets a reader go on.
//
// A number of pixels would not do, because the browser guesses the height of sections that it has not laid out,
// and explorers and fonts come later. The place is therefore a block of the text and its distance from the top
// of the window. While the parts above it get their height, the page scrolls so that the block stays there.
(() => {
  const { kept, keep, root, name, here } = window.omKept;
  const page = document.documentElement;
  const article = document.querySelector("article");
  if (!article) return;
  const folds = [...article.querySelectorAll("details")];

  // --- Where the reader is ---

  // Return the path to the block that reaches below a line near the top: the index of a child, of its child, and so
  // on. Only blocks on the screen are measured, because measuring others would force their layout.
  function findPath(line) {
    const steps = [];
    for (let inside = article; inside; ) {
      const at = [...inside.children].findIndex((child) => child.getBoundingClientRect().bottom > line);
      steps.push(at < 0 ? inside.children.length - 1 : at);
      const block = /** @type {HTMLElement} */ (inside.children[steps.at(-1)]);
      inside = block.matches("section") || isTall(block) ? block : null;
    }
    return steps;
  }
  const isTall = (block) =>
    block.matches("div:not(.om-explorer), ul, ol, dl, details") &&
    block.offsetHeight > innerHeight &&
    block.children.length;
  const blockAt = (steps) => steps.reduce((inside, at) => inside?.children[at], article);
  const readPadding = () => parseFloat(getComputedStyle(page).scrollPaddingTop) || 0;

  // The history has only a name for each entry, and the tab's storage has the place, because a browser drops what
  // a page writes into the history while the reader leaves it.
  let entry;
  function nameEntry() {
    entry = history.state?.entry ?? String(Math.random());
    history.replaceState({ ...history.state, entry }, "");
  }
  let place; // as it was measured when something moved last
  function measure() {
    const steps = findPath(readPadding() + 1);
    place = [steps, blockAt(steps).getBoundingClientRect().top, folds.flatMap((fold, n) => (fold.open ? n : []))];
  }
  function write() {
    sessionStorage.setItem(`om-place-${entry}`, JSON.stringify(place));
    if (/^chapters\/\d/.test(here))
      keep("place", { page: here, title: readHeading(article.querySelector("h1")), ...findSection() });
  }
  function save() {
    measure();
    write();
  }
  const readSaved = () => JSON.parse(sessionStorage.getItem(`om-place-${entry}`)) ?? [];

  // Return the section that the reader is in, which is the one a third of the window below the top
  function findSection() {
    const inside = blockAt(findPath(innerHeight / 3)).closest("section");
    const heading = inside?.querySelector("h2, h3");
    return heading?.parentElement === inside
      ? { id: inside.id, section: readHeading(heading) }
      : { id: "", section: "" };
  }
  function readHeading(heading) {
    const copy = heading.cloneNode(true);
    copy.querySelectorAll(".headerlink, .katex-mathml").forEach((part) => part.remove());
    return copy.textContent.trim();
  }

  // --- Going there ---

  let restore = null; // the function that scrolls the page to its place, until the reader moves the page
  let top, height; // the page's scroll position and height after that

  function hold(scrollToPlace) {
    restore = scrollToPlace;
    page.style.overflowAnchor = restore ? "none" : ""; // the browser's own anchor is another block, and moves this one
    scrollToPlace?.();
    [top, height] = [scrollY, page.scrollHeight];
  }
  const release = () => {
    if (restore) hold(null);
  };

  function arrive() {
    const [steps, offset, openFolds] = readSaved();
    const block = steps && blockAt(steps);
    let target;
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      /* the address has no valid name */
    }
    if (block) {
      openFolds.forEach((n) => {
        if (folds[n]) folds[n].open = true;
      });
      hold(() => scrollBy({ top: block.getBoundingClientRect().top - offset, behavior: "instant" }));
    } else if (target) {
      /** @type {HTMLDetailsElement | null} */
      const ownFold = target.querySelector(":scope > details.om-fold"); // a card has one
      for (let fold = ownFold ?? target.closest("details"); fold; fold = fold.parentElement.closest("details"))
        fold.open = true;
      // The browser would reveal what waits for a guess only later, and then it would not scroll there
      target.closest("[hidden]")?.dispatchEvent(new Event("beforematch"));
      hold(() => target.scrollIntoView({ behavior: "instant" }));
    } else return false;
    return true;
  }

  // Parts above the block may grow after the last scrolling, and move it
  new ResizeObserver(() => {
    if (restore) hold(restore);
    else saveSoon();
  }).observe(article);
  for (const gesture of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(gesture, release, { passive: true, capture: true });

  // Measure at once, while everything is laid out, and write when there is time
  let timer;
  const saveSoon = () => {
    measure();
    timer ??= setTimeout(() => {
      timer = null;
      save();
    }, 150);
  };
  // A page moves by itself when something grows, and while it loads, when the browser follows the address. Any
  // other scrolling is the reader's, with the scroll bar, for which there is no event of its own.
  let isLoaded = false;
  addEventListener("load", () =>
    setTimeout(() => {
      isLoaded = true;
    }, 500),
  );
  addEventListener(
    "scroll",
    () => {
      if (restore && Math.abs(scrollY - top) > 1) hold(isLoaded && page.scrollHeight === height ? null : restore);
      saveSoon();
    },
    { passive: true },
  );

  history.scrollRestoration = "manual";
  nameEntry();
  arrive();
  saveSoon();
  addEventListener("popstate", () => {
    nameEntry();
    if (!arrive()) hold(() => scrollTo({ top: 0, behavior: "instant" }));
  });
  addEventListener("click", save, true); // a link may lead away from the page
  addEventListener("toggle", saveSoon, true);
  // Write the last measurement, but do not measure again, because a browser may lay out a page anew, some lines
  // higher, while the reader leaves it
  addEventListener("pagehide", () => {
    if (timer) write();
  });

  // --- "Go on with …" in the place of the link to the start ---

  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = article.querySelectorAll('a[href="chapters/00-start-here.html"]');
  const start = [...links].find((link) => !link.closest("ol"));
  const { page: last, title, section: part, id } = kept("place");
  if (!["", "index.html"].includes(here) || !start || !title) return;
  start.href = root.href + last + (id ? `#${id}` : "");
  start.textContent = `Go on with ${part ? `${title}: ${part}` : title}`;
  // The text after the link speaks of the start. In its place stand the minutes that the path gives for this chapter.
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const path = document.querySelectorAll("#the-path ol a");
  const onPath = [...path].find((link) => name(link.href) === last);
  const minutes = onPath?.closest("li").querySelector("em")?.textContent,
    button = start.closest("strong") ?? start;
  while (button.nextSibling && !(button.nextSibling instanceof HTMLAnchorElement)) button.nextSibling.remove();
  button.after(minutes ? ` The whole chapter takes ${minutes}. ` : " ");
})();
