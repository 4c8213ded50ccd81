"""The library for students' machines in an exam, as a wheel that pip installs without a network.

It holds pe_lib and what of pe_lib.course a sheet may use. Of the grading it holds what `student`
needs, which stands where the course has its own `Sheet`, and for each question the form of its
answer.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pe_lib
from classroom.exam import student
from classroom.packages import wheels
from pe_lib import course
from pe_lib.course.grading.sheet import Content, Question

NAME = "order_matters_exam"
NEEDS = ("numpy>=2.0", "threadpoolctl>=3.5")
LIBRARY = Path(pe_lib.__file__).parent
COURSE = Path(course.__file__).parent
NEEDED = (
    "__init__",
    "borrowed",
    "limits",
    "numbers",
    "outcome",
    "sheet",
    "untouched",
)  # by `student`
START = b'"""What an exam needs of the course."""\n'


def file_name() -> str:
    return wheels.file_name(NAME)


def wheel(content: Content) -> bytes:
    """The wheel for an exam on this sheet."""
    return wheels.wheel(NAME, "pe_lib for an exam of Order Matters", NEEDS, files_for(content))


def files_for(content: Content) -> dict[str, bytes]:
    """What the wheel installs, by path."""
    paths = {f"pe_lib/{p.relative_to(LIBRARY).as_posix()}": p for p in LIBRARY.rglob("*.py")}
    found = {inside: p for inside, p in paths.items() if not inside.startswith("pe_lib/course/")}
    modules = [COURSE / "attention.py", *COURSE.glob("model/*.py")]
    for path in [*modules, *(COURSE / "grading" / f"{name}.py" for name in NEEDED)]:
        found[f"pe_lib/course/{path.relative_to(COURSE).as_posix()}"] = path
    found["pe_lib/course/grading/notebook.py"] = Path(student.__file__)
    files = {inside: path.read_bytes() for inside, path in sorted(found.items())}
    forms = {content.name: {q.name: form(q) for q in content.questions.values()}}
    files["pe_lib/course/grading/forms.json"] = json.dumps(forms, indent=1).encode()
    return files | {"pe_lib/course/__init__.py": START}


def form(question: Question) -> dict[str, Any]:
    """What an answer looks like, as far as the prompt says it."""
    said: dict[str, Any] = {"answer": question.answer, "kind": question.kind}
    if question.kind == "choice":
        said["choices"] = list(question.choices)
    elif question.kind == "code":
        made = question.run(question.starter)[question.answer]
        said |= {"setup": question.setup, "starter": question.starter}
        said["arguments"] = list(inspect.signature(made).parameters)
    elif question.kind == "numbers":
        counts = {len(list(question.defined(question.solution.code, seed))) for seed in range(3)}
        said |= {"count": counts.pop()} if len(counts) == 1 else {}
    return said
