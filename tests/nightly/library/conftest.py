"""Puts the rooms on the path of which these tests ask more than a change has time for."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "library" / "doctor"))
