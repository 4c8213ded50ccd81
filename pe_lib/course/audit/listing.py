"""List the claims of an audited page as HTML items that readers can open."""

from __future__ import annotations

import html
from collections import Counter

from pe_lib.course.audit.checks import VERDICTS, Claim, claims, finding

SIGNS = {"right": "✓", "imprecise": "≈", "wrong": "✗", "cannot be checked": "?"}


class Listing:
    """A list of all claims on one page ("S0" to "S4"), with their verdicts and evidence."""

    def __init__(self, source: str) -> None:
        self.source, self.claims = source, claims(source)

    def counts(self) -> dict[str, int]:
        """Return how many claims have each verdict."""
        total = Counter(claim.verdict for claim in self.claims)
        return {verdict: total[verdict] for verdict in VERDICTS}

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {verdict}" for verdict, n in self.counts().items())
        lines = [f"{len(self.claims)} claims: {counts}"]
        for verdict in ("wrong", "imprecise"):
            ids = [claim.id for claim in self.claims if claim.verdict == verdict]
            lines += [f"{verdict}:"] if ids else []
            lines += [f"  {' '.join(ids[n : n + 10])}" for n in range(0, len(ids), 10)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        counts = ", ".join(f"{n} {verdict}" for verdict, n in self.counts().items())
        rows = "".join(map(_format_claim, self.claims))
        return f'<div class="om-claims"><p>{len(self.claims)} claims: {counts}.</p>{rows}</div>'


def _format_claim(claim: Claim) -> str:
    """Return a claim as an HTML `details` element.

    Its id is on a paragraph inside, because browsers open a `details` element when an address
    points into it.
    """
    number, _, name = claim.chapter.partition("-")
    title = f"chapter {int(number)}" if number.isdigit() else f"the appendix on {name}"
    page = f'<a href="{claim.chapter}.html">{title}</a>'
    paragraphs = [f"<b>What is right:</b> {html.escape(claim.right)}"] if claim.right else []
    paragraphs.append(f"What we found: {html.escape(finding(claim).evidence)}")
    paragraphs.append(f"This is the subject of {page}. {_format_check(claim)}")
    first, *others = paragraphs
    inner = f'<p id="{claim.id.lower()}">{first}</p>' + "".join(f"<p>{p}</p>" for p in others)
    return (
        f'<details data-verdict="{claim.verdict}"><summary><b>{SIGNS[claim.verdict]}'
        f" {claim.verdict}</b> {claim.id}: {html.escape(claim.says)}</summary>{inner}</details>"
    )


def _format_check(claim: Claim) -> str:
    """Return the code that decides a claim, as HTML that is readable."""
    if claim.record:
        return "The source settles the claim, so nothing was computed."
    if not claim.right_if:
        return "No check can decide this claim."
    values = [f"{name} = {value!r}" for name, value in claim.values.items()]
    setup = "<br>".join(map(html.escape, [*values, *claim.setup.strip().splitlines()]))
    computed = f"Computed:<br><code>{setup}</code><br>" if setup else ""
    imprecise = ""
    if claim.imprecise_if:
        imprecise = f", imprecise if <code>{html.escape(claim.imprecise_if)}</code>"
    return f"{computed}Right if <code>{html.escape(claim.right_if)}</code>{imprecise}."
