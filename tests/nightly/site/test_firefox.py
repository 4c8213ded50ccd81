"""The same site in Firefox: from a server and from disk, explorers by keyboard, questions."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from built import PAGES
from firefox import Firefox, installed

EXPLORERS = {
    "heatmap": "chapters/02-the-formula.html",
    "spectrum": "chapters/03-frequencies.html",
    "phase": "chapters/04-sine-and-cosine.html",
    "offset": "chapters/05-relative-positions.html",
}


@pytest.fixture(scope="module")
def firefox() -> Iterator[Firefox]:
    if not (executable := installed()):
        pytest.skip("no Firefox here; Debian's is enough: apt-get install firefox-esr")
    with Firefox(executable) as window:
        yield window


@pytest.fixture(params=["server", "disk"])
def base(request: pytest.FixtureRequest, server: str, site: Path) -> str:
    return server if request.param == "server" else f"{site.as_uri()}/"


@pytest.mark.parametrize("path", PAGES)
def test_page_opens_without_error(
    firefox: Firefox, base: str, server: str, site: Path, path: str
) -> None:
    firefox.open(base + path)
    for number in range(firefox.evaluate("document.querySelectorAll('.om-explorer').length")):
        explorer = f"document.querySelectorAll('.om-explorer')[{number}]"
        firefox.evaluate(f"{explorer}.scrollIntoView()")
        firefox.wait_for(f"'live' in {explorer}.dataset")
    assert firefox.problems() == []
    ours = (server, f"{site.as_uri()}/", "data:")  # an icon may still come for the page before
    assert [url for url in firefox.requests() if not url.startswith(ours)] == []


@pytest.mark.parametrize("kind", EXPLORERS)
def test_explorer_draws_and_takes_keys(firefox: Firefox, base: str, kind: str) -> None:
    firefox.open(base + EXPLORERS[kind])
    host = f"document.querySelector('.om-explorer[data-kind={kind}]')"
    firefox.evaluate(f"{host}.scrollIntoView()")
    firefox.wait_for(f"'live' in {host}.dataset")
    painted = f"{host}.querySelector('canvas').toDataURL()"
    frame = (
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
    )
    slider = f"{host}.querySelector('input[type=range]')"
    firefox.evaluate(frame)
    before, told = firefox.evaluate(painted), firefox.evaluate(f"{slider}.ariaValueText")
    firefox.evaluate(f"{slider}.focus()")
    firefox.press("ArrowRight")
    firefox.evaluate(frame)
    assert firefox.evaluate(f"{slider}.ariaValueText") != told
    assert firefox.evaluate(painted) != before
    assert firefox.problems() == []


def test_a_question_is_answered(firefox: Firefox, base: str) -> None:
    firefox.open(base + EXPLORERS["phase"])
    firefox.wait_for("document.readyState === 'complete'")
    firefox.evaluate("document.querySelector('.om-quiz input[type=text]').focus()")
    firefox.press(*"945", "Enter")
    firefox.wait_for("document.querySelector('.om-said').textContent.startsWith('✗ Not yet.')")
    assert firefox.problems() == []
