"""The library for students' machines in an exam, as a wheel that pip installs without a network.

It holds pe_lib and what of pe_lib.course a sheet may use. Of the grading it holds what
`exam/student.py` needs, and for each question the form of its answer.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import inspect
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pe_lib
import pe_lib.course.grading.exam.student as student
from pe_lib.course.grading.sheet import Content, Question

NAME = "order_matters_exam"
LIBRARY = Path(pe_lib.__file__).parent
COURSE = Path(student.__file__).parents[2]
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # so that the same wheel is the same file
GRADING = (
    '"""The sheet of an exam."""\n\nfrom pe_lib.course.grading.exam.student import Sheet as Sheet\n'
)
MADE_HERE = {
    "pe_lib/course/__init__.py": '"""What an exam needs of the course."""\n',
    "pe_lib/course/grading/__init__.py": GRADING,
    "pe_lib/course/grading/exam/__init__.py": '"""An exam, for students."""\n',
}
ABOUT = f"""\
Metadata-Version: 2.1
Name: {NAME.replace("_", "-")}
Version: {pe_lib.__version__}
Summary: pe_lib for an exam of Order Matters
Requires-Python: >=3.11
Requires-Dist: numpy>=2.0
Requires-Dist: threadpoolctl>=3.5
"""
KIND = "Wheel-Version: 1.0\nGenerator: pe_lib\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def file_name() -> str:
    return f"{NAME}-{pe_lib.__version__}-py3-none-any.whl"


def wheel(content: Content) -> bytes:
    """The wheel for an exam on this sheet."""
    files = files_for(content)
    info = f"{NAME}-{pe_lib.__version__}.dist-info"
    files |= {f"{info}/METADATA": ABOUT.encode(), f"{info}/WHEEL": KIND.encode()}
    record = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as package:
        for path, data in files.items():
            package.writestr(zipfile.ZipInfo(path, LONG_AGO), data, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def files_for(content: Content) -> dict[str, bytes]:
    """What the wheel installs, by path."""
    paths = {f"pe_lib/{p.relative_to(LIBRARY).as_posix()}": p for p in LIBRARY.rglob("*.py")}
    found = {inside: p for inside, p in paths.items() if not inside.startswith("pe_lib/course/")}
    for path in [COURSE / "attention.py", *COURSE.glob("model/*.py"), *_grading()]:
        found[f"pe_lib/course/{path.relative_to(COURSE).as_posix()}"] = path
    files = {inside: path.read_bytes() for inside, path in sorted(found.items())}
    files |= {inside: text.encode() for inside, text in MADE_HERE.items()}
    forms = {content.name: {q.name: form(q) for q in content.questions.values()}}
    text = json.dumps(forms, indent=1)
    return files | {"pe_lib/course/grading/exam/forms.json": text.encode()}


def _grading() -> list[Path]:
    """The modules of the grading that `student` needs, and that they need."""
    found, todo = set(), [Path(student.__file__)]
    while todo:
        path = todo.pop()
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "pe_lib.course.grading"
            ):
                base = COURSE.joinpath(*(node.module or "").split(".")[2:])
                names = [base.with_suffix(".py"), *(base / f"{a.name}.py" for a in node.names)]
                todo += [name for name in names if name.is_file() and name not in found]
    return sorted(found)


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


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
