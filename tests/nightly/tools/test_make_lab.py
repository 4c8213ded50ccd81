"""`make lab`: JupyterLab on the chapters, as it is typed."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_lab_shows_chapters_and_exercises(tmp_path: Path) -> None:
    """The real command, as root too, in a folder of configuration that is nobody's."""
    dry = ["make", "--no-print-directory", "-n", "lab"]
    told = subprocess.check_output(dry, cwd=ROOT, text=True).replace("\\\n", "")
    command = told.strip().splitlines()[-1]
    command += " --no-browser --port=0 --IdentityProvider.token=word"
    private = {"JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(tmp_path)}
    log = tmp_path / "log"
    with log.open("w") as said:
        server = subprocess.Popen(
            f"exec {command}", shell=True, cwd=ROOT, stderr=said, env=os.environ | private
        )
    try:
        while True:  # it prints its address before it listens there
            assert server.poll() is None, log.read_text()
            found = re.search(r"http://127\.0\.0\.1:\d+/", log.read_text())
            try:
                if found:
                    front = urlopen(f"{found[0]}?token=word", timeout=60).url
                    break
            except URLError as error:
                assert isinstance(error.reason, ConnectionRefusedError)
            time.sleep(0.1)
        assert front.split("?")[0].endswith("/lab/tree/chapters")
        for folder in ("chapters", "exercises"):
            with urlopen(f"{found[0]}api/contents/{folder}?token=word", timeout=60) as answer:
                held = {entry["name"] for entry in json.load(answer)["content"]}
            assert held >= {path.name for path in (ROOT / folder).glob("*.ipynb")}
    finally:
        server.terminate()
        server.wait(timeout=60)
