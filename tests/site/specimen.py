"""Assemble a page with every type of content block, taken from all pages of the built site."""

from built import PAGES
from hands import settle, wait_for_promise
from playwright.sync_api import Browser, Page, Route
from visits import open_in_new_context

ADDRESS = "chapters/specimen.html"

# Take a block if it has a new pair of parent and child elements, or a new colour in a picture.
# Load the scripts and the style sheets of all pages, too.
GATHER = """async (paths) => {
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  const article = document.querySelector("article"), met = new Set();
  const name = (e) => `${e.localName}.${[...e.classList].sort().join(".")}`;
  const kinds = (block) => [block, ...block.querySelectorAll("*")].flatMap((e) => {
    if (e.closest("svg")) {
      const colours = (e.getAttribute("style") ?? "").match(/var\\(--[\\w-]+/g) ?? [];
      return colours.map((colour) => `${e.localName} ${colour}`);
    }
    if (e.closest(".katex, pre span")) return [];
    return [`${name(e.parentElement)} > ${name(e)}`, e.dataset.kind ?? "", e.type ?? ""];
  });
  for (const one of document.querySelectorAll("[src]")) one.setAttribute("src", one.src);
  const home = article.querySelector("section");
  home.replaceChildren(home.querySelector("h1"));
  for (const path of paths) {
    const address = new URL(path, root), text = await (await fetch(address)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    for (const one of page.querySelectorAll("[src]"))
      one.setAttribute("src", new URL(one.getAttribute("src"), address));
    for (const script of page.querySelectorAll("head script[src]"))
      if (!document.querySelector(`script[src="${script.getAttribute("src")}"]`))
        document.head.append(document.adoptNode(script));
    for (const sheet of page.querySelectorAll("link[rel=stylesheet]")) {
      sheet.href = new URL(sheet.getAttribute("href"), address).href;
      if (!document.querySelector(`link[href="${sheet.href}"]`)) document.head.append(sheet);
    }
    for (const block of page.querySelectorAll("article section > *:not(section, h1)")) {
      const seen = kinds(block);
      if (seen.every((kind) => met.has(kind))) continue;
      seen.forEach((kind) => met.add(kind));
      home.append(document.adoptNode(block));
    }
  }
  return `<!doctype html>${document.documentElement.outerHTML}`;
}"""


def specimen(browser: Browser, server: str) -> Page:
    """Open the page with every type of content block on a wide screen, and return it."""
    page, _ = open_in_new_context(browser, server, PAGES[1])
    html = wait_for_promise(page, GATHER, [path for path in PAGES if path != "search.html"])

    def answer(route: Route) -> None:
        route.fulfill(body=html, content_type="text/html")

    page.route(f"**/{ADDRESS}", answer)
    page.goto(server + ADDRESS)
    settle(page)
    return page
