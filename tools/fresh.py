"""Run the README's two commands in a fresh clone of the last commit, on a freshly installed system.

python3 tools/fresh.py [COMMAND ...]      (default: "make serve" "make test")

Root makes a temporary system with mmdebstrap, using the same release of Debian or Ubuntu as this
machine. The system has Python, git and make, but no browser, no node, no fonts, and an empty home
folder. It inherits only the settings for downloads: the mirror, certificates, the proxy, and the
settings of pip and npm.
"""

import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
PORT = "8765"
# This machine's settings for certificates, proxies and package indexes are environment variables
# whose names begin with these texts.
NETWORK_SETTINGS = ("PIP_", "NPM_CONFIG_", "SSL_CERT_", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
            "CURL_CA_BUNDLE", "GIT_SSL_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")  # fmt: skip

# takes a shell command, and returns a command that runs it in the new system
Wrap = Callable[[str], list[str]]


def copy_network_settings(base: Path) -> dict[str, str]:
    """Return this machine's settings for downloads, so that another system can download as well.

    The files and folders that the settings name are copied into that system, which is in the folder
    `base`, and the returned settings name the copies.
    """
    settings = {k: v for k, v in os.environ.items() if k.upper().startswith(NETWORK_SETTINGS)}
    pip, npm = Path.home() / ".config/pip/pip.conf", Path.home() / ".npmrc"
    settings |= {"PIP_CONFIG_FILE": str(pip)} if pip.is_file() else {}
    settings |= {"NPM_CONFIG_USERCONFIG": str(npm)} if npm.is_file() else {}
    for name, value in settings.items():
        source = Path(value)
        if not (source.is_absolute() and source.exists()):
            continue
        inside = Path("/etc/fetching", name, source.name)
        target = base / inside.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        settings[name] = str(inside)
    return settings


def make_system(base: Path) -> Wrap:
    """Make a new system in the folder `base`, and return a function that can run commands there.

    The wrapped command runs in the clone of the course in the new system.
    """
    packages = "--include=ca-certificates,git,make,python3,python3-venv"
    apt = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").iterdir()]
    sources = [str(x) for x in apt if x.suffix in {".list", ".sources"} and x.exists()]
    suite = platform.freedesktop_os_release()["VERSION_CODENAME"]
    make = ["mmdebstrap", "--quiet", "--variant=apt", packages, suite, str(base), *sources]
    subprocess.run(make, check=True)
    (base / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n", "utf-8")
    settings = copy_network_settings(base)

    def wrap(line: str) -> list[str]:
        inside = {"HOME": "/home/new", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
        clean = ["env", "-i", *(f"{k}={v}" for k, v in (settings | inside).items())]
        run = ["chroot", str(base), *clean, "sh", "-c", f"mkdir -p $HOME; cd /course; {line}"]
        mounted = f"mount --rbind /dev {base}/dev && exec {shlex.join(run)}"
        namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        return [*namespaces, f"--mount-proc={base}/proc", "sh", "-c", mounted]

    return wrap


def serves_front_page(wrap: Wrap) -> bool:
    """Return whether `make serve` delivers the front page before the command ends."""
    with subprocess.Popen(wrap(f"make serve PORT={PORT}"), start_new_session=True) as server:
        try:
            while server.poll() is None:
                with suppress(OSError), urlopen(f"http://localhost:{PORT}", timeout=10) as page:
                    return b"Order Matters" in page.read()
                time.sleep(0.5)
            return False
        finally:
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGTERM)


def main(commands: list[str]) -> None:
    """Run the commands in a new system until one of them fails, and print how long each took."""
    if not (shutil.which("apt-get") and os.geteuid() == 0):
        raise SystemExit("Only root of a Debian or Ubuntu can make a new system: sudo make fresh")
    if not shutil.which("mmdebstrap"):
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "mmdebstrap"], check=True)
    results, succeeded = [], True
    with tempfile.TemporaryDirectory(prefix="fresh-") as folder:
        base = Path(folder, "system")
        wrap = make_system(base)
        clone = ["git", "clone", "-q", "--no-local", str(ROOT), str(base / "course")]
        subprocess.run(clone, check=True)
        while succeeded and commands:
            command = commands.pop(0)
            print(f"\n$ {command}", flush=True)
            start = time.monotonic()
            if command == "make serve":
                succeeded = serves_front_page(wrap)
            else:
                succeeded = subprocess.run(wrap(command), check=False).returncode == 0
            seconds = time.monotonic() - start
            results.append(f"{'done' if succeeded else 'FAILED'}  {seconds:5.0f} s  {command}")
    print("\n" + "\n".join(results))
    sys.exit(not succeeded)


if __name__ == "__main__":
    main(sys.argv[1:] or ["make serve", "make test"])
