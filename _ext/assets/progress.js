// What has been read, and where the reader was last: kept in this browser, told to nobody. A browser
// that keeps nothing shows nothing.
(() => {
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  const name = (address) => new URL(address, location.href).pathname.slice(root.pathname.length);
  const here = name(location.href);

  function kept() {
    try { return JSON.parse(localStorage.getItem("om-reading")) ?? {}; } catch { return {}; }
  }
  function keep(change) {
    try { localStorage.setItem("om-reading", JSON.stringify({ ...kept(), ...change })); } catch { /* not kept */ }
  }

  // A tick beside every link of the menu and of the path that leads to a page that was read
  function tick() {
    const { read = {} } = kept();
    for (const link of document.querySelectorAll(".om-menu a[href], #the-path ol a[href]")) {
      const done = Boolean(read[name(link.href)]);
      if (done === Boolean(link.querySelector(".om-tick"))) continue;
      if (!done) link.querySelector(".om-tick").remove();
      else link.insertAdjacentHTML("beforeend", ' <span class="om-tick" role="img" aria-label="(read)">✓</span>');
    }
  }

  function start() {
    tick();
    const article = document.querySelector("article");
    if (here.startsWith("chapters/")) chapter(article);
    else if (!here || here === "index.html") front(article);
  }

  // A box at the end of a chapter: ticked by itself when its last section comes on the screen
  function chapter(article) {
    keep({ last: here, title: document.querySelector("h1").firstChild.textContent.trim() });
    const box = Object.assign(document.createElement("input"), { type: "checkbox" });
    const label = document.createElement("label");
    label.className = "om-read";
    label.append(box, " I have read this page (remembered by this browser alone)");
    article.append(label);
    const set = (read) => {
      keep({ read: { ...kept().read, [here]: read } });
      box.checked = Boolean(kept().read?.[here]);
      tick();
    };
    const said = kept().read?.[here];
    box.checked = Boolean(said);
    box.addEventListener("change", () => { end.disconnect(); set(box.checked); });
    const end = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      end.disconnect();
      set(true);
    });
    if (said === undefined) end.observe(label); // a tick that was taken away stays away
  }

  // "Go on with …" in the place of "Start with chapter 0"
  function front(article) {
    const { last, title } = kept(), link = article.querySelector('p > a[href="chapters/00-start-here.html"]');
    if (!last || !title || !link) return;
    link.href = root.href + last;
    link.textContent = `Go on with ${title}`;
    link.nextSibling.textContent = ", where you were last, or choose from the path below.";
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
