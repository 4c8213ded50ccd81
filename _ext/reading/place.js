// Keeps the reader's place, for each entry of the browser's history (so for a reload and for Back), and as
// the section to go on with from the front page.
//
// A number of pixels is no place, because the browser guesses the height of sections that it has not laid out,
// and explorers and fonts come later. The place is therefore a block of the text and its distance from the top
// of the window. While the parts above find their height, the block is held there.
(() => {
  const { kept, keep, root, here } = window.omKept;
  const page = document.documentElement;
  const article = document.querySelector("article");
  if (!article) return;
  const folded = [...article.querySelectorAll("details")];

  // --- Where the reader is ---

  // The path to the block that reaches below a line near the top: the index of a child, of its child, and so on.
  // Only blocks on the screen are measured, because measuring others would force their layout.
  function path(line) {
    const steps = [];
    for (let inside = article; inside; ) {
      const at = [...inside.children].findIndex((child) => child.getBoundingClientRect().bottom > line);
      steps.push(at < 0 ? inside.children.length - 1 : at);
      const block = /** @type {HTMLElement} */ (inside.children[steps.at(-1)]);
      inside = block.matches("section") || tall(block) ? block : null;
    }
    return steps;
  }
  const tall = (block) =>
    block.matches("div:not(.om-explorer), ul, ol, dl, details") &&
    block.offsetHeight > innerHeight &&
    block.children.length;
  const blockAt = (steps) => steps.reduce((inside, at) => inside?.children[at], article);
  const padding = () => parseFloat(getComputedStyle(page).scrollPaddingTop) || 0;

  // The history holds a name for each entry, and the tab's storage its place, because a browser drops what a
  // page writes into the history while it is being left.
  let entry;
  function enter() {
    entry = history.state?.entry ?? String(Math.random());
    history.replaceState({ ...history.state, entry }, "");
  }
  let place; // when something moved last
  function measure() {
    const steps = path(padding() + 1);
    place = [steps, blockAt(steps).getBoundingClientRect().top, folded.flatMap((one, n) => (one.open ? n : []))];
  }
  function write() {
    sessionStorage.setItem(`om-place-${entry}`, JSON.stringify(place));
    if (/^chapters\/\d/.test(here))
      keep("place", { page: here, title: words(article.querySelector("h1")), ...section() });
  }
  function save() {
    measure();
    write();
  }
  const saved = () => JSON.parse(sessionStorage.getItem(`om-place-${entry}`)) ?? [];

  // The section that is being read, a third of the window below the top
  function section() {
    const inside = blockAt(path(innerHeight / 3)).closest("section");
    const heading = inside?.querySelector("h2, h3");
    return heading?.parentElement === inside ? { id: inside.id, section: words(heading) } : { id: "", section: "" };
  }
  function words(heading) {
    const copy = heading.cloneNode(true);
    copy.querySelectorAll(".headerlink, .katex-mathml").forEach((part) => part.remove());
    return copy.textContent.trim();
  }

  // --- Going there ---

  let held = null; // scrolls the page to where it belongs, until the reader moves it
  let top, height; // the page's scroll position and height after that

  function hold(aim) {
    held = aim;
    page.style.overflowAnchor = held ? "none" : ""; // the browser would hold another block, and move this one
    aim?.();
    [top, height] = [scrollY, page.scrollHeight];
  }
  const release = () => {
    if (held) hold(null);
  };

  function arrive() {
    const [steps, offset, unfolded] = saved();
    const block = steps && blockAt(steps);
    let named;
    try {
      named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      /* the address has no valid name */
    }
    if (block) {
      unfolded.forEach((n) => {
        if (folded[n]) folded[n].open = true;
      });
      hold(() => scrollBy({ top: block.getBoundingClientRect().top - offset, behavior: "instant" }));
    } else if (named) {
      /** @type {HTMLDetailsElement | null} */
      const own = named.querySelector(":scope > details.om-fold"); // of a card
      for (let one = own ?? named.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
      // The browser reveals what waits for a guess only after this, and scrolls nowhere then
      named.closest("[hidden]")?.dispatchEvent(new Event("beforematch"));
      hold(() => named.scrollIntoView({ behavior: "instant" }));
    } else return false;
    return true;
  }

  // Parts above may grow after the last scrolling, and move the block
  new ResizeObserver(() => {
    if (held) hold(held);
    else saveSoon();
  }).observe(article);
  for (const hand of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(hand, release, { passive: true, capture: true });

  // Measure at once, while everything is laid out, and write when there is time
  let soon;
  const saveSoon = () => {
    measure();
    soon ??= setTimeout(() => {
      soon = null;
      save();
    }, 150);
  };
  // A page moves by itself when something grows, and while it loads, when the browser follows the address. Any
  // other scrolling is the reader's, with the scroll bar, for which there is no event of its own.
  let loaded = false;
  addEventListener("load", () =>
    setTimeout(() => {
      loaded = true;
    }, 500),
  );
  addEventListener(
    "scroll",
    () => {
      if (held && Math.abs(scrollY - top) > 1) hold(loaded && page.scrollHeight === height ? null : held);
      saveSoon();
    },
    { passive: true },
  );

  history.scrollRestoration = "manual";
  enter();
  arrive();
  saveSoon();
  addEventListener("popstate", () => {
    enter();
    if (!arrive()) hold(() => scrollTo({ top: 0, behavior: "instant" }));
  });
  addEventListener("click", save, true); // before a link leads away
  addEventListener("toggle", saveSoon, true);
  // Write the last measurement, but do not measure again: a page that is being left may be laid out anew, some
  // lines higher
  addEventListener("pagehide", () => {
    if (soon) write();
  });

  // --- "Go on with …" in the place of the link to the start ---

  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = article.querySelectorAll('a[href="chapters/00-start-here.html"]');
  const start = [...links].find((link) => !link.closest("ol"));
  const { page: last, title, section: part, id } = kept("place");
  if (!["", "index.html"].includes(here) || !start || !title) return;
  start.href = root.href + last + (id ? `#${id}` : "");
  start.textContent = `Go on with ${part ? `${title}: ${part}` : title}`;
  const after = (start.closest("strong") ?? start).nextSibling;
  if (after instanceof Text) after.data = ""; // the text after the link speaks of the start
})();
