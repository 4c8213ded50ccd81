"""Show the course's central example: a sentence, a row of clocks, and a table of their numbers."""

from typing import Any

import traitlets as t

from pe_lib.course.explorers._base import Explorer

WORDS = 9  # the number of words in the sentence, which is in picture.mjs
PARTS = [
    *("words", "shuffle", "wave", "speeds", "partner", "angle", "learned", "nothing"),
    *("rotary", "bias", "stretch", "axes", "layers", "length"),
]


class MachineExplorer(Explorer):
    """A sentence, eight clocks, and a table with a row for each position of the sentence.

    `part` is the part of the machine that is opened, and each part has a story of its own.
    `position` is the position in hand, and it is a fraction while a hand moves. `order` lists the
    index of the word at each position. `clocks` says whether the clocks add their numbers to the
    words, `pairs` is the number of clocks, and `cosine` says whether their cosines are read.
    `key` is the other position where two are compared, `trained` counts steps of training, `slope`
    is that of the bias, `factor` divides positions, `layer` is the layer in hand, `length` is the
    number of words in the text, and `grows` says whether scores grow with the length.
    Opens the chapters. Raises TraitError with the name of the argument for a value outside its
    range, and if `order` is not a permutation of the words.
    """

    part = t.Enum(PARTS, "words")
    position = t.Float(2.0, min=0, max=4 * (WORDS - 1))
    key = t.Float(5.0, min=0, max=WORDS - 1)
    order = t.List(t.Int(), [*range(WORDS)])
    clocks = t.Bool(False)
    pairs = t.Int(8, min=1, max=8)
    cosine = t.Bool(True)
    trained = t.Int(0, min=0, max=40)
    slope = t.Float(0.25, min=0, max=1)
    factor = t.Enum([1, 2, 4], 1)
    layer = t.Int(0, min=0, max=3)
    length = t.Int(WORDS, min=WORDS, max=1_000_000)
    grows = t.Bool(False)

    def __init__(self, **arguments: Any) -> None:
        names = sorted(arguments)
        story = arguments.get("story")
        part = arguments.get("part", story if story in PARTS else PARTS[0])
        arguments = {"part": part, "story": part if part in PARTS else PARTS[0]} | arguments
        if arguments["story"] in self.stories:
            arguments = dict(self.stories[arguments["story"]].steps[0].state) | arguments
        super().__init__(**arguments, _argument_names=names)

    @t.validate("order")
    def _check_order(self, proposal: t.Bunch) -> list[int]:
        order: list[int] = proposal.value
        if sorted(order) != [*range(WORDS)]:
            raise t.TraitError(f"order must hold each of 0 to {WORDS - 1} once, got {order}")
        return order
