"""What five pages on positional encoding say, checked claim by claim.

`claims()` is the table: for each claim what the page says in our words, the verdict, what is right,
the chapter that teaches it, and the name of the check that decides it. `finding(claim)` runs the
check. The appendix *Auditing the sources* shows both.
"""

from pe_lib.course.audit.listing import Listing
from pe_lib.course.audit.table import PAGES, Claim, claims, finding

__all__ = ["PAGES", "Claim", "Listing", "claims", "finding"]
