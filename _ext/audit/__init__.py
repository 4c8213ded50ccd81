"""The filter of the audit, on the page that lists its claims; audit.js makes it work."""

import re
from typing import Any

from sphinx.application import Sphinx

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
    return (
        '<form class="om-filter" autocomplete="off">'
        '<label>Words or a number <input type="search" name="words"></label>'
        '<label>Page <select name="page"><option value="">all five</option>'
        f"{pages}</select></label><fieldset><legend>Verdict</legend>{verdicts}</fieldset>"
        f'<p><span role="status">{len(claims())} claims</span>'
        ' <button type="button" hidden>Show all</button></p></form>'
    )


def add_filter(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    if app.builder.name == "html" and (first := FIRST.search(context.get("body", ""))):
        place = first.start()
        context["body"] = context["body"][:place] + form() + context["body"][place:]
        app.add_js_file("filter.js", priority=400, defer="defer")
        app.add_js_file("audit.js", defer="defer")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", add_filter)
