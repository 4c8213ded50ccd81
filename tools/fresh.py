"""A machine like new: the README's two commands, whole, from an empty clone of the last commit.

python3 tools/fresh.py [COMMAND ...]      ("make serve" "make test")

Root gets a throw-away system (mmdebstrap, of the machine's own Debian or Ubuntu) with Python, git
and make in it, no browser, no node, no fonts, and an empty home. It knows of this machine only how
packages are fetched: mirror, certificates, proxy, what pip and npm are told.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ("make serve", "make test")
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
    release = dict(
        line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if line
    )
    sources = [*Path("/etc/apt").glob("sources.list"), *Path("/etc/apt/sources.list.d").iterdir()]
    sources = [str(path) for path in sources if path.suffix in {".list", ".sources"}]
    suite = release["VERSION_CODENAME"].strip('"')
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


def obstacle() -> str:
    """Why no new system can be made here; nothing where it can."""
    if sys.platform != "linux" or not shutil.which("apt-get"):
        return "this is no Debian and no Ubuntu"
    if os.geteuid() != 0:
        return "it takes root's rights (sudo make fresh)"
    if not shutil.which("mmdebstrap"):
        for line in (["update", "-qq"], ["install", "-y", "-qq", "mmdebstrap"]):
            if subprocess.run(["apt-get", *line]).returncode:
                return "mmdebstrap can't be installed"
    alone = ["unshare", "--mount", "--pid", "--fork", "true"]
    return "" if subprocess.run(alone).returncode == 0 else "it may not mount anything"


def answers(server: subprocess.Popen[bytes]) -> bool:
    """Whether the front page comes before the server ends."""
    while server.poll() is None:
        try:
            with urlopen(f"http://localhost:{PORT}", timeout=10) as page:
                return b"Order Matters" in page.read()
        except (URLError, ConnectionError):
            time.sleep(0.5)
    return False


def done(command: str, wrap: Wrap) -> bool:
    """Run it to its end; `make serve` until its page is there."""
    if command != "make serve":
        return subprocess.run(wrap(command)).returncode == 0
    with subprocess.Popen(wrap(f"{command} PORT={PORT}"), start_new_session=True) as server:
        there = answers(server)
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGTERM)
    return there


def main(commands: list[str]) -> None:
    if why := obstacle():
        raise SystemExit(f"No new system can be made here: {why}")
    told = []
    with tempfile.TemporaryDirectory(prefix="fresh-") as folder:
        base = Path(folder, "system")
        wrap = system(base)
        subprocess.run(
            ["git", "clone", "-q", "--no-local", str(ROOT), str(base / "course")], check=True
        )
        for command in commands:
            print(f"\n$ {command}", flush=True)
            start = time.monotonic()
            succeeded = done(command, wrap)
            seconds = time.monotonic() - start
            told.append(f"{'done' if succeeded else 'FAILED'}  {seconds:5.0f} s  {command}")
            if not succeeded:
                break
    print("\n" + "\n".join(told))
    if not succeeded:
        raise SystemExit(1)


if __name__ == "__main__":
    main(sys.argv[1:] or list(COMMANDS))
