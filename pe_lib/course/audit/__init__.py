"""Check, claim by claim, what five pages say about positional encoding.

`claims()` returns all claims. Each says in our words what the page says, and has a verdict, what is
right instead, the chapter that teaches it, and a check. `finding(claim)` runs this check. The
appendix *Auditing the sources* shows both.
"""

from pe_lib.course.audit.checks import PAGES, VERDICTS, Claim, claims, finding
from pe_lib.course.audit.listing import Listing

__all__ = ["PAGES", "VERDICTS", "Claim", "Listing", "claims", "finding"]
