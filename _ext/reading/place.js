// The reader's place. The browser itself comes back to it, since a page is as high as it was: what was
// open is open again, and who follows a link into a card finds it open. The section that was read last
// is what the front page goes on with.
(() => {
  const { kept, keep, root, here } = window.omKept;
  const article = document.querySelector("article");
  if (!article) return;

  // --- What is open ---

  const folded = [...article.querySelectorAll("details")];
  const [entry] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  const before = entry?.type === "navigate" ? [] : JSON.parse(sessionStorage.getItem(`om-unfolded-${here}`) ?? "[]");
  folded.forEach((one, n) => {
    one.open ||= before.includes(n);
  });
  addEventListener("pagehide", () => {
    const open = folded.flatMap((one, n) => (one.open ? n : []));
    sessionStorage.setItem(`om-unfolded-${here}`, JSON.stringify(open));
  });

  // What the address names is seen, though it was shut
  function unfold() {
    const named = document.getElementById(location.hash.slice(1));
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const shut = document.querySelectorAll("details:not([open])");
    const around = [...shut].filter(
      (one) => one.contains(named) || one === named?.querySelector(":scope > details.om-fold"),
    );
    for (const one of around) one.open = true;
    if (around.length) named.scrollIntoView({ behavior: "instant" });
  }
  unfold();
  addEventListener("hashchange", unfold);

  // --- What is being read: the section a third of a window below the top ---

  function note() {
    const { left, width } = article.getBoundingClientRect();
    const inside = document.elementFromPoint(left + width / 2, innerHeight / 3)?.closest("section");
    const heading = inside?.querySelector(":scope > :is(h2, h3)");
    const section = heading ? { id: inside.id, section: words(heading) } : { id: "", section: "" };
    keep("place", { page: here, title: words(article.querySelector("h1")), ...section });
  }
  function words(heading) {
    const copy = heading.cloneNode(true);
    copy.querySelectorAll(".headerlink, .katex-mathml").forEach((part) => part.remove());
    return copy.textContent.trim();
  }
  let soon;
  const later = () => {
    clearTimeout(soon);
    soon = setTimeout(note, 150);
  };
  if (/^chapters\/\d/.test(here)) {
    later();
    addEventListener("scroll", later, { passive: true });
    addEventListener("click", note, true); // before a link leads away
  }

  // --- "Go on with …" in the place of the link to the start ---

  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = article.querySelectorAll('a[href="chapters/00-start-here.html"]');
  const start = [...links].find((link) => !link.closest("ol"));
  const { page: last, title, section: part, id } = kept("place");
  if (!["", "index.html"].includes(here) || !start || !title) return;
  start.href = root.href + last + (id ? `#${id}` : "");
  start.textContent = `Go on with ${part ? `${title}: ${part}` : title}`;
  const after = (start.closest("strong") ?? start).nextSibling;
  if (after instanceof Text) after.data = ""; // it speaks of the start
})();
