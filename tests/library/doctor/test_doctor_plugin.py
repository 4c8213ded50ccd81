"""Test the pytest fixture in a project of its own, as the users of the library have it."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
from test_doctor_checkpoints import LLAMA

import pe_lib

ROOT = str(Path(pe_lib.__file__).parents[1])
PROJECT = """
import numpy as np

from pe_lib.rotary import rotate

W = 5e5 ** (-np.arange(64) / 64)
CONFIG = {config}


def test_healthy(assert_positions):
    assert_positions({{"inv_freq": W}}, CONFIG)
    assert_positions({{"inv_freq": W}}, "model")
    assert_positions("inv_freq.npy", "model/config.json")


def test_base_lost(assert_positions):
    assert_positions({{"inv_freq": 1e4 ** (-np.arange(64) / 64)}}, CONFIG)


def test_nothing_compared(assert_positions):
    assert_positions("model")


def test_function(assert_positions):
    assert_positions(lambda x, t: rotate(x, -t))
"""


def test_the_fixture(tmp_path):
    (tmp_path / "test_port.py").write_text(PROJECT.format(config=LLAMA))
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text(json.dumps(LLAMA))
    np.save(tmp_path / "inv_freq.npy", 5e5 ** (-np.arange(64) / 64))
    # where the library is installed, pytest finds the fixture without -p
    command = [sys.executable, "-m", "pytest", "-p", "pe_lib.doctor.pytest_plugin", "-rs", "-q"]
    settings = os.environ | {"PYTHONPATH": ROOT, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=settings, check=False
    )
    out = done.stdout
    assert "2 failed, 1 passed, 1 skipped" in out, out
    assert "The base is 10,000, but the configuration says 500,000." in out
    assert "Nothing was compared: no array of positions was read" in out
    assert "pairs turn the other way" in out and "pytest_plugin.py" not in out.replace(
        "SKIPPED", ""
    )


def test_the_distribution_names_command_and_fixture():
    project = tomllib.loads(Path(ROOT, "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"] == {"pe-doctor": "pe_lib.doctor.__main__:run"}
    assert project["entry-points"]["pytest11"] == {"pe-doctor": "pe_lib.doctor.pytest_plugin"}
    assert "doctor" in project["description"] and "pe-doctor" in project["readme"]["text"]
