// Runs what stands around the text: light or dark, the contents, and the buttons that copy code.
(() => {
  const root = document.documentElement.dataset,
    dark = matchMedia("(prefers-color-scheme: dark)");

  // The page is light or dark as the system is, until the reader chooses otherwise. A choice that agrees with
  // the system is not kept, so that the page follows the system again.
  function show() {
    const system = dark.matches ? "dark" : "light";
    root.theme = root.mode === "auto" ? system : root.mode;
    document.querySelector(".om-theme").setAttribute("aria-label", root.theme === "dark" ? "Light" : "Dark");
  }
  function start() {
    document.querySelector(".om-theme").addEventListener("click", () => {
      const other = root.theme === "dark" ? "light" : "dark";
      root.mode = other === (dark.matches ? "dark" : "light") ? "auto" : other;
      localStorage.setItem("mode", root.mode);
      show();
    });
    dark.addEventListener("change", show);
    show();

    const contents = document.getElementById("contents");
    contents.addEventListener("click", ({ target }) => {
      if (target.closest("a") && contents.matches(":popover-open")) contents.hidePopover();
    });
    centre(contents.querySelector(".om-menu .current a"));
    contents.addEventListener("toggle", () => centre(contents.querySelector(".om-menu .current a")));
    const tell = spot();
    tell();
    follow(contents, tell);
    if (navigator.clipboard)
      document.querySelectorAll("article div.highlight").forEach((box) => box.closest(".cell_output") ?? copyable(box));
  }

  // On a phone the bar names the current section once the title has scrolled away, above a line that grows
  function spot() {
    const bar = document.querySelector(".om-top"),
      line = bar.appendChild(document.createElement("i"));
    /** @type {HTMLElement} */
    const place = bar.querySelector(".om-spot");
    const title = document.querySelector("article h1");
    line.className = "om-line";
    const grow = () => {
      const page = document.documentElement;
      if (line.offsetParent) line.style.scale = `${scrollY / (page.scrollHeight - innerHeight) || 0} 1`;
    };
    if (title)
      new IntersectionObserver(
        ([{ isIntersecting, boundingClientRect }]) => {
          bar.classList.toggle("om-away", !isIntersecting && boundingClientRect.top < 0);
          grow(); // after a jump nothing else scrolls
        },
        { rootMargin: "-56px 0px 0px 0px" },
      ).observe(title);
    addEventListener("scroll", grow, { passive: true });
    return (link) => {
      const heading = link?.textContent ?? title?.firstChild.textContent.replace(/^\d+\. /, "") ?? "";
      place.textContent = [place.dataset.chapter, heading].filter(Boolean).join(" · ");
      place.setAttribute("aria-label", `Contents. You are at ${place.textContent}`);
    };
  }

  // Mark the current section in the list of sections. At the end of the page that is the last one, which may
  // be too short to reach the top of the window.
  function follow(contents, tell) {
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const listed = contents.querySelectorAll(".om-toc a");
    const links = new Map([...listed].map((a) => [a.hash.slice(1), a]));
    const sections = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
    const seen = new Set();
    let here;
    function mark() {
      const ended = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
      const now = ended ? sections.at(-1) : sections.findLast((section) => seen.has(section));
      if (now === here) return;
      here = now;
      centre(links.get(here?.id) ?? links.values().next().value);
      tell(links.get(here?.id));
      for (const [id, link] of links) {
        link.classList.toggle("om-here", id === here?.id);
        if (id === here?.id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) seen[isIntersecting ? "add" : "delete"](target);
        mark();
      },
      { rootMargin: "-20% 0px -75% 0px" },
    );
    sections.forEach((section) => observer.observe(section));
    addEventListener("scroll", mark, { passive: true });
  }

  // Scroll a list that is longer than the window to a link in it
  function centre(link) {
    const list = link?.offsetParent; // none while the contents are closed
    if (list) list.scrollTop = link.offsetTop - list.clientHeight / 2;
  }

  // Add a button that copies code without its prompts, and without the output between prompts
  function copyable(box) {
    const button = window.omMake("button", { type: "button", className: "om-copy" }, "copy");
    button.setAttribute("aria-label", "Copy this code");
    button.addEventListener("click", async () => {
      const lines = box.querySelector("pre").textContent.trimEnd().split("\n");
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
