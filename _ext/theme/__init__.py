"""Define the look of the site with templates, a style sheet, a script and two typefaces.

A page may only load and run the site's own files, and one short inline script that sets the light
or dark theme before the first paint.
"""

import atexit
import hashlib
import json
import re
import shutil
import tomllib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

from _ext import publish
from _ext.cache import digest
from _ext.changelog.page import foot_of_page
from _ext.chapters import find_chapter, is_deeper, list_chapters
from _ext.downloads.links import public
from _ext.plaintext import read_plain_text, strip_tags
from _ext.sources import bundle_script, import_files, shorten_style
from _ext.theme import colours, fonts
from pe_lib.course import explorers, predictions

HERE = Path(__file__).parent
EXT = HERE.parent
PARTS = tomllib.loads((HERE / "parts.toml").read_text("utf-8"))
NOT_FOUND = "404"

# The inline script sets the theme before the first paint, so that dark pages never flash white.
# The script preloads the fonts that are files. It does not do so on pages from disk, where preloads
# count as cross-origin.
# A browser unpacks the fonts of the style sheet when text first uses them. That text would be drawn
# in another font first and then jump, so the script has them unpacked before the page is shown.
# If storage is blocked or full, the script replaces it with an object that lives as long as the
# page.
START = """(root => {
  const data = root.dataset;
  let mode;
  try { mode = localStorage.getItem("mode") } catch {}
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  data.mode = mode ||= "auto";
  data.theme = mode === "auto" ? (dark ? "dark" : "light") : mode;
  data.unpacking = "";
  document.addEventListener("load", ({ target }) => {
    if (target.rel !== "stylesheet") return;
    const faces = ["", "italic ", "600 "].map((face) => document.fonts.load(face + "1em Text"));
    Promise.all(faces).finally(() => { delete data.unpacking; });
  }, true);
  if (location.protocol !== "file:") for (const name of FACES)
    document.head.append(Object.assign(document.createElement("link"), {
      rel: "preload", as: "font", type: "font/woff2", crossOrigin: "",
      href: data.content_root + "_static/fonts/" + name }));
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
})(document.documentElement)""".replace("FACES", json.dumps(fonts.preloads()))

# On a page opened from disk, Chromium and Firefox let 'self' stand for the files next to the page.
# A page opened from disk cannot fetch files, so its web worker is created from the page's script.
# The policy must allow style attributes, because KaTeX and Matplotlib use them.
POLICY = "; ".join(
    [
        "default-src 'self'",
        f"script-src 'self' 'sha256-{b64encode(hashlib.sha256(START.encode()).digest()).decode()}'",
        "worker-src blob:",
        "style-src-attr 'unsafe-inline'",
        "font-src 'self' data:",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    ]
)


def write_assets(app: Sphinx) -> None:
    """Write the style sheet, the script and the fonts before Sphinx writes the first page."""
    static = Path(app.outdir, "_static")
    static.mkdir(parents=True, exist_ok=True)
    for old_file in static.glob("site.*"):
        old_file.unlink()
    faces = fonts.write_fonts(Path(app.srcdir, "node_modules"), static / "fonts")
    katex = (static / "katex" / "katex.min.css").read_text("utf-8")
    katex = katex.replace("url(fonts/", "url(katex/fonts/")
    own = [(EXT / name).read_text("utf-8") for name in PARTS["styles"]]
    own.append(predictions.STYLE.read_text("utf-8"))
    style = "".join([colours.colour_style(), faces, katex, *own, explorers.stylesheet()])
    app.config.om_style = write_hashed("css", shorten_style(style), static)
    script = bundle_script(import_files(*(EXT / name for name in PARTS["scripts"])))
    app.config.om_script = write_hashed("js", script, static)
    shutil.copy(HERE / "favicon.svg", static)


def write_hashed(suffix: str, text: str, static: Path) -> str:
    """Write `text` to a file whose name contains a hash of `text`, and return the file name.

    A browser may cache such a file for ever.
    """
    name = f"site.{hashlib.sha256(text.encode()).hexdigest()[:10]}.{suffix}"
    (static / name).write_text(text, "utf-8")
    return name


def store_digests(app: Sphinx, config: Config) -> None:
    """Store digests of the code as Sphinx settings, so that changed code rebuilds all pages.

    If `om_around` changes, which covers the parts around the text, all pages are written again. If
    `om_text` changes, which covers the code that produces the text, they are also parsed again.
    """
    around = "_ext/**/*", "*.yml", "CHANGELOG.md", "CITATION.cff", "LICENSE*"
    suffixes = ("py", "mjs", "html", "md", "mplstyle", "toml", "txt")
    text = [f"_ext/**/*.{suffix}" for suffix in suffixes]
    config.om_around = digest(Path(app.srcdir), around, repr(public()))
    config.om_text = digest(Path(app.srcdir), [*text, "pe_lib/**/*", "chapters/data/**/*"])


def complete_context(
    app: Sphinx,
    pagename: str,
    template: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Add to a page's context the values that the theme's templates need."""
    # a web host may show the 404 page for an address in any folder, so its links must be absolute
    if pagename == NOT_FOUND:
        root = publish.root_path()
        menu = context["toctree"]
        context["toctree"] = lambda **options: menu(**options).replace('href="', f'href="{root}')
        context["content_root"] = root
        context["pathto"] = lambda name, resource=0: root + (name if resource else f"{name}.html")
    chapters = list_chapters(app.env.found_docs)
    chapter = find_chapter(pagename)
    title = strip_tags(context.get("title", "")) or app.config.html_title
    context |= {
        "policy": POLICY,
        "start": START,
        "paper": {"light": colours.LIGHT["paper"], "dark": colours.DARK["paper"]},
        "style": app.config.om_style,
        "script": app.config.om_script,
        "page_scripts": [f"_static/{name}" for name in list_scripts(context)],
        "chapter": chapters.index(chapter) if chapter in chapters else None,
        "chapters": len(chapters),
        "description": describe(doctree) or title,
        "page_toc": list_sections(context.get("toc", "")),
    }
    context |= publish.page_properties(pagename, title, context["description"])
    context |= foot_of_page(app, pagename)
    context |= skip_deeper_pages(app, pagename)


def skip_deeper_pages(app: Sphinx, page: str) -> dict[str, Any]:
    """Link a page to the previous and the next page, but not to Deeper pages.

    A chapter's text links to its Deeper page, and the Deeper page leads back to the chapter.
    """
    relations = app.builder.relations  # type: ignore[attr-defined]  # of the HTML builder
    if page not in relations:  # a page without a source file has no neighbours
        return {}
    links: dict[str, Any] = {}
    for name, index in (("prev", 1), ("next", 2)):
        neighbour = relations[page][index]
        while neighbour and is_deeper(neighbour):
            neighbour = relations[neighbour][index]
        links[name] = neighbour and {
            "link": app.builder.get_relative_uri(page, neighbour),
            "title": app.env.titles[neighbour].astext(),
        }
    return links


def list_scripts(context: dict[str, Any]) -> Iterator[str]:
    """Yield the paths of the scripts that our extensions have added to a page."""
    for script in sorted(context.get("script_files", ()), key=lambda script: script.priority):
        if "defer" in script.attributes:
            yield str(script.filename).removeprefix("_static/")


def list_sections(toc: str) -> str:
    """Return an HTML list of the sections on a page, or "" if there are fewer than two."""
    inner = re.search(r"<ul>.*?</a>\s*(<ul>.*</ul>)\s*</li>\s*</ul>", toc, re.DOTALL)
    return inner[1] if inner and inner[1].count("<li>") > 1 else ""


def describe(doctree: nodes.document | None) -> str:
    """Return the first paragraph of a page with more than 40 characters, shortened if necessary."""
    for paragraph in doctree.findall(nodes.paragraph) if doctree else ():
        text = read_plain_text(paragraph)
        if len(text) > 40:
            return text if len(text) <= 155 else text[:155].rsplit(" ", 1)[0] + "…"
    return ""


def list_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield each page without a source file, as its name, its context and its template."""
    yield NOT_FOUND, {"title": "There is no such page"}, "404.html"
    yield "search", {"title": "Search"}, "search.html"


def publish_site(app: Sphinx, exception: Exception | None) -> None:
    """Copy the build to _build/site, without the files that only Sphinx needs.

    A build with warnings keeps the old site. A new site is prepared next to the old site, which
    is deleted last, so that a server always has one of the two.
    """
    if exception or app._warncount or app.builder.name != "html":
        return
    built = Path(app.outdir)
    site, draft, old = (built.parent / f"site{suffix}" for suffix in ("", ".draft", ".old"))
    # Jupyter Book ends by printing the name of another folder. So the right name is printed at
    # exit.
    if Path(app.srcdir) == EXT.parent:
        atexit.register(print, f"The site is in {site}. Open index.html there.")
    for leftover in (draft, old):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(built, draft, ignore=shutil.ignore_patterns(*PARTS["needless"]))
    publish.copy_picture(app, draft)
    # prevents GitHub Pages from dropping folders whose names begin with _
    (draft / ".nojekyll").touch()
    # If the old site were deleted in place, a server would show pages without styles in between.
    if site.exists():
        site.rename(old)
    draft.rename(site)
    shutil.rmtree(old, ignore_errors=True)


def switch_off_search(app: Sphinx) -> None:
    """Switch off Sphinx's own search, and reject builders that do not write HTML pages."""
    # builders for other formats write no HTML pages
    if app.builder.name in ("gettext", "linkcheck"):
        return
    if app.builder.name != "html":
        raise ExtensionError(f"the site is built as html, not as {app.builder.name}")
    app.builder.search = False  # type: ignore[attr-defined]  # of the HTML builder


def setup(app: Sphinx) -> None:
    app.add_html_theme("order_matters", str(HERE))
    for name in ("om_style", "om_script"):
        app.add_config_value(name, "", "")
    app.add_config_value("om_around", "", "html")
    app.add_config_value("om_text", "", "env")
    app.connect("config-inited", store_digests)
    for name in ("comments_config", "use_jupyterbook_latex"):
        # Jupyter Book sets these two values, so Sphinx must know their names.
        app.add_config_value(name, None, "")
    app.connect("builder-inited", switch_off_search)
    app.connect("builder-inited", write_assets, priority=900)  # after _ext.formulas
    app.connect("html-collect-pages", list_pages)
    app.connect("html-page-context", complete_context, priority=900)
    app.connect("build-finished", publish_site, priority=900)
