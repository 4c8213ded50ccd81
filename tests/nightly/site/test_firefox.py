"""Test each page, each explorer and a question in Firefox, from a server and from disk.

Playwright can only control its own build of Firefox. This module controls Debian's Firefox through
WebDriver BiDi, which Firefox supports without a separate driver program.
"""

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import websocket
from built import EXPLORED, PAGES
from visits import OPEN_CARDS

# Firefox does not log violations of the security policy as errors, so this script does.
WATCH = """() => document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
})"""
BROKEN_OFF = "status=2152398850 "  # the browser left the previous page while a font was loading


class Firefox:
    """A Firefox window. Its `events` are the errors in the console and the network requests."""

    def __init__(self, address: str) -> None:
        self.socket = websocket.create_connection(address, timeout=60, suppress_origin=True)
        self.asked = 0
        self.events: list[dict[str, Any]] = []
        self.send("session.new", capabilities={})
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]
        self.send("script.addPreloadScript", functionDeclaration=WATCH)
        self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.asked += 1
        self.socket.send(json.dumps({"id": self.asked, "method": method, "params": parameters}))
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv())
            if message.get("id") == self.asked:
                assert message["type"] == "success", message
                return message["result"]
            self.events.append(message)

    def open(self, address: str) -> None:
        self.events.clear()
        self.send("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        target = {"context": self.context}
        asked = {"expression": expression, "target": target, "awaitPromise": True}
        answer = self.send("script.evaluate", **asked)
        assert answer["type"] == "success", answer
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> None:
        for _ in range(1200):
            if self.evaluate(expression):
                return
            time.sleep(0.05)
        raise AssertionError(f"never true in Firefox: {expression}")

    def problems(self, ours: tuple[str, ...]) -> list[str]:
        """Return all errors since the page was opened, and all requests to other hosts."""
        told = [event["params"] for event in self.events]
        errors = [entry["text"] for entry in told if entry.get("level") == "error"]
        requests = [entry["request"]["url"] for entry in told if "request" in entry]
        return [text for text in errors if BROKEN_OFF not in text] + [
            url for url in requests if not url.startswith((*ours, "data:"))
        ]


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    if not (executable := shutil.which("firefox-esr") or shutil.which("firefox")):
        pytest.skip("no Firefox here; Debian's is enough: apt-get install firefox-esr")
    profile = tmp_path_factory.mktemp("profile")
    command = [executable, "--headless", "--no-remote", "--profile", str(profile),
               "--remote-debugging-port", "0", "about:blank"]  # fmt: skip
    with (profile / "log").open("w") as log:
        process = subprocess.Popen(command, stderr=log, stdout=subprocess.DEVNULL)
    try:
        while not (found := re.search(r"(ws://\S+)", (profile / "log").read_text("utf-8"))):
            assert process.poll() is None, "Firefox did not start"
            time.sleep(0.1)
        window = Firefox(f"{found[1]}/session")
        yield window
        window.socket.close()
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture(params=["server", "disk"])
def base(request: pytest.FixtureRequest, server: str, site: Path) -> str:
    return server if request.param == "server" else f"{site.as_uri()}/"


@pytest.mark.parametrize("path", PAGES)
def test_page_opens_without_error(
    firefox: Firefox, base: str, server: str, site: Path, path: str
) -> None:
    firefox.open(base + path)
    firefox.evaluate(OPEN_CARDS)
    for number in range(firefox.evaluate("document.querySelectorAll('.om-explorer').length")):
        explorer = f"document.querySelectorAll('.om-explorer')[{number}]"
        firefox.evaluate(f"{explorer}.scrollIntoView()")
        firefox.wait_for(f"'live' in {explorer}.dataset")
    # Both addresses are allowed, because Firefox may request the icon of the previous page later.
    assert not firefox.problems((server, f"{site.as_uri()}/"))


def test_an_explorer_takes_keys_and_a_question_its_answer(firefox: Firefox, base: str) -> None:
    def press(*keys: str) -> None:
        kinds = ("keyDown", "keyUp")
        actions = [{"type": kind, "value": key} for key in keys for kind in kinds]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        firefox.send("input.performActions", context=firefox.context, actions=[source])

    firefox.open(base + EXPLORED)
    host = "document.querySelector('.om-explorer[data-kind=heatmap]')"
    firefox.evaluate(f"{host}.scrollIntoView()")
    firefox.wait_for(f"'live' in {host}.dataset")
    painted = f"{host}.querySelector('.ex-drawn').innerHTML"
    firefox.evaluate(f"window.before = {painted}")
    firefox.evaluate(f"{host}.querySelector('input[type=range]').focus()")
    press("\ue014")  # the right arrow key
    firefox.wait_for(f"{painted} !== window.before")
    firefox.evaluate("document.querySelector('.om-quiz input[type=text]').focus()")
    press(*"987654", "\ue007")  # digits, then Enter
    firefox.wait_for("document.querySelector('.om-said').textContent.startsWith('✗ Not yet.')")
