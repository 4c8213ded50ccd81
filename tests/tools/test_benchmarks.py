"""Test that running benchmarks changes no file, and that an incomplete recording is rejected."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Measuring takes half a minute, so `dict` replaces it. An empty STEADY starts no second process.
QUICK = "from benchmarks import library; library.STEADY = {}; library.measure = dict"


def run_benchmark(tmp_path: Path, setting: str, *options: str) -> tuple[int, str, str]:
    """Run benchmarks.library with this `setting`. Return its exit code, output and recording."""
    recording = tmp_path / "library.json"
    recording.write_text("as it was", "utf-8")
    code = f"{QUICK}; from pathlib import Path; import sys; sys.argv[1:] = {list(options)}\n"
    code += f"library.RECORDING = Path({str(recording)!r})\n{setting}\nlibrary.main()"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr, recording.read_text("utf-8")


ABSENT = "library.find_spec = lambda module: None if module == 'torch' else module"
PRESENT = "library.find_spec = lambda module: module"


@pytest.mark.parametrize("setting", [ABSENT, PRESENT])
def test_a_measurement_changes_no_file(tmp_path: Path, setting: str) -> None:
    code, output, recording = run_benchmark(tmp_path, setting)
    assert code == 0 and "{}" in output and recording == "as it was"


def test_a_recording_without_pytorch_is_refused(tmp_path: Path) -> None:
    code, output, recording = run_benchmark(tmp_path, ABSENT, "--record")
    assert code == 1 and recording == "as it was"
    assert "Nothing was recorded: torch must be installed" in output and "make speed" in output


def test_a_recording_is_written_where_all_are_installed(tmp_path: Path) -> None:
    code, _, recording = run_benchmark(tmp_path, PRESENT, "--record")
    assert code == 0 and recording == "{}\n"
