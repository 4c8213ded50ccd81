"""The library for students' machines in an exam, as a wheel that pip installs without a network.

It holds what of pe_lib and pe_lib.course an answer may call (`library`). Of the grading it holds
what `student` needs, which stands where the course has its own `Sheet`, and for each question the
form of its answer.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

from classroom.exam import library, student
from classroom.packages import wheels
from pe_lib.course import grading
from pe_lib.course.grading.sheet import Content, Question

NAME = "order_matters_exam"
NEEDS = ("numpy>=2.0", "threadpoolctl>=3.5")
GRADING = Path(grading.__file__).parent
NEEDED = ("borrowed", "limits", "numbers", "outcome", "sheet", "untouched")  # by `student`


def file_name() -> str:
    return wheels.file_name(NAME)


def wheel(content: Content) -> bytes:
    """The wheel for an exam on this sheet."""
    return wheels.wheel(NAME, "pe_lib for an exam of Order Matters", NEEDS, files_for(content))


def files_for(content: Content) -> dict[str, bytes]:
    """What the wheel installs, by path."""
    files = library.files(content)
    found = {name: GRADING / f"{name}.py" for name in ("__init__", *NEEDED)}
    for name, path in (found | {"notebook": Path(student.__file__)}).items():
        files[f"pe_lib/course/grading/{name}.py"] = path.read_bytes()
    forms = {content.name: {q.name: form(q) for q in content.questions.values()}}
    files["pe_lib/course/grading/forms.json"] = json.dumps(forms, indent=1).encode()
    return dict(sorted(({"pe_lib/course/__init__.py": library.START.encode()} | files).items()))


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
