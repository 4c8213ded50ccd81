"""Run a test script with node, which reads its input from one file and writes to another."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any


def run(script: Path, argument: Any, folder: Path) -> Any:
    """Return the result of `script` for `argument`, passing both as JSON files through `folder`."""
    node = shutil.which("node")
    assert node, "node is missing, which requirements.txt brings: run make, or activate .venv."
    argument_file, result_file = folder / "argument.json", folder / "result.json"
    argument_file.write_text(json.dumps(argument, default=lambda array: array.tolist()), "utf-8")
    command = [node, *map(str, (script, argument_file, result_file))]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(result_file.read_text("utf-8"))
