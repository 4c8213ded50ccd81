"""A training, played back or run where it is read: rows of a table move, and the maps form."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer

LOOKS, ROWS = 26, 48


class TrainingExplorer(Explorer):
    """A table that is learned and the sinusoidal one, in a small model that names the word before.

    `recording` is what `make experiments` leaves in chapters/data/training.json. `look` is the
    number of the look, 0 to 25, each 16 steps after the last; `scheme` is the table that is shown,
    "learned" or "sinusoidal", and `row`, 0 to 47, the row that is followed.

    With a `seed`, 0 to 9, the model is trained where it is shown, in JavaScript and without a
    kernel, as far as it is looked at, with texts of `length` words. Its random numbers are not
    numpy's: a seed repeats a training there, and is another one in `pe_lib`. Without a recording it
    is 0. Used in chapter 6. Raises TraitError for a value outside.
    """

    recording = t.Dict()
    look = t.Int(0, min=0, max=LOOKS - 1)
    scheme = t.Enum(["learned", "sinusoidal"], "learned")
    row = t.Int(7, min=0, max=ROWS - 1)
    seed = t.Int(None, min=0, max=9, allow_none=True)
    length = t.Enum([8, 16, 24], 16)

    @t.default("seed")
    def _seed_where_nothing_is_recorded(self) -> int | None:
        return None if self.recording else 0

    @t.validate("seed")
    def _seed_or_recording(self, proposal: t.Bunch) -> int | None:
        if proposal.value is None and not self.recording:
            raise t.TraitError("seed must be 0 to 9 where no recording is given, got None")
        seed: int | None = proposal.value
        return seed

    @t.default("story")
    def _story_of_its_own(self) -> str:
        return "main" if self.recording else "here"
