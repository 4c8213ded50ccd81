"""Let these tests import the modules in tests/course/grading."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "course" / "grading"))
