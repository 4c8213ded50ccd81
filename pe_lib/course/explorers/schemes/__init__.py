"""Recorded experiments as curves: which scheme learns which task, and how far it goes."""

from __future__ import annotations

from typing import Any

import traitlets as t

from pe_lib.course.explorers._base import Explorer

SCHEMES = ["none", "sinusoidal", "learned", "rotary", "alibi", "relative"]


class SchemesExplorer(Explorer):
    """Shares of right answers of six schemes, as texts grow from 16 words to 48.

    `recording` is what `make experiments` leaves in chapters/data/lengths.json: the `lengths`
    of the tests, the first being that of the training, and a list of `settings` with the shares
    `right`, (seeds, lengths), in longer texts of "previous" of the answers beyond the first length
    alone. `task`, "previous", "order" or "counting", `causal` and `layers`, 1
    or 2, choose; `scheme` is in front, and the curves have come to `length`. Used in chapter 7.
    Raises TraitError for a choice that was not recorded.
    """

    kind = "schemes"

    recording = t.Dict()
    task = t.Enum(["previous", "order", "counting"], "order")
    causal = t.Bool(False)
    layers = t.Enum([1, 2], 1)
    scheme = t.Enum(SCHEMES, "alibi")
    length = t.Float(48.0, min=16, max=48)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        chosen = {name: getattr(self, name) for name in ("task", "causal", "layers")}
        if not any(chosen.items() <= cell.items() for cell in self.recording["settings"]):
            raise t.TraitError(
                f"no setting was recorded with task {self.task!r}, causal {self.causal} and "
                f"layers {self.layers}"
            )
