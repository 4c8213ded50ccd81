// Runs the parts around the text: the button for light or dark, the contents, and the buttons that copy code.
(() => {
  /** @type {(selector: string, within?: ParentNode) => any} */
  const find = (selector, within = document) => within.querySelector(selector);
  const root = document.documentElement.dataset,
    dark = matchMedia("(prefers-color-scheme: dark)");

  // The page is light or dark as the system is, until the reader chooses otherwise. A choice that agrees with
  // the system is not kept, so that the page follows the system again.
  function show() {
    const system = dark.matches ? "dark" : "light";
    root.theme = root.mode === "auto" ? system : root.mode;
    find(".om-theme").setAttribute("aria-label", root.theme === "dark" ? "Light" : "Dark");
  }
  function start() {
    find(".om-theme").addEventListener("click", () => {
      const other = root.theme === "dark" ? "light" : "dark";
      root.mode = other === (dark.matches ? "dark" : "light") ? "auto" : other;
      localStorage.setItem("mode", root.mode);
      show();
    });
    dark.addEventListener("change", show);
    show();

    /** @type {HTMLElement} */
    const contents = find("#contents");
    contents.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("a") && contents.matches(":popover-open")) contents.hidePopover();
    });
    const centreCurrent = () => centreInList(find(".om-menu .current a", contents));
    centreCurrent();
    contents.addEventListener("toggle", centreCurrent);
    const showHeading = showPlaceInBar();
    showHeading();
    markCurrentSection(contents, showHeading);
    if (navigator.clipboard)
      document
        .querySelectorAll("article div.highlight")
        .forEach((box) => box.closest(".cell_output") ?? addCopyButton(box));
  }

  // On a phone the bar shows the current section once the title has scrolled away, above a line that grows as the
  // reader goes down the page. Return a function that shows the heading of a link.
  /** @returns {(link?: HTMLAnchorElement) => void} */
  function showPlaceInBar() {
    /** @type {HTMLElement} */
    const bar = find(".om-top");
    const line = bar.appendChild(document.createElement("i"));
    /** @type {HTMLElement} */
    const place = find(".om-spot", bar);
    const title = find("article h1");
    line.className = "om-line";
    const updateLine = () => {
      const page = document.documentElement;
      if (line.offsetParent) line.style.scale = `${scrollY / (page.scrollHeight - innerHeight) || 0} 1`;
    };
    if (title)
      new IntersectionObserver(
        ([{ isIntersecting, boundingClientRect }]) => {
          bar.classList.toggle("om-away", !isIntersecting && boundingClientRect.top < 0);
          updateLine(); // a jump may send no other scroll event
        },
        { rootMargin: "-56px 0px 0px 0px" },
      ).observe(title);
    addEventListener("scroll", updateLine, { passive: true });
    return (link) => {
      const heading = link?.textContent ?? title?.firstChild.textContent.replace(/^\d+\. /, "") ?? "";
      place.textContent = [place.dataset.chapter, heading].filter(Boolean).join(" · ");
      place.setAttribute("aria-label", `Contents. You are at ${place.textContent}`);
    };
  }

  // Mark the current section in the list of sections. At the end of the page that is the last one, which may
  // be too short to reach the top of the window.
  /** @type {(contents: HTMLElement, showHeading: (link?: HTMLAnchorElement) => void) => void} */
  function markCurrentSection(contents, showHeading) {
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const sectionLinks = contents.querySelectorAll(".om-toc a");
    const links = new Map([...sectionLinks].map((a) => [a.hash.slice(1), a]));
    const sections = [...links.keys()].map((id) => document.getElementById(id)).filter((section) => section !== null);
    const visibleSections = new Set();
    /** @type {HTMLElement | undefined} */
    let here;
    /** @param {HTMLElement | undefined} section */
    const linkTo = (section) => section && links.get(section.id);
    function mark() {
      const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
      const now = isAtEnd ? sections.at(-1) : sections.findLast((section) => visibleSections.has(section));
      if (now === here) return;
      here = now;
      centreInList(linkTo(here) ?? links.values().next().value);
      showHeading(linkTo(here));
      for (const [id, link] of links) {
        link.classList.toggle("om-here", id === here?.id);
        if (id === here?.id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) visibleSections[isIntersecting ? "add" : "delete"](target);
        mark();
      },
      { rootMargin: "-20% 0px -75% 0px" },
    );
    sections.forEach((section) => observer.observe(section));
    addEventListener("scroll", mark, { passive: true });
  }

  // Scroll a list that is longer than the window to a link in it
  /** @param {HTMLElement | null | undefined} link */
  function centreInList(link) {
    const list = link?.offsetParent; // which is null while the contents are closed
    if (list) list.scrollTop = link.offsetTop - list.clientHeight / 2;
  }

  // Add a button that copies code without its prompts, and without the output between prompts
  /** @param {Element} box */
  function addCopyButton(box) {
    const button = window.omMake("button", { type: "button", className: "om-copy" }, "copy");
    button.setAttribute("aria-label", "Copy this code");
    button.addEventListener("click", async () => {
      /** @type {string[]} */
      const lines = find("pre", box).textContent.trimEnd().split("\n");
      const prompt = /^(>>> |\.\.\. |\$ )/,
        inputs = lines.filter((line) => prompt.test(line));
      const text = (inputs.length ? inputs : lines).map((line) => line.replace(prompt, "")).join("\n");
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
      button.dataset.done = "";
      setTimeout(() => {
        button.textContent = "copy";
        delete button.dataset.done;
      }, 1500);
    });
    box.append(button);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
