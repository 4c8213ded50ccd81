"""What five pages on positional encoding say, checked claim by claim.

`claims()` is the table: for each claim what the page says in our words, the verdict, what is right,
the chapter that teaches it, and the check that decides it. `finding(claim)` runs the check. The
appendix *Auditing the sources* shows both.
"""

from pe_lib.course.audit.checks import PAGES, VERDICTS, Claim, claims, finding
from pe_lib.course.audit.listing import Listing

__all__ = ["PAGES", "VERDICTS", "Claim", "Listing", "claims", "finding"]
