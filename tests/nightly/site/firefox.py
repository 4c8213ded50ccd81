"""Debian's Firefox, driven by the protocol that it speaks itself (WebDriver BiDi).

Playwright drives a Firefox of its own only; this needs no driver, and no more than what is here.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import websocket

NAMES = ("firefox-esr", "firefox")
QUIET = """user_pref("app.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.safebrowsing.downloads.remote.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
"""
# the policy's complaints come from nobody's script, so that the console does not pass them on
WATCH = """() => document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
})"""
# NS_BINDING_ABORTED: a font was still on its way when the page before was left
BROKEN_OFF = 0x804B0002
KEYS = {"ArrowRight": "\ue014", "Enter": "\ue007"}


def installed() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Firefox:
    """One window: `with Firefox(executable) as firefox: firefox.open(address)`."""

    def __init__(self, executable: str) -> None:
        self.profile = Path(tempfile.mkdtemp(prefix="firefox-"))
        (self.profile / "user.js").write_text(QUIET, "utf-8")
        log = self.profile / "log"
        with log.open("w") as errors:
            self.process = subprocess.Popen(
                [executable, "--headless", "--no-remote", "--profile", str(self.profile),
                 "--remote-debugging-port", "0", "about:blank"],
                stderr=errors, stdout=subprocess.DEVNULL,
                env={**os.environ, "HOME": str(self.profile)},
            )  # fmt: skip
        for _ in range(600):
            found = re.search(r"BiDi listening on (ws://\S+)", log.read_text("utf-8"))
            if found or self.process.poll() is not None:
                break
            time.sleep(0.1)
        if not found:
            self.close()
            raise RuntimeError("Firefox did not start")
        address = f"{found[1]}/session"
        self.socket = websocket.create_connection(address, timeout=60, suppress_origin=True)
        self.asked = 0
        self.events: list[dict[str, Any]] = []
        self.send("session.new", capabilities={})
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]
        self.send("script.addPreloadScript", functionDeclaration=WATCH)
        self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])

    def __enter__(self) -> "Firefox":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if socket := getattr(self, "socket", None):
            socket.close()
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command and its result; what is told in between is kept in `events`."""
        self.asked += 1
        self.socket.send(json.dumps({"id": self.asked, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.asked:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['message']}")
                result: dict[str, Any] = message["result"]
                return result
            self.events.append(message)

    def open(self, address: str) -> None:
        self.events.clear()
        self.send("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression: a string, a number or a truth value; promises are awaited."""
        answer = self.send(
            "script.evaluate",
            expression=expression,
            target={"context": self.context},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> None:
        for _ in range(1200):
            if self.evaluate(expression):
                return
            time.sleep(0.05)
        raise AssertionError(f"never true in Firefox: {expression}")

    def press(self, *keys: str) -> None:
        """Keys to what has the focus: names as in KEYS, or characters."""
        actions = [
            {"type": kind, "value": KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        self.send("input.performActions", context=self.context, actions=[source])

    def problems(self) -> list[str]:
        """Errors on the console since the page was opened, the policy's among them."""
        entries = [e["params"] for e in self.events if e.get("method") == "log.entryAdded"]
        texts = [str(entry["text"]) for entry in entries if entry["level"] == "error"]
        return [text for text in texts if f"status={BROKEN_OFF} " not in text]

    def requests(self) -> list[str]:
        sent = [e["params"] for e in self.events if e.get("method") == "network.beforeRequestSent"]
        return [str(request["request"]["url"]) for request in sent]
