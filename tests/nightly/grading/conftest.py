"""Put the folder of the tests of each change on the path: these tests use its modules."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "course" / "grading"))
