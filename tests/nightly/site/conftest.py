"""Make the modules and fixtures of tests/site available to the nightly tests of the site."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "site")]

from tests.site.conftest import (  # noqa: E402
    below,
    browser,
    open_page,
    server,
    site,
)

__all__ = ["below", "browser", "open_page", "server", "site"]
