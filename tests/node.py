"""Run a script of the tests with node, which reads one file and writes another."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any


def run(script: Path, argument: Any, folder: Path) -> Any:
    """Return what `script` makes of `argument`; both pass through `folder` as JSON."""
    node = shutil.which("node")
    assert node, "node is missing, which requirements.txt brings: run make, or activate .venv."
    argument_file, result_file = folder / "argument.json", folder / "result.json"
    argument_file.write_text(json.dumps(argument, default=lambda array: array.tolist()), "utf-8")
    command = [node, script, argument_file, result_file]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(result_file.read_text("utf-8"))
