"""The look of a page: its templates, one style sheet, one script, two faces.

What a page may load and run are the files that lie beside it and one short inline script, which
sets light or dark before the first paint.
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
from _ext.changelog.page import foot
from _ext.downloads.links import public
from _ext.javascript import strip_comments
from _ext.plaintext import plain, untagged
from _ext.sources import tight
from _ext.theme import colours, fonts
from pe_lib.course import explorers, predictions

HERE = Path(__file__).parent
EXT = HERE.parent
PARTS = tomllib.loads((HERE / "parts.toml").read_text("utf-8"))
NOT_FOUND = "404"

# Sets the theme before the first paint, so that a dark page does not flash white, and asks for the
# faces (not from disk, where a preload is another origin's). Where a browser keeps nothing, because
# its storage is blocked or full, the scripts get one that lasts a page.
START = """(root => {
  const data = root.dataset;
  let mode;
  try { mode = localStorage.getItem("mode") } catch {}
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  data.mode = mode ||= "auto";
  data.theme = mode === "auto" ? (dark ? "dark" : "light") : mode;
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
})(document.documentElement)""".replace(
    "FACES", json.dumps([fonts.name(face) for face in fonts.FACES])
)

# Chromium and Firefox take 'self' to mean other files, too, when a page is opened from disk. Such a
# page can ask for no file, so a worker is made from the page's own script. The styles in attributes
# are KaTeX's and matplotlib's.
POLICY = "; ".join(
    [
        "default-src 'self'",
        f"script-src 'self' 'sha256-{b64encode(hashlib.sha256(START.encode()).digest()).decode()}'",
        "worker-src blob:",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    ]
)

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def write(app: Sphinx) -> None:
    """The style sheet, the script and the faces, before the pages that name them."""
    static = Path(app.outdir, "_static")
    static.mkdir(parents=True, exist_ok=True)
    for old in static.glob("site.*"):
        old.unlink()
    faces = fonts.write(Path(app.srcdir, "node_modules"), static / "fonts")
    katex = (static / "katex" / "katex.min.css").read_text("utf-8")
    katex = katex.replace("url(fonts/", "url(katex/fonts/")
    own = [(EXT / name).read_text("utf-8") for name in PARTS["styles"]]
    own.append(predictions.STYLE.read_text("utf-8"))
    style = "".join([colours.style(), faces, katex, *own, explorers.stylesheet()])
    app.config.om_style = named("css", tight(_COMMENT.sub("", style)), static)
    script = "".join((EXT / name).read_text("utf-8") + ";\n" for name in PARTS["scripts"])
    app.config.om_script = named("js", strip_comments(script), static)
    shutil.copy(HERE / "favicon.svg", static)


def named(suffix: str, text: str, static: Path) -> str:
    """Write `text` under a name that changes with it: a browser may keep it for ever."""
    name = f"site.{hashlib.sha256(text.encode()).hexdigest()[:10]}.{suffix}"
    (static / name).write_text(text, "utf-8")
    return name


def digests(app: Sphinx, config: Config) -> None:
    """What stands around all pages is a setting: when it changes, every page is written anew; when
    what makes their text does, every page is parsed anew, too."""
    around = "_ext/**/*", "*.yml", "CHANGELOG.md", "CITATION.cff", "LICENSE*"
    text = [f"_ext/**/*.{kind}" for kind in ("py", "mjs", "html", "md", "mplstyle")]
    config.om_around = digest(Path(app.srcdir), around, repr(public()))
    config.om_text = digest(Path(app.srcdir), [*text, "pe_lib/**/*", "chapters/data/**/*"])


def complete(
    app: Sphinx,
    pagename: str,
    template: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """What the templates need beside Sphinx's own."""
    if pagename == NOT_FOUND:  # a server shows it at any depth
        root = publish.root()
        menu = context["toctree"]
        context["toctree"] = lambda **asked: menu(**asked).replace('href="', f'href="{root}')
        context["content_root"] = root
        context["pathto"] = lambda name, resource=0: root + (name if resource else f"{name}.html")
    chapters = sorted(d for d in app.env.found_docs if re.match(r"chapters/\d\d-", d))
    title = untagged(context.get("title", "")) or app.config.html_title
    context |= {
        "policy": POLICY,
        "start": START,
        "paper": {"light": colours.LIGHT["paper"], "dark": colours.DARK["paper"]},
        "style": app.config.om_style,
        "script": app.config.om_script,
        "page_scripts": [f"_static/{name}" for name in scripts(context)],
        "chapter": chapters.index(pagename) if pagename in chapters else None,
        "chapters": len(chapters),
        "description": description(doctree) or title,
        "page_toc": sections(context.get("toc", "")),
    }
    context |= publish.said(pagename, title, context["description"]) | foot(app, pagename)


def scripts(context: dict[str, Any]) -> Iterator[str]:
    """The scripts that our extensions add to this page, all deferred; Sphinx's are not needed."""
    for script in sorted(context.get("script_files", ()), key=lambda script: script.priority):
        if "defer" in script.attributes:
            yield str(script.filename).removeprefix("_static/")


def sections(toc: str) -> str:
    """The list of a page's sections, without the page itself; nothing if there is only one."""
    inner = re.search(r"<ul>.*?</a>\s*(<ul>.*</ul>)\s*</li>\s*</ul>", toc, re.DOTALL)
    return inner[1] if inner and inner[1].count("<li>") > 1 else ""


def description(doctree: nodes.document | None) -> str:
    """The first paragraph in one line, for those who list pages."""
    for paragraph in doctree.findall(nodes.paragraph) if doctree else ():
        text = plain(paragraph)
        if len(text) > 40:
            return text if len(text) <= 155 else text[:155].rsplit(" ", 1)[0] + "…"
    return ""


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    yield NOT_FOUND, {"title": "There is no such page"}, "404.html"
    yield "search", {"title": "Search"}, "search.html"


def publish_site(app: Sphinx, exception: Exception | None) -> None:
    """_build/site: what was built, without what only Sphinx needs.

    A build that warned leaves it as it was. The new one is made beside the old, which is deleted
    last, when nobody is sent there any more.
    """
    if exception or app._warncount or app.builder.name != "html":
        return
    built = Path(app.outdir)
    site, draft, old = (built.parent / f"site{suffix}" for suffix in ("", ".draft", ".old"))
    if Path(app.srcdir) == EXT.parent:  # the last line: Jupyter Book names the draft before it
        atexit.register(print, f"The site is in {site}. Open index.html there.")
    for left in (draft, old):
        shutil.rmtree(left, ignore_errors=True)
    shutil.copytree(built, draft, ignore=shutil.ignore_patterns(*PARTS["needless"]))
    publish.write(app, draft)
    (draft / ".nojekyll").touch()  # a forge's page server must not drop folders that begin with _
    if site.exists():  # moved at once: a page that is asked for meanwhile would miss its style
        site.rename(old)
    draft.rename(site)
    shutil.rmtree(old, ignore_errors=True)


def no_index(app: Sphinx) -> None:
    if app.builder.name in ("gettext", "linkcheck"):  # texts for a translation; a report on links
        return
    if app.builder.name != "html":
        raise ExtensionError(f"the site is built as html, not as {app.builder.name}")
    app.builder.search = False  # ours: _ext/search/


def setup(app: Sphinx) -> None:
    app.add_html_theme("order_matters", str(HERE))
    for name in ("om_style", "om_script"):
        app.add_config_value(name, "", "")
    app.add_config_value("om_around", "", "html")
    app.add_config_value("om_text", "", "env")
    app.connect("config-inited", digests)
    for name in ("comments_config", "use_jupyterbook_latex"):
        app.add_config_value(name, None, "")  # Jupyter Book sets them for extensions we leave out
    app.connect("builder-inited", no_index)
    app.connect("builder-inited", write, priority=900)  # after KaTeX's style sheet is there
    app.connect("html-collect-pages", pages)
    app.connect("html-page-context", complete, priority=900)
    app.connect("build-finished", publish_site, priority=900)
