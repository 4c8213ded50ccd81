"""Visit every link of the built site that leads to another host, and report which are dead.

python tools/links.py _build/site

A report, not a verdict: a host may be down for an hour, or answer no programs. The exit code is 0
unless there was no link to visit, which means that the site was not built.
"""

import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urldefrag
from urllib.request import Request, urlopen

from bs4 import BeautifulSoup

HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; order-matters link check)"}
REFUSED = {401, 403, 405, 406, 418, 429}  # there, but not for a program


def links(site: Path) -> dict[str, list[str]]:
    """Every address on another host, and the pages that link to it."""
    found = defaultdict(list)
    for page in sorted(site.rglob("*.html")):
        soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
        for address in {urldefrag(str(a["href"])).url for a in soup.select("a[href]")}:
            if address.startswith(("http://", "https://")):
                found[address].append(page.relative_to(site).as_posix())
    return dict(sorted(found.items()))


def visit(address: str, seconds: float = 20) -> str:
    """What is wrong with an address; nothing if it answers."""
    try:
        with urlopen(Request(address, headers=HEADERS), timeout=seconds):
            return ""
    except HTTPError as error:
        return f"refuses programs ({error.code})" if error.code in REFUSED else f"{error.code}"
    except (OSError, HTTPException, ValueError) as error:
        return f"no answer ({getattr(error, 'reason', error)})"


def report(found: dict[str, list[str]], said: dict[str, str]) -> str:
    """A Markdown list of what is dead or refused, and where it is linked."""
    bad = {address: why for address, why in said.items() if why}
    lines = [f"{len(said)} links to other hosts, {len(said) - len(bad)} of them answer.", ""]
    lines += [
        f"- {why}: <{address}> in {', '.join(found[address])}" for address, why in bad.items()
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    site = Path(sys.argv[1])
    if not (found := links(site)):
        raise SystemExit(f"No link to another host in {site}. Build the site first: make site")
    with ThreadPoolExecutor(8) as pool:
        print(report(found, dict(zip(found, pool.map(visit, found), strict=True))), end="")


if __name__ == "__main__":
    main()
