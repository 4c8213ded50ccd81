"""A machine like new: the README's two commands, whole, from an empty clone of the last commit.

python3 tools/fresh.py [COMMAND ...]      ("make serve" "make test")

Root gets a throw-away system (mmdebstrap, of the machine's own Debian or Ubuntu) with Python, git
and make in it, no browser, no node, no fonts, and an empty home. It knows of this machine only how
packages are fetched: mirror, certificates, proxy, what pip and npm are told.
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
# how packages are fetched: variables that name certificates, proxies, indexes
FETCHING = ("PIP_", "NPM_CONFIG_", "SSL_CERT_", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
            "CURL_CA_BUNDLE", "GIT_SSL_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")  # fmt: skip

Wrap = Callable[[str], list[str]]  # a line for a shell, as it is run in there


def fetching(base: Path) -> dict[str, str]:
    """What this machine tells pip, npm and apt of registries, for a system in `base`, with
    copies of the files and folders that it names."""
    told = {k: v for k, v in os.environ.items() if k.upper().startswith(FETCHING)}
    pip, npm = Path.home() / ".config/pip/pip.conf", Path.home() / ".npmrc"
    told |= {"PIP_CONFIG_FILE": str(pip)} if pip.is_file() else {}
    told |= {"NPM_CONFIG_USERCONFIG": str(npm)} if npm.is_file() else {}
    for name, value in told.items():
        source = Path(value)
        if not (source.is_absolute() and source.exists()):
            continue
        inside = Path("/etc/fetching", name, source.name)
        place = base / inside.relative_to("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, place)
        told[name] = str(inside)
    return told


def system(base: Path) -> Wrap:
    """A new system in `base`: how a line is run there, in the clone."""
    wanted = "--include=ca-certificates,git,make,python3,python3-venv"
    apt = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").iterdir()]
    sources = [str(x) for x in apt if x.suffix in {".list", ".sources"} and x.exists()]
    suite = platform.freedesktop_os_release()["VERSION_CODENAME"]
    make = ["mmdebstrap", "--quiet", "--variant=apt", wanted, suite, str(base), *sources]
    subprocess.run(make, check=True)
    (base / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n", "utf-8")
    told = fetching(base)

    def wrap(line: str) -> list[str]:
        inside = {"HOME": "/home/new", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
        clean = ["env", "-i", *(f"{k}={v}" for k, v in (told | inside).items())]
        run = ["chroot", str(base), *clean, "sh", "-c", f"mkdir -p $HOME; cd /course; {line}"]
        mounted = f"mount --rbind /dev {base}/dev && exec {shlex.join(run)}"
        kept_in = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        return [*kept_in, f"--mount-proc={base}/proc", "sh", "-c", mounted]

    return wrap


def served(wrap: Wrap) -> bool:
    """Whether the front page comes before the server ends."""
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
    if not (shutil.which("apt-get") and os.geteuid() == 0):
        raise SystemExit("A new system is made by root of a Debian or Ubuntu: sudo make fresh")
    if not shutil.which("mmdebstrap"):
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "mmdebstrap"], check=True)
    told, succeeded = [], True
    with tempfile.TemporaryDirectory(prefix="fresh-") as folder:
        base = Path(folder, "system")
        wrap = system(base)
        clone = ["git", "clone", "-q", "--no-local", str(ROOT), str(base / "course")]
        subprocess.run(clone, check=True)
        while succeeded and commands:
            command = commands.pop(0)
            print(f"\n$ {command}", flush=True)
            start = time.monotonic()
            if command == "make serve":
                succeeded = served(wrap)
            else:
                succeeded = subprocess.run(wrap(command)).returncode == 0
            seconds = time.monotonic() - start
            told.append(f"{'done' if succeeded else 'FAILED'}  {seconds:5.0f} s  {command}")
    print("\n" + "\n".join(told))
    sys.exit(not succeeded)


if __name__ == "__main__":
    main(sys.argv[1:] or ["make serve", "make test"])
