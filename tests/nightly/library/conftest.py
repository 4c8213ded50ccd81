"""Add the doctor's tests to the import path, because nightly tests run them on more cases."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "library" / "doctor"))
