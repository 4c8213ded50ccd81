"""Python and numpy as the page has them, held against Python and numpy themselves."""

import importlib
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

# x is (3, 4), counted from 0; v is a list of three, one of them no number
EXPRESSIONS = """
x[1], x[-1, 2], x[1:, ::-1], x[:, 1:3], x[[0, 2]], x[x > 3], x[:, None, 1]
x[..., np.asarray([2, 0])], x[np.asarray([0, 2])[:, None], np.asarray([1, 3])]
x[np.asarray([True, False, True])], x[::2, -2:], x.sum(), x.sum(axis=0), x.mean(axis=1)
x.max(axis=1, keepdims=True), (x > 3).any(axis=0), x.std(), np.median(x, axis=0)
np.median(x[:, :3], axis=1), x.argmax(), x.argmin(axis=1), x.T, x.min(), x + x[0], x - x[:, :1]
x[0] * x[:, :1], x[:, :1] + x[:1], x // 3, -x % 3, x ** 2, 10 ** -3, ~(x > 3)
np.where(x > 3, x, -1), np.where(x > 3, True, x > 1), np.isfinite(v), np.nan_to_num(v)
np.fmin(v, 0.5), np.concatenate([x, x[:1]]), np.concatenate([x, x], axis=1)
np.stack([x[0], x[1]], axis=1), np.diff(x, axis=1), np.diff(x[0], prepend=-1.0)
np.diff(x ** 3, 2, axis=0), np.tile(x[0], (2, 1)), np.split(x, 2, axis=1), np.array_split(x[0], 3)
np.split(x[0], np.asarray([1, 3])), np.round(x / 8, 1)
np.unique([3, 1, 3, 2], return_counts=True)[1], np.argsort(-x[0]), np.argwhere(x > 8)
np.cumsum(x[0]), np.flatnonzero(x > 5), np.isin(x[0], [1, 3]), np.array_equal(v, v, True)
np.delete(x[0], [1]), x.size, np.diagonal(np.stack([x, x]), 1, 1, 2), np.unravel_index(7, x.shape)
np.arange(2, 9, 3), np.append(x[0], 5), np.broadcast_to(x[0], (2, 4)), np.full(2, 7.0)
np.zeros((2, 2)), np.ones(3), np.setdiff1d([3, 1, 2], [1]), sorted([(2, 1), (1, 3), (1, 2)])
min((2, 1), (1, 9)), max([1, 3], key=lambda k: -k), [*range(1, 7, 2)], len({1, 2} | {3})
round(2.5), round(3.5), int(-2.7), 7 // -2
[a * b for a, b in zip([1, 2, 3], [4, 5, 6]) if a != 2], 0 < 1 < 2 <= 2, "a" in "cat", 3 in (1, 3)
[k for k, _ in enumerate(x)], sum([0.5, 1]), any(k > 2 for k in (1, 2)), [] or [4], 0 and 5
not []
"""

MODULE = f"""import numpy as np


def tried():
    x, v = np.arange(12.0).reshape(3, 4), np.asarray([1.0, np.nan, -2.0])
    return [{", ".join(EXPRESSIONS.strip().splitlines())}]


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


def plain(x):
    """Arrays, tuples and lists alike."""
    many = isinstance(x, list | tuple | np.ndarray)
    return [plain(y) for y in x] if many else float(x)


def test_expressions_have_the_values_that_python_and_numpy_give(module, tmp_path: Path) -> None:
    from _ext.doctor import HERE
    from _ext.doctor.kernels import kernels
    from _ext.doctor.translate import translated

    body = translated([(module, "tried")], (), ())
    script = f"""
globalThis.KERNELS = (ready) => {{ {kernels()} }};
const {{ np, NDArray }} = await import({json.dumps(str(HERE / "numpy.mjs"))});
const {{ py }} = await import({json.dumps(str(HERE / "python.mjs"))});
const {{ tried_here }} = ((py, np) => {{ {body} }})(py, np);
const plain = (x) => x instanceof NDArray || Array.isArray(x) ? Array.from(x, plain) : Number(x);
console.log(JSON.stringify(plain(tried_here.tried())));
"""
    (tmp_path / "tried.mjs").write_text(script, "utf-8")
    run = subprocess.run(["node", tmp_path / "tried.mjs"], capture_output=True, text=True)
    assert not run.returncode, run.stderr
    found, wanted = json.loads(run.stdout), plain(module.tried())
    assert len(found) == len(wanted) > 80
    for k, (ours, theirs) in enumerate(zip(found, wanted, strict=True)):
        assert ours == theirs or str(ours) == str(theirs) == "nan", (k, ours, theirs)


def test_what_is_not_known_ends_the_build_with_its_line(module) -> None:
    from _ext.doctor.translate import translated

    with pytest.raises(NotImplementedError, match=r"tried_here.py:10: Match"):
        translated([(module, "unknown")], (), ())
