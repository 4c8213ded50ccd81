"""Check five web pages about positional encoding, claim by claim.

`claims()` returns all claims. Each claim holds a paraphrase of the page, a verdict, a correction if
necessary, the chapter that teaches it, and a check. `finding(claim)` runs this check. The appendix
*Auditing the sources* shows both.
"""

from pe_lib.course.audit.checks import PAGES, VERDICTS, Claim, claims, finding
from pe_lib.course.audit.listing import Listing

__all__ = ["PAGES", "VERDICTS", "Claim", "Listing", "claims", "finding"]
