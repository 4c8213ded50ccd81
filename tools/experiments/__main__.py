"""Train the models that several chapters show, and record their results in chapters/data.

python -m tools.experiments [PART ...]      (for example skipping longer; by default, all parts)

Training amplifies differences in the last digit between processors. Two machines therefore agree on
what is learned, but not on every number. For this reason, a chapter that trains prints thresholds,
and its curves and maps come from these recordings. The tests train again and compare with wide
margins.
"""

import json
import sys
from pathlib import Path
from time import monotonic

from tools.experiments import carried, controls, frozen, grids, longer, since, skipping, tables

DATA = Path(__file__).resolve().parents[2] / "chapters" / "data"
PARTS = {
    "carried": carried.record_carried,
    "training": tables.record_training,
    "lengths": skipping.record_lengths,
    "seeds": tables.record_seeds,
    "tables": tables.record_tables,
    "skipping": skipping.record_skipping,
    "windows": skipping.record_windows,
    "controls": controls.record_controls,
    "frozen": frozen.record_frozen,
    "longer": longer.record_longer,
    "rebased": longer.record_rebased,
    "limited": longer.record_limited,
    "misled": longer.record_misled,
    "grids": grids.record_grids,
    "since": since.record_since,
    "reach": since.record_reach,
    "dropped": since.record_dropped,
}


def main(names: list[str]) -> None:
    """Record the named parts, or all parts, and print how long each part took."""
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
