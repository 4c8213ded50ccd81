"""These use what the tests of each change use: its folders are on the path."""

import sys
from pathlib import Path

ROOM = Path(__file__).resolve().parents[2] / "course" / "grading"
sys.path[:0] = [str(ROOM / name) for name in ("", "running", "packages", "exam")]
