"""Train what several chapters show, and record it in chapters/data.

python -m tools.experiments [PART ...]      (skipping longer, for example; without one, all of them)

Training amplifies the last digit of every processor, so two machines agree on what is learned but
not on each number. Therefore a chapter that trains prints thresholds, and its curves and maps come
from these recordings. The tests train again and compare within wide margins.
"""

import json
import sys
from pathlib import Path
from time import monotonic

from tools.experiments import controls, grids, longer, since, skipping, tables

DATA = Path(__file__).resolve().parents[2] / "chapters" / "data"
PARTS = {
    "training": tables.record_training,
    "lengths": skipping.record_lengths,
    "seeds": tables.record_seeds,
    "tables": tables.record_tables,
    "skipping": skipping.record_skipping,
    "controls": controls.record_controls,
    "longer": longer.record_longer,
    "rebased": longer.record_rebased,
    "misled": longer.record_misled,
    "grids": grids.record_grids,
    "since": since.record_since,
    "reach": since.record_reach,
    "dropped": since.record_dropped,
}


def main(names: list[str]) -> None:
    """Record these parts, or all, and print how long each took."""
    if unknown := set(names) - set(PARTS):
        raise SystemExit(
            f"There is no part {', '.join(sorted(unknown))}; the parts are {', '.join(PARTS)}."
        )
    for number, name in enumerate(names or PARTS, start=1):
        print(f"{number} of {len(names or PARTS)}, {name} ", end="", file=sys.stderr, flush=True)
        start = monotonic()
        recording = json.dumps(PARTS[name]())
        (DATA / f"{name}.json").write_text(recording + "\n", "utf-8")
        print(f" {monotonic() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
