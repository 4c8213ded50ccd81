"""Test that the library never imports the course, and that no imports are circular."""

import ast
import importlib
import pydoc
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pe_lib

ROOT = Path(pe_lib.__file__).parents[1]


def module(file: Path) -> str:
    """Return the dotted name of the module in a file."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = list((ROOT / "pe_lib").rglob("*.py"))
MODULES = {module(file): file for file in FILES}


@cache
def list_imports(name: str) -> set[str]:
    """Return all modules that a module imports, including imports in functions and for types."""
    file, imports = MODULES[name], set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imports |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level and node.module, f"{file}: imports are written in full"
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            within = members & MODULES.keys()
            imports |= within if within == members else within | {node.module}
    return imports


RULES = {f"pe_lib.{name}" for name in ("biases", "context", "grid", "rotary", "sinusoidal")}
COURSE = {  # for each part of the course, the other parts that it is allowed to import
    "attention": set(),
    "readers": set(),
    "wishes": set(),
    "figures": set(),
    "files": set(),
    "model": set(),
    "grading": set(),
    "predictions": set(),
    "audit": {"attention", "model"},
    "doctor": {"figures"},
    "explorers": {"attention", "figures", "model"},
}


def test_no_import_leads_back() -> None:
    graph = {name: list_imports(name) & MODULES.keys() - {name} for name in MODULES}
    # Importing a module runs its package first, which is harmless without an import back.
    TopologicalSorter(graph).prepare()  # This call raises CycleError if there are circular imports.


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_only_what_lies_below(name: str) -> None:
    """Check which modules each part of the library imports, and that none needs more than numpy."""
    used = list_imports(name)
    ours = {other for other in used if other.startswith("pe_lib.")}
    if name.startswith("pe_lib.course."):
        part = name.split(".")[2]
        others = {other.split(".")[2] for other in ours if other.startswith("pe_lib.course.")}
        assert others - {part} <= COURSE[part]
        return
    # Only pytest imports the module that offers a fixture.
    own = {"numpy", "pe_lib", *(["pytest"] if name == "pe_lib.doctor.pytest_plugin" else [])}
    assert {other.split(".")[0] for other in used} - sys.stdlib_module_names <= own
    tops = {other.split(".")[1] for other in ours}
    assert "course" not in tops
    if name.startswith("pe_lib.checkpoints"):
        below = {other for other in ours if "checkpoints" not in other}
        assert below <= RULES | {"pe_lib._checks"}
    elif name != "pe_lib" and not name.startswith("pe_lib.doctor"):
        assert not tops & {"checkpoints", "doctor"}


def test_modules_come_when_they_are_used_and_no_others() -> None:
    code = (
        "import sys, pe_lib; before = 'pe_lib.rotary' in sys.modules;"
        "print(before, pe_lib.rotary.rotate([1, 0], 0), {'rotary', 'grid'} <= {*dir(pe_lib)});"
        "print({'torch', 'jax', 'matplotlib', 'anywidget', 'IPython'} & {*sys.modules})"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "False [1. 0.] True\nset()\n"
    with pytest.raises(AttributeError, match="module 'pe_lib' has no attribute 'nothing'"):
        pe_lib.nothing  # type: ignore[attr-defined]  # noqa: B018
    assert pe_lib.__all__ == sorted(pe_lib.__all__)
    assert all(callable(getattr(pe_lib, name)) for name in pe_lib.__all__)


OFFERED = (
    "biases",
    "candidates",
    "context",
    "decoding",
    "grid",
    "relative",
    "rotary",
    "sinusoidal",
)


@pytest.mark.parametrize("name", OFFERED)
def test_what_a_module_lists_and_how_help_shows_it(name: str) -> None:
    """Check that dir() lists only public names, and that help() shows the short names of types."""
    own = importlib.import_module(f"pe_lib.{name}")
    assert dir(own) == sorted(own.__all__)
    for function in own.__all__:
        head, _, description = pydoc.plaintext.document(getattr(own, function)).partition("\n")
        assert len(head) < 700 and "numpy._typing" not in head, head
        assert description.strip()


def test_what_the_package_lists() -> None:
    assert dir(pe_lib) == sorted([*pe_lib.__all__, *pe_lib._MODULES, "__version__"])
