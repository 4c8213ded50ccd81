"""The claims of one source as a list to open, one by one."""

from __future__ import annotations

import html
from collections import Counter

from pe_lib.course.audit.checks import VERDICTS, Claim, claims, finding

SIGNS = {"right": "✓", "imprecise": "≈", "wrong": "✗", "cannot be checked": "?"}


class Listing:
    """All claims of a source ("S0" to "S4"), each with its verdict and, inside, the evidence."""

    def __init__(self, source: str) -> None:
        self.source, self.claims = source, claims(source)

    def counts(self) -> dict[str, int]:
        """How many claims got each verdict."""
        found = Counter(claim.verdict for claim in self.claims)
        return {verdict: found[verdict] for verdict in VERDICTS}

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
        rows = "".join(map(_row, self.claims))
        return f'<div class="om-claims"><p>{len(self.claims)} claims: {counts}.</p>{rows}</div>'


def _row(claim: Claim) -> str:
    """A link to its id opens it: browsers open what an address points into."""
    number, _, name = claim.chapter.partition("-")
    title = f"chapter {int(number)}" if number.isdigit() else f"the appendix on {name}"
    page = f'<a href="{claim.chapter}.html">{title}</a>'
    told = [f"<b>Right is:</b> {html.escape(claim.right)}"] if claim.right else []
    told.append(f"Found: {html.escape(finding(claim).evidence)}")
    told.append(f"Subject of {page}. {_check(claim)}")
    first, *others = told
    inner = f'<p id="{claim.id.lower()}">{first}</p>' + "".join(f"<p>{p}</p>" for p in others)
    return (
        f'<details data-verdict="{claim.verdict}"><summary><b>{SIGNS[claim.verdict]}'
        f" {claim.verdict}</b> {claim.id}: {html.escape(claim.says)}</summary>{inner}</details>"
    )


def _check(claim: Claim) -> str:
    """What decides the claim, as code to read."""
    if claim.record:
        return "On record, not computed."
    if not claim.holds:
        return "Nothing decides it."
    values = [f"{name} = {value!r}" for name, value in claim.values.items()]
    given = "<br>".join(map(html.escape, [*values, *claim.given.strip().splitlines()]))
    computed = f"Computed:<br><code>{given}</code><br>" if given else ""
    kindly = f", imprecise if <code>{html.escape(claim.kindly)}</code>" if claim.kindly else ""
    return f"{computed}Right if <code>{html.escape(claim.holds)}</code>{kindly}."
