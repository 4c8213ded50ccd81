"""Test that the page's JavaScript versions of Python and numpy functions give the same results."""

import importlib
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

# In the expressions, x is np.arange(12) in the shape (3, 4), and v is three numbers and a NaN.
EXPRESSIONS = Path(__file__).with_name("expressions.txt").read_text("utf-8").splitlines()

MODULE = f"""import re

import numpy as np


def tried():
    x, v = np.arange(12.0).reshape(3, 4), np.asarray([1.0, np.nan, -2.0])
    return [{", ".join(EXPRESSIONS)}]


def unknown(x):
    match x:
        case 1:
            return 2
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("translated")
    (folder / "tried_here.py").write_text(MODULE, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("tried_here")


def nest_lists(x):
    """Convert arrays and tuples to nested lists."""
    many = isinstance(x, list | tuple | np.ndarray)
    return [nest_lists(y) for y in x] if many else float(x)


def test_expressions_have_the_values_that_python_and_numpy_give(module, tmp_path: Path) -> None:
    from _ext.doctor import HERE
    from _ext.doctor.kernels import kernels
    from _ext.doctor.translate import translate

    body = translate([(module, "tried")], (), ())
    script = f"""
globalThis.KERNELS = (ready) => {{ {kernels()} }};
const {{ np, NDArray }} = await import({json.dumps(str(HERE / "numpy.mjs"))});
const {{ py }} = await import({json.dumps(str(HERE / "python.mjs"))});
const {{ tried_here }} = ((py, np) => {{ {body} }})(py, np);
const plain = (x) => x instanceof NDArray || Array.isArray(x) ? Array.from(x, plain) : Number(x);
console.log(JSON.stringify(plain(tried_here.tried())));
"""
    (tmp_path / "tried.mjs").write_text(script, "utf-8")
    run = subprocess.run(
        ["node", tmp_path / "tried.mjs"], capture_output=True, text=True, check=False
    )
    assert not run.returncode, run.stderr
    actual, expected = json.loads(run.stdout), nest_lists(module.tried())
    assert len(actual) == len(expected) > 80
    for k, (ours, theirs) in enumerate(zip(actual, expected, strict=True)):
        assert ours == theirs or str(ours) == str(theirs) == "nan", (k, ours, theirs)


def test_what_is_not_known_ends_the_build_with_its_line(module) -> None:
    from _ext.doctor.translate import translate

    with pytest.raises(NotImplementedError, match=r"tried_here.py:12: Match"):
        translate([(module, "unknown")], (), ())
