"""Play ten rounds of a game: find the position to which the hands of four clocks point."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class GameExplorer(Explorer):
    """A game of ten rounds. In each, a player finds the position that four clocks show.

    The dashed hands of a round show a position from 0 to 999, which depends on `seed`, 1 to 9999.
    The solid hands show `guess`. An exact answer earns 10 points, and each position off costs one.
    `level` is "plain", "noise" (each dashed hand is off by up to 0.35 radians), "hidden" (one clock
    is covered) or "base" (base 100 instead of 10,000). `rounds` says how many rounds are answered,
    `answered` whether the round in the picture is one of them, and `score` how many points they
    earned. `beat` is a score to beat, or 0. Raises TraitError with the name of the argument for a
    value outside its range.
    """

    level = t.Enum(("plain", "noise", "hidden", "base"), "plain")
    seed = t.Int(1, min=1, max=9999)
    guess = t.Float(600, min=0, max=999)
    rounds = t.Int(0, min=0, max=10)
    answered = t.Bool(False)
    score = t.Int(0, min=0, max=100)
    beat = t.Int(0, min=0, max=100)
