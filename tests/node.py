"""A script of the tests, run by node: it is given one file and leaves another."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any


def run(script: Path, given: Any, folder: Path) -> Any:
    """What `script` makes of `given`; both pass through `folder` as JSON."""
    node = shutil.which("node")
    assert node, "node is missing; requirements.txt brings it: run through make, or activate .venv"
    asked, answered = folder / "asked.json", folder / "answered.json"
    asked.write_text(json.dumps(given, default=lambda array: array.tolist()), "utf-8")
    command = [node, script, asked, answered]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(answered.read_text("utf-8"))
