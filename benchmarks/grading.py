"""How long grading takes: python -m benchmarks.grading [SUBMISSIONS]

A class of 1,000 that hands in solved, half-solved, untouched and looping notebooks.
"""

import io
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from classroom.running.folder import grade_folder
from classroom.running.terms import Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.check import grade
from pe_lib.course.grading.outcome import known
from pe_lib.course.grading.sheet import Question, load, names


def submission(number: int, sheet: str) -> str:
    """Every second one is solved; one in fifty holds an endless loop."""
    content = load(sheet)
    made = (notebooks.solved if number % 2 else notebooks.student)(content)
    if number % 50 == 0:
        made["cells"][3]["source"] = "while True: pass"
    return json.dumps(made)


def slowest_check() -> tuple[float, str]:
    """Seconds that the slowest first check of a wrong answer takes, and of which question."""

    def seconds(question: Question) -> float:
        answer = question.defined(question.mistakes[0].code)
        known.cache_clear()
        start = time.perf_counter()
        grade(question, {question.answer: answer})
        return time.perf_counter() - start

    questions = [question for name in names() for question in load(name).questions.values()]
    return max((seconds(question), f"{question.sheet}, {question.name}") for question in questions)


def main() -> None:
    seconds, question = slowest_check()
    print(f"the slowest check: {1_000 * seconds:.0f} ms ({question})")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    cores = os.cpu_count() or 1
    for sheet in ("04", "07"):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(count):
                path = Path(folder, f"{number:04}.ipynb")
                path.write_text(submission(number, sheet), "utf-8")
            terms, out = Terms(load(sheet), secrets=(1, 2)), Path(folder, "kept.jsonl")
            start = time.perf_counter()
            rows = grade_folder(Path(folder), out, terms, cores, io.StringIO())
            seconds = time.perf_counter() - start
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(
            f"sheet {sheet}: {len(rows)} submissions on {cores} cores in {seconds:.0f} s,"
            f" {len(rows) / seconds / cores:.1f} a second and core;"
            f" the largest process took {memory:.0f} MB"
        )


if __name__ == "__main__":
    main()
