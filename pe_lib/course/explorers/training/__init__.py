"""Show how a table's rows and the attention maps change during a recorded or live training run."""

import traitlets as t

from pe_lib.course.explorers import _bundle
from pe_lib.course.explorers._base import Explorer

LOOKS, ROWS = 26, 48


class TrainingExplorer(Explorer):
    """A small model that names the previous word, trained with a learned or a sinusoidal table.

    `recording` is chapters/data/training.json, which `make experiments` writes. `look` is the
    number of a snapshot of the model, 0 to 25; between two snapshots lie 16 training steps.
    `scheme` names the table that is shown, "learned" or "sinusoidal", and `row`, 0 to 47, is the
    row whose path is highlighted. `view` names what a phone shows: the "rows" as points, the map of
    "attention", or the map of "similarity"; a wide page shows the rows and one of the maps.

    With a `seed`, 0 to 9, the browser itself trains the model up to the chosen snapshot, without a
    kernel, on texts of `length` words. Its random numbers differ from numpy's, so the same seed
    leads to another training in `pe_lib`. Without a recording, the seed is 0 by default. Used in
    chapter 6. Raises TraitError for a value outside its range.
    """

    script_data = {"worker": _bundle.worker()}

    recording = t.Dict()
    look = t.Int(0, min=0, max=LOOKS - 1)
    scheme = t.Enum(["learned", "sinusoidal"], "learned")
    view = t.Enum(["rows", "attention", "similarity"], "rows")
    row = t.Int(7, min=0, max=ROWS - 1)
    seed = t.Int(None, min=0, max=9, allow_none=True)
    length = t.Enum([8, 16, 24], 16)

    @t.default("seed")
    def _default_seed(self) -> int | None:
        return None if self.recording else 0

    @t.validate("seed")
    def _check_seed(self, proposal: t.Bunch) -> int | None:
        if proposal.value is None and not self.recording:
            raise t.TraitError("seed must be 0 to 9 where no recording is given, got None")
        seed: int | None = proposal.value
        return seed

    @t.default("story")
    def _default_story(self) -> str:
        return "main" if self.recording else "here"
