"""Attention in the browser is attention in numpy."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from pe_lib.course.attention import attention
from pe_lib.course.explorers._bundle import HERE


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_javascript_attention_equals_numpy(causal: bool, scale: float) -> None:
    q, k, v = scale * np.random.default_rng(0).standard_normal((3, 7, 8))
    node = shutil.which("node")
    assert node, "node is missing; requirements.txt brings it: run through make, or activate .venv"
    rows = ", ".join(json.dumps(matrix.tolist()) for matrix in (q, k, v))
    code = (
        f"import {{ attention }} from {(HERE / 'maths.mjs').as_uri()!r}; "
        f"console.log(JSON.stringify(attention({rows}, {json.dumps(causal)})));"
    )
    command = [node, "--input-type=module", "--eval", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = attention(q, k, v, causal=causal)
    np.testing.assert_allclose(json.loads(result.stdout), expected, rtol=0, atol=1e-9)
