"""How long grading takes: python -m benchmarks.grading [SUBMISSIONS]

A class of 1,000 that hands in solved, untouched and looping notebooks.
"""

import io
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from classroom.running.folder import grade_folder
from classroom.running.terms import Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load


def submission(number: int, sheet: str) -> str:
    """Every second one is solved; one in fifty holds an endless loop."""
    content = load(sheet)
    made = (notebooks.make_solved if number % 2 else notebooks.make_student)(content)
    if number % 50 == 0:
        made["cells"][3]["source"] = "while True: pass"
    return json.dumps(made)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    cores = os.cpu_count() or 1
    for sheet in ("04", "07"):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(count):
                path = Path(folder, f"{number:04}.ipynb")
                path.write_text(submission(number, sheet), "utf-8")
            terms = Terms(load(sheet), secrets=(1, 2))
            start = time.perf_counter()
            rows = grade_folder(Path(folder), terms, cores, io.StringIO())
            each = (time.perf_counter() - start) / len(rows)
        print(f"sheet {sheet}: {len(rows)} submissions on {cores} cores, {each:.2f} s each")


if __name__ == "__main__":
    main()
