"""Chapter 10's table for choosing a scheme, as questions and what they lead to.

A test holds each piece of advice against the chapter's own words, and each link against the
headings of the chapters.
"""

from __future__ import annotations

from typing import Any

from pe_lib.course.texts import mark

# What can be advised, with the names of chapter 10's figure of what each scheme can do
SCHEMES = {
    "none": mark("no positions"),
    "sinusoidal": mark("sinusoidal"),
    "learned": mark("learned table"),
    "relative": mark("learned bias"),
    "alibi": "ALiBi",
    "rotary": mark("rotary"),
}

# Each question in the order in which it is asked, and by answer: its words, and what comes next
QUESTIONS: dict[str, dict[str, Any]] = {
    "weights": {
        "asks": mark("Are there weights to load?"),
        "answers": {"yes": [mark("yes"), "loaded"], "no": [mark("no, from scratch"), "reads"]},
    },
    "reads": {
        "asks": mark("What does the model read?"),
        "answers": {
            "set": [mark("a set"), "set"],
            "numbers": [mark("times, coordinates"), "numbers"],
            "grid": [mark("an image, a grid"), "diagonals"],
            "video": [mark("a video"), "video"],
            "sequence": [mark("a text, a sequence"), "fixed"],
        },
    },
    "diagonals": {
        "asks": mark("Do diagonals matter?"),
        "answers": {"yes": [mark("yes"), "directions"], "no": [mark("no"), "sizes"]},
    },
    "sizes": {
        "asks": mark("Have all grids one size?"),
        "answers": {"yes": [mark("yes"), "one size"], "no": [mark("no"), "many sizes"]},
    },
    "fixed": {
        "asks": mark("One fixed length, smallest code?"),
        "answers": {"yes": [mark("yes"), "smallest"], "no": [mark("no"), "mask"]},
    },
    "mask": {
        "asks": mark("Is there a causal mask?"),
        "answers": {
            "yes": [mark("yes"), "longer"],
            "no": [mark("no, and order counts"), "both sides"],
        },
    },
    "longer": {
        "asks": mark("Longer inputs, and no training on?"),
        "answers": {"yes": [mark("yes"), "further"], "no": [mark("no"), "the rest"]},
    },
}

# An answer once it is given, where that is shorter
SHORT = {
    "no, from scratch": mark("no"),
    "times, coordinates": mark("times"),
    "an image, a grid": mark("an image"),
    "a text, a sequence": mark("a text"),
    "no, and order counts": mark("no"),
}

# What is advised: the words of the chapter's table, the schemes in them, and reasons, each with the
# chapter and the section that shows it
ADVICE: dict[str, dict[str, Any]] = {
    "loaded": {
        "says": mark("Exactly their scheme: base, layout, width turned, scaling."),
        "schemes": list(SCHEMES),
        "reasons": [
            [mark("They were trained with it; another layout is a silent error."),
             "08-rotary-and-biases", "two-layouts"],
            [mark("A scaling is part of it, too."), "09-longer-contexts", "four-remedies"],
        ],
    },
    "set": {
        "says": mark("No positions."),
        "schemes": ["none"],
        "reasons": [
            [mark("Without them and without a mask, attention is blind to order: right for a set."),
             "07-skipping-positions", "case-1-no-mask-no-order"],
        ],
    },
    "numbers": {
        "says": mark("Sinusoids of the real numbers, with a band chosen by (10.6)."),
        "schemes": ["sinusoidal"],
        "reasons": [
            [mark("Sine and cosine take real positions; the band is the shortest and the longest"
                  " wavelength."), "10-choosing", "times-and-places-that-are-no-whole-numbers"],
        ],
    },
    "directions": {
        "says": mark("Learned frequency vectors or a bias for each pair of offsets."),
        "schemes": ["rotary", "relative"],
        "reasons": [
            [mark("No axial head can prefer a diagonal line."),
             "10-choosing", "what-axial-encodings-cannot-see"],
        ],
    },
    "one size": {
        "says": mark("Rotary on two axes, or a learned table."),
        "schemes": ["rotary", "learned"],
        "reasons": [
            [mark("Turned along both axes, a score knows the two offsets and nothing else."),
             "10-choosing", "rotary-embeddings-on-a-grid"],
            [mark("Training can put rows and columns into a table; for another size it is"
                  " resized."),
             "10-choosing", "learned-tables-and-resizing-them-in-two-directions"],
        ],
    },
    "many sizes": {
        "says": mark("Rotary on two axes."),
        "schemes": ["rotary"],
        "reasons": [
            [mark("Turned along both axes, a score knows the two offsets and nothing else."),
             "10-choosing", "rotary-embeddings-on-a-grid"],
        ],
    },
    "video": {
        "says": mark("Rotary on three axes: time, row and column."),
        "schemes": ["rotary"],
        "reasons": [
            [mark("Turned along all three, a score knows the three offsets and nothing else."),
             "10-choosing", "rotary-embeddings-on-a-grid"],
            [mark("Models share the pairs out among the three, in blocks or by turns."),
             "11-since-2024", "m-rope-frames-rows-and-columns"],
        ],
    },
    "smallest": {
        "says": mark("A learned table, or sinusoids added once."),
        "schemes": ["learned", "sinusoidal"],
        "reasons": [
            [mark("Sinusoids are a few lines and learn nothing."),
             "02-the-formula", "the-whole-table-at-once"],
            [mark("A table is one more array; beyond its trained rows it knows nothing."),
             "06-learned-embeddings", "beyond-the-table"],
        ],
    },
    "both sides": {
        "says": mark("Rotary, or a learned bias for signed offsets (T5, Shaw);"
                     " ALiBi treats both sides alike."),
        "schemes": ["rotary", "relative"],
        "reasons": [
            [mark("Without a mask and positions, order is lost whatever the weights."),
             "07-skipping-positions", "case-1-no-mask-no-order"],
            [mark("A bias that is alike on both sides answers a sentence as its mirror image."),
             "08-rotary-and-biases", "without-a-mask-left-and-right-tie"],
        ],
    },
    "further": {
        "says": mark("ALiBi, which is local; or rotary with scaled frequencies, and a test at the"
                     " length that is wanted."),
        "schemes": ["alibi", "rotary"],
        "reasons": [
            [mark("ALiBi takes off more the farther away a word is, at every length."),
             "08-rotary-and-biases", "a-straight-line-and-nothing-to-learn"],
            [mark("Scaled rotary reads on, and each scaling trades near for far."),
             "09-longer-contexts", "train-short-test-long"],
        ],
    },
    "the rest": {
        "says": mark("Rotary, with a base that suits the length."),
        "schemes": ["rotary"],
        "reasons": [
            [mark("Scores depend on the offset alone, and nothing is learned."),
             "08-rotary-and-biases", "why-a-rotation"],
            [mark("Angles that training never showed are defined, and not learned."),
             "09-longer-contexts", "defined-is-not-learned"],
        ],
    },
}  # fmt: skip

FIRST = "weights"
