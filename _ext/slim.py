"""After the build: _build/site, a light copy of _build/html.

A copy, never in place: Sphinx rewrites only the pages that changed. Only files that a page refers
to are copied, so that nothing has to be listed for removal.
"""

import hashlib
import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from _ext import anchors, elsewhere, icons, publish, purge, references
from _ext.page import SEARCH, Page

log = logging.getLogger(__name__)

# what Bootstrap's script sets on the two of its components that the theme uses: menus and tooltips
BOOTSTRAP = {"show", "fade", "dropup", "tooltip", "tooltip-inner", "tooltip-arrow"}

# Where the theme asks the whole page for something, and need not: all boxes that may scroll are
# measured whenever anything in one changes, 0.1 s for each reading of an explorer
# (assets/scrolling.js does it, for what is on screen), and notes in the margin there are none.
_NEEDLESS = {
    "measures boxes": re.compile(r'document\.querySelectorAll\(\["pre",[^\]]*\]\.join\(", "\)\)'),
    "looks for margin notes": re.compile(
        r'document\.querySelectorAll\(\w+\.join\(", "\)\)(?=\.forEach\(\(?\w+=>\{\w+\.observe)'
    ),
}

_WORD = re.compile(r"[A-Za-z_][\w-]*")
_URL = re.compile(r"url\(([^)]+)\)")


def slim(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.name != "html":
        return
    built, site = Path(app.outdir).resolve(), Path(app.outdir).resolve().parent / "site"
    # Sphinx copies these only when a page changed too
    for folder in app.config.html_static_path:
        if Path(app.srcdir, folder).is_dir():
            shutil.copytree(Path(app.srcdir, folder), built / "_static", dirs_exist_ok=True)
    draft = site.with_name("site.draft")
    shutil.rmtree(draft, ignore_errors=True)
    (draft / "_static").mkdir(parents=True)
    texts = sorted(app.env.found_docs)
    pages = [Page(built / f"{name}.html", built) for name in (*texts, "search", publish.NOT_FOUND)]
    address = publish.site_address()
    elsewhere.write(app, draft)
    for page in pages:
        page.edit()
        anchors.add(page)
        elsewhere.link(page, draft)
        publish.tags(page, address)
    references.link(pages)
    common = shared_scripts(pages)
    script = write_script(shared_settings(pages), common, draft)
    style = write_style(pages, built, draft)
    files: set[Path] = {built / "_static" / name for name in SEARCH[:2]} | {built / SEARCH[2]}
    files.update((built / "_static" / "search").iterdir())
    for page in pages:
        page.bundle(style, script, set(common))
        files.update(file for file in page.resources() if file.is_relative_to(built))
        if page.source.stem == publish.NOT_FOUND:
            publish.rooted(page, address)
        target = draft / page.source.relative_to(built)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page.text(), "utf-8")
    for file in files:
        target = draft / file.relative_to(built)
        if not target.exists():  # a notebook's copy is there already
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    if address:
        publish.write(pages[: len(texts)], address, draft)
    (draft / ".nojekyll").touch()  # a forge's page server must not drop folders that begin with _
    shutil.rmtree(site, ignore_errors=True)
    draft.rename(site)
    log.info("The light site is in %s.", site)


def shared_scripts(pages: list[Page]) -> list[Path]:
    """The scripts that every page has, in their order."""
    each = [page.scripts() for page in pages]
    return [script for script in each[0] if all(script in scripts for scripts in each)]


def shared_settings(pages: list[Page]) -> str:
    """What the theme's inline scripts set, on every page the same."""
    each = {tuple(dict.fromkeys(page.settings)) for page in pages}
    if len(each) != 1:
        raise ExtensionError(f"pages have different inline scripts, and none may stay: {each}")
    return "\n".join(*each)


def write_script(settings: str, scripts: list[Path], draft: Path) -> str:
    # The semicolon makes a leading "use strict" count for nothing: it was for one file, not for all
    texts = (re.sub(r"//# sourceMappingURL=\S+", "", s.read_text("utf-8")) for s in scripts)
    script = "".join([settings, *(f";{text}\n" for text in texts)])
    for what, needless in _NEEDLESS.items():
        script, count = needless.subn("[]", script)
        if count != 1:
            raise ExtensionError(f"expected one place where the theme {what}, found {count}")
    return write("site", "js", script, draft)


def write_style(pages: list[Page], built: Path, draft: Path) -> str:
    static = built / "_static"
    sheets = list(dict.fromkeys(sheet for page in pages for sheet in page.styles()))
    names = {"html", "body"}.union(*(page.names() for page in pages))
    names |= BOOTSTRAP
    scripts = {script for page in pages for script in page.scripts()}
    for script in scripts:
        if script.name == "bootstrap.js":
            continue  # it names all its components, most of which the pages do not have
        names.update(_WORD.findall(script.read_text("utf-8")))
    names.update(_WORD.findall((static / "searchtools.js").read_text("utf-8")))
    whole = purge.gather(sheets, static)
    css = purge.purge(whole, names)
    readers = [page.text() for page in pages] + [file.read_text("utf-8") for file in scripts]
    css = purge.drop_unused_properties(css, "".join(readers))
    css = icons.reduce(css, static, draft / "_static")
    log.info("Style sheet: %d of %d kB kept.", len(css) // 1000, len(whole) // 1000)
    for address in set(_URL.findall(css)):
        name = address.strip("\"'")
        if name != icons.NAME and not name.startswith(("data:", "#")):
            (draft / "_static" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(static / name, draft / "_static" / name)
    return write("site", "css", css, draft)


def write(name: str, suffix: str, text: str, draft: Path) -> str:
    """Write `text` under a name that changes with it: a browser may keep it for ever."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    path = f"_static/{name}.{digest}.{suffix}"
    (draft / path).write_text(text, "utf-8")
    return path


def setup(app: Sphinx) -> dict[str, Any]:
    # after the theme, which writes its code colours in this event too
    app.connect("build-finished", slim, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
