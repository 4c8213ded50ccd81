"""The filter of the audit, on the page that lists its claims; assets/audit.js makes it work."""

import re
import zlib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.locale import _

from pe_lib.course.audit import PAGES, claims
from pe_lib.course.audit.listing import SIGNS

FIRST = re.compile(r'<section id="[^"]*"[^>]*>(?:(?!<section).)*class="om-claims"', re.DOTALL)


def form() -> str:
    pages = "".join(f"<option>{name}</option>" for name in PAGES.values())
    verdicts = "".join(
        f'<label data-verdict="{verdict}"><input type="checkbox" name="verdict" value="{verdict}">'
        f" {sign} {verdict}</label>"
        for verdict, sign in SIGNS.items()
    )
    words, page, every = _("Words or a number"), _("Page"), _("all five")
    verdict, count, more = _("Verdict"), _("{n} claims").format(n=len(claims())), _("Show all")
    return (
        '<form class="om-filter" autocomplete="off">'
        f'<label>{words} <input type="search" name="words"></label>'
        f'<label>{page} <select name="page"><option value="">{every}</option>'
        f"{pages}</select></label><fieldset><legend>{verdict}</legend>{verdicts}</fieldset>"
        f'<p><span role="status">{count}</span>'
        f' <button type="button" hidden>{more}</button></p></form>'
    )


def add_filter(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    if app.builder.name == "html" and (first := FIRST.search(context.get("body", ""))):
        place = first.start()
        context["body"] = context["body"][:place] + form() + context["body"][place:]
        app.add_js_file("audit.js", defer="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", add_filter)
    # the page is stale when this code changes
    return {"env_version": zlib.crc32(Path(__file__).read_bytes()), "parallel_read_safe": True}
