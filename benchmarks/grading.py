"""Measure how long it takes to grade a class: python -m benchmarks.grading [SUBMISSIONS].

By default the class has 1,000 students. Half of the notebooks that they hand in are solved, the
others are unanswered, and one notebook in fifty contains an endless loop.
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


def make_submission(number: int, sheet: str) -> str:
    """Return a submission for the benchmark: the notebook of the student with this number.

    Every second notebook is solved, and one notebook in fifty contains an endless loop.
    """
    content = load(sheet)
    make = notebooks.make_solved if number % 2 else notebooks.make_student
    notebook = make(content)
    if number % 50 == 0:
        notebook["cells"][3]["source"] = "while True: pass"
    return json.dumps(notebook)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    cores = os.cpu_count() or 1
    for sheet in ("04", "07"):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(count):
                path = Path(folder, f"{number:04}.ipynb")
                path.write_text(make_submission(number, sheet), "utf-8")
            terms = Terms(load(sheet), secrets=(1, 2))
            start = time.perf_counter()
            rows = grade_folder(Path(folder), terms, cores, io.StringIO())
            seconds = (time.perf_counter() - start) / len(rows)
        print(f"sheet {sheet}: {len(rows)} submissions on {cores} cores, {seconds:.2f} s each")


if __name__ == "__main__":
    main()
