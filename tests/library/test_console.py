"""Test that commands can print on every console, whichever characters its encoding has."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pe_lib import encode

PRINT = """
from pe_lib._console import keep_output_printable
keep_output_printable()
print("−0.5 × √d ≤ π…, Zoë, 李, caf\\udce9, Ж")
"""


@pytest.mark.parametrize(
    ("encoding", "printed"),
    [
        ("cp1251", "-0.5 x sqrt d <= pi…, Zoe, \\u674e, caf\\udce9, Ж"),
        ("cp1252", "-0.5 × sqrt d <= pi…, Zoë, \\u674e, caf\\udce9, \\u0416"),
        ("utf-8", "−0.5 × √d ≤ π…, Zoë, 李, caf\\udce9, Ж"),
    ],
)
def test_the_nearest_sign_stands_for_one_that_is_missing(
    encoding: str, printed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    ran = subprocess.run([sys.executable, "-c", PRINT], capture_output=True, check=True)
    assert ran.stdout.decode(encoding).strip() == printed


def test_the_doctors_json_keeps_every_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "cp1251")
    path = tmp_path / "Zoë × 2.npy"
    np.save(path, encode(range(32), 8))
    for options in ((), ("--json",)):
        command = [sys.executable, "-m", "pe_lib.doctor", str(path), *options]
        ran = subprocess.run(command, capture_output=True, check=True)
    assert json.loads(ran.stdout.decode("cp1251"))["file"] == str(path)
