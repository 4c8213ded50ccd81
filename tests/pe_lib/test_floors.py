"""Two floors: the course imports the library, never the reverse, and nothing in a circle."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pe_lib

ROOT = Path(__file__).parents[2]


def module(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = [file for file in (ROOT / "pe_lib").rglob("*.py") if file.name != "setup.py"]
MODULES = {module(file): file for file in FILES}


def imported(file: Path) -> set[str]:
    """Every module that a file names, at its top, within functions, or for types alone."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level and node.module, f"{file}: imports are written in full"
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            within = members & MODULES.keys()
            found |= within if within == members else within | {node.module}
    return found


IMPORTS = {name: imported(file) for name, file in MODULES.items()}


def test_the_library_needs_numpy_alone_and_no_course() -> None:
    library = {name: used for name, used in IMPORTS.items() if ".course" not in name}
    assert len(library) > 8
    for name, used in library.items():
        assert not {other for other in used if other.startswith("pe_lib.course")}, name
        others = {other.split(".")[0] for other in used}
        assert others - sys.stdlib_module_names <= {"numpy", "pe_lib"}, name


def test_no_import_leads_back() -> None:
    graph = {name: used & MODULES.keys() - {name} for name, used in IMPORTS.items()}
    # a package stands for what it hands on; whoever imports one of its modules runs it first,
    # which is no circle as long as none of its modules imports the package
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_nothing_of_the_library_rests_on_the_doctor() -> None:
    """It stands on top: within it, sentences and numbers know no array, and files no diagnosis."""
    for name, used in IMPORTS.items():
        doctor = {m for m in used if m.startswith("pe_lib.doctor")}
        if not name.startswith("pe_lib.doctor"):
            assert not doctor or name == "pe_lib" or ".course" in name, name
    assert IMPORTS["pe_lib.doctor._numbers"] <= {"decimal", "math"}
    assert IMPORTS["pe_lib.doctor._sentences"] <= {"typing", "pe_lib.doctor._numbers"}
    within = {m for m in IMPORTS["pe_lib.doctor._files"] if m.startswith("pe_lib.doctor")}
    assert within == {"pe_lib.doctor._given"}


def test_checkpoints_rest_on_the_rules_and_no_rule_on_them() -> None:
    rules = {f"pe_lib.{name}" for name in ("biases", "context", "grid", "rotary", "sinusoidal")}
    for name, used in IMPORTS.items():
        if name.startswith("pe_lib.checkpoints"):
            others = {m for m in used if m.startswith("pe_lib") and "checkpoints" not in m}
            assert others <= rules | {"pe_lib", "pe_lib._checks"}, name
        elif not name.startswith(("pe_lib.course", "pe_lib.doctor")) and name != "pe_lib":
            assert not {m for m in used if m.startswith("pe_lib.checkpoints")}, name


def test_rooms_of_the_course_stand_on_each_other_in_one_order() -> None:
    below: dict[str, set[str]] = {
        "attention": set(),
        "figures": set(),
        "model": set(),
        "texts": set(),
        "grading": {"texts"},
        "predictions": {"texts"},
        "audit": {"attention", "model"},
        "doctor": {"figures"},
        "explorers": {"attention", "figures", "model", "texts"},
    }
    for name, used in IMPORTS.items():
        if name.startswith("pe_lib.course."):
            room = name.split(".")[2]
            others = {m.split(".")[2] for m in used if m.startswith("pe_lib.course.")} - {room}
            assert others <= below[room], f"{name} imports {others - below[room]}"


def test_modules_come_when_they_are_used() -> None:
    code = (
        "import sys, pe_lib; before = 'pe_lib.rotary' in sys.modules;"
        "print(before, pe_lib.rotary.rotate([1, 0], 0), {'rotary', 'grid'} <= {*dir(pe_lib)})"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "False [1. 0.] True\n"
    assert {pe_lib.biases, pe_lib.checkpoints, pe_lib.context, pe_lib.grid, pe_lib.rotary} <= {
        *sys.modules.values()
    }
    with pytest.raises(AttributeError, match="module 'pe_lib' has no attribute 'nothing'"):
        pe_lib.nothing  # type: ignore[attr-defined]  # noqa: B018
