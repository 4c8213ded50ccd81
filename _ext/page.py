"""One built page, made light and accessible.

Every function states what it expects of the theme and fails if that is not there, so that an update
of the theme can't silently undo it.
"""

import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from bs4 import BeautifulSoup, Tag
from sphinx.errors import ExtensionError

SEARCH = ("searchtools.js", "language_data.js", "searchindex.js")

# Pygments' names for what has the colour of plain text: punctuation, names, modules, white space.
# Half of a chapter's elements are these.
PLAIN = re.compile(r'<span class="(?:p|n|nn|w)">([^<]*)</span>|(?<=<pre>)<span></span>')

# Sets the theme before the first paint, so that a dark page does not flash white. Where a browser
# keeps nothing, because its storage is blocked or full, the scripts get one that lasts a page.
START = """(root => {
  let mode;
  try { mode = localStorage.getItem("mode") } catch {}
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.mode = mode ||= "auto";
  root.theme = mode === "auto" ? (dark ? "dark" : "light") : mode;
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      window[name].setItem("om-try", "");
      window[name].removeItem("om-try");
    } catch {
      const kept = new Map([["mode", mode]]);
      Object.defineProperty(window, name, { value: {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => kept.set(key, String(value)),
        removeItem: (key) => kept.delete(key),
      } });
    }
  }
})(document.documentElement.dataset)"""

# What a page may load and run: files that lie beside it, and the one script above. Chromium and
# Firefox take 'self' to mean other files, too, when a page is opened from disk. The styles in
# attributes are KaTeX's and matplotlib's.
POLICY = "; ".join(
    [
        "default-src 'self'",
        f"script-src 'self' 'sha256-{b64encode(sha256(START.encode()).digest()).decode()}'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    ]
)


class Page:
    """A page of the site: its parsed HTML and where it lies."""

    def __init__(self, source: Path, root: Path) -> None:
        self.source, self.root = source, root
        self.soup = BeautifulSoup(PLAIN.sub(r"\1", source.read_text("utf-8")), "html.parser")
        self.up = "../" * (len(source.relative_to(root).parts) - 1)
        self.settings: list[str] = []

    def one(self, selector: str) -> Tag:
        found = self.soup.select(selector)
        if len(found) != 1:
            raise ExtensionError(
                f"{self.source.name}: expected one {selector}, found {len(found)}. If the theme"
                " changed, look at what _ext/page.py does with it."
            )
        return found[0]

    def some(self, selector: str) -> list[Tag]:
        if not (found := self.soup.select(selector)):
            raise ExtensionError(
                f"{self.source.name}: expected {selector}, found none. If the theme changed, look"
                " at what _ext/page.py does with it."
            )
        return list(found)

    def file(self, address: str) -> Path:
        """The built file that `address` in this page means."""
        return (self.source.parent / re.split("[?#]", address)[0]).resolve()

    @property
    def is_search(self) -> bool:
        return self.source.name == "search.html"

    def styles(self) -> list[Path]:
        return [self.file(str(link["href"])) for link in self.some("link[rel=stylesheet]")]

    def scripts(self) -> list[Path]:
        """The scripts that stay, in order."""
        return [self.file(str(script["src"])) for script in self.some("script[src]")]

    def names(self) -> set[str]:
        """Every class and id in the page."""
        found: set[str] = set()
        for tag in self.soup.find_all(True):
            found.update(tag.get_attribute_list("class"))
            found.add(str(tag.get("id", "")))
        return found

    def edit(self) -> None:
        """All changes but the bundles, which need all pages."""
        with self._text_aside():
            self._drop_scripts()
            self._landmarks()
        self._head()
        self._tables()
        self._images()
        for box in self.soup.select("input[type=checkbox].task-list-item-checkbox"):
            if box.parent:
                box["aria-label"] = box.parent.get_text(" ", strip=True)

    @contextmanager
    def _text_aside(self) -> Iterator[None]:
        """The frame without the text: a selector looks at every element, and the text has most."""
        text = None if self.is_search else self.one("article.bd-article")
        place = self.new("article")
        if text:
            text.replace_with(place)
        yield
        if text:
            place.replace_with(text)

    def _drop_scripts(self) -> None:
        # 540 kB that draw what the icon font draws
        self.one('script[src*="fontawesome.js"]').decompose()
        for link in self.some("link[rel=preload]"):
            link.decompose()
        self._take_settings()
        if not self.is_search:  # assets/search.js loads them when the reader searches
            for name in SEARCH:
                self.one(f'script[src*="{name}"]').decompose()

    def _take_settings(self) -> None:
        """The inline scripts go to the bundle: the policy lets only the first one run."""
        button = self.soup.select("[onclick]")
        if any(b["onclick"] != "window.print()" for b in button):
            raise ExtensionError(f"{self.source.name}: {button} has a handler that isn't known")
        for handled in button:
            del handled["onclick"]  # assets/print.js
        options = self.one('script[src*="documentation_options.js"]').extract()
        self.settings.append(self.file(str(options["src"])).read_text("utf-8"))
        for script in self.some("script:not([src], [data-cfasync], [type])"):
            text = script.extract().get_text().strip()
            if "searchInput.focus()" in text:
                continue  # assets/search.js
            # the page's name is for a switch between versions, of which there is one
            if not text.startswith("DOCUMENTATION_OPTIONS.pagename"):
                self.settings.append(text)

    def _head(self) -> None:
        head, html = self.one("head"), self.one("html")
        html["data-theme"] = "light"  # without JavaScript; `auto` has no colours
        script = self.one("script[data-cfasync]")
        if "dataset.theme" not in script.get_text():
            raise ExtensionError("the theme no longer sets its mode in the first script")
        script.string = START
        del script["data-cfasync"]
        policy = {"http-equiv": "Content-Security-Policy", "content": POLICY}
        self.one("meta[charset]").insert_after(self.new("meta", **policy))
        first, *others = self.some("meta[name=viewport]")
        first["content"] = "width=device-width, initial-scale=1"
        for tag in [*others, *self.soup.select('meta[name^="docsearch"], meta[name=generator]')]:
            tag.decompose()
        self.one("head noscript").decompose()  # its style is in assets/site.css: the policy's wish
        if not head.select("meta[name=description]"):
            head.append(self.new("meta", name="description", content=self._description()))
        # browser chrome in the paper's colour
        for scheme, colour in (("light", "#ffffff"), ("dark", "#12161c")):
            media = f"(prefers-color-scheme: {scheme})"
            head.append(self.new("meta", name="theme-color", media=media, content=colour))

    def _description(self) -> str:
        for paragraph in self.soup.css.iselect("article.bd-article section > p"):
            copy = BeautifulSoup(str(paragraph), "html.parser")
            for formula in copy.select(".katex-html"):
                formula.decompose()
            text = " ".join(copy.get_text().split())
            if len(text) > 40:
                return text if len(text) <= 155 else text[:155].rsplit(" ", 1)[0] + "…"
        return self.one("title").get_text(strip=True)

    def _landmarks(self) -> None:
        # a second h1 and table of contents, for paper only: the browser prints the first
        for copy in self.soup.select("#jb-print-docs-body"):
            copy.decompose()
        for label in self.some("button.search-button-field"):
            del label["aria-label"]  # it would hide the visible "Search Ctrl+K"
        self.one("#pst-primary-sidebar-modal")["aria-label"] = "Site navigation"
        for dialog in self.soup.select("#pst-secondary-sidebar-modal"):
            dialog["aria-label"] = "On this page"
        self.one("#pst-search-dialog")["aria-label"] = "Search"
        sidebar = self.one("#pst-primary-sidebar")
        sidebar["role"], sidebar["aria-label"] = "complementary", "Course"
        for toggle in self.soup.select("button.sidebar-toggle"):
            toggle["aria-label"] = toggle.attrs.pop("title", None) or toggle["aria-label"]
        self.one("header.bd-header").name = "div"  # empty, so no banner for screen readers

    def _tables(self) -> None:
        for table in self.soup.select("table"):
            for header in table.select("thead th"):
                if header.get_text(strip=True):
                    header["scope"] = "col"
                else:
                    header.name = "td"  # the corner above the names of the rows heads nothing

    def _images(self) -> None:
        for image in self.soup.select("img"):
            file = self.file(str(image["src"]))
            if image.get("width") is None:
                image["width"], image["height"] = map(str, size(file))
            if not image.find_parent(id="pst-primary-sidebar"):
                image["loading"], image["decoding"] = "lazy", "async"

    def bundle(self, style: str, script: str, bundled: set[Path]) -> None:
        """Replace all style sheets by one, and the scripts that every page has by one."""
        first, *others = self.some("link[rel=stylesheet]")
        first.replace_with(self.new("link", rel="stylesheet", href=self.up + style))
        for link in others:
            link.decompose()
        placed = False
        for tag in self.some("script[src]"):
            if self.file(str(tag["src"])) not in bundled:
                tag["defer"] = ""
                tag["src"] = re.split("[?#]", str(tag["src"]))[0]
            elif placed:
                tag.decompose()
            else:
                tag.replace_with(self.new("script", defer="", src=self.up + script))
                placed = True

    def new(self, tag: str, /, **attributes: Any) -> Tag:
        string = attributes.pop("string", None)
        return self.soup.new_tag(tag, attrs=attributes, string=string)

    def parsed(self, text: str) -> BeautifulSoup:
        return BeautifulSoup(text, "html.parser")

    def resources(self) -> list[Path]:
        """The built files that this page loads or offers; other hosts are an error."""
        files = []
        loading = "link[href]:not([rel=canonical]), script[src], img[src], source[src], a[href]"
        for tag in self.soup.select(loading):
            address = str(tag.get("src") or tag["href"])
            if re.match(r"[a-z]+:|//", address):
                if tag.name != "a" and not address.startswith("data:"):
                    raise ExtensionError(f"{self.source.name} loads {address} from another host")
                continue
            file = self.file(address)
            if address[0] != "#" and file.suffix != ".html" and file.is_file():
                files.append(file)
        return files

    def text(self) -> str:
        return self.soup.decode(formatter="minimal")


def size(file: Path) -> tuple[int, int]:
    """Width and height of an image file in pixels."""
    if file.suffix == ".svg":
        box = ElementTree.parse(file).getroot().get("viewBox")
        if not box:
            raise ExtensionError(f"{file.name} has no viewBox")
        width, height = box.split()[2:]
        return round(float(width)), round(float(height))
    from PIL import Image

    with Image.open(file) as image:
        return image.size
