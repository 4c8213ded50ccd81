"""Chapter 11's table for choosing a scheme, as questions and what they lead to.

A test holds each piece of advice against the chapter's own words, and each link against the
headings of the chapters.
"""

from __future__ import annotations

from typing import Any

# What can be advised, with the names of chapter 11's figure of what each scheme can do
SCHEMES = {
    "none": "no positions",
    "sinusoidal": "sinusoidal",
    "learned": "learned table",
    "relative": "learned bias",
    "alibi": "ALiBi",
    "rotary": "rotary",
}

# Each question in the order in which it is asked, and by answer: its words, and what comes next
QUESTIONS: dict[str, dict[str, Any]] = {
    "weights": {
        "asks": "Are there weights to load?",
        "answers": {"yes": ["yes", "loaded"], "no": ["no, from scratch", "reads"]},
    },
    "reads": {
        "asks": "What does the model read?",
        "answers": {
            "set": ["a set", "set"],
            "numbers": ["times, coordinates", "numbers"],
            "grid": ["an image, a grid", "diagonals"],
            "video": ["a video", "video"],
            "sequence": ["a text, a sequence", "fixed"],
        },
    },
    "diagonals": {
        "asks": "Do diagonals matter?",
        "answers": {"yes": ["yes", "directions"], "no": ["no", "sizes"]},
    },
    "sizes": {
        "asks": "Have all grids one size?",
        "answers": {"yes": ["yes", "one size"], "no": ["no", "many sizes"]},
    },
    "fixed": {
        "asks": "One fixed length, smallest code?",
        "answers": {"yes": ["yes", "smallest"], "no": ["no", "mask"]},
    },
    "mask": {
        "asks": "Is there a causal mask?",
        "answers": {
            "yes": ["yes", "longer"],
            "no": ["no, and order counts", "both sides"],
        },
    },
    "longer": {
        "asks": "Longer inputs, and no training on?",
        "answers": {"yes": ["yes", "further"], "no": ["no", "the rest"]},
    },
}

# An answer once it is given, by its question, where that is shorter
SHORT = {
    "weights": {"no": "no"},
    "reads": {"numbers": "times", "grid": "an image", "sequence": "a text"},
    "mask": {"no": "no"},
}

# What is advised: the words of the chapter's table, the schemes in them, and reasons, each with the
# chapter and the section that shows it
ADVICE: dict[str, dict[str, Any]] = {
    "loaded": {
        "says": "Exactly their scheme: base, layout, width turned, scaling.",
        "schemes": list(SCHEMES),
        "reasons": [
            ["They were trained with it; another layout is a silent error.",
             "08-rotary", "two-layouts"],
            ["A scaling is part of it, too.", "10-longer-contexts", "four-remedies"],
        ],
    },
    "set": {
        "says": "No positions.",
        "schemes": ["none"],
        "reasons": [
            ["Without them and without a mask, attention is blind to order: right for a set.",
             "07-skipping-positions", "case-1-no-mask-no-order"],
        ],
    },
    "numbers": {
        "says": "Sinusoids of the real numbers, with a band chosen by (11.6).",
        "schemes": ["sinusoidal"],
        "reasons": [
            ["Sine and cosine take real positions; the band is the shortest and the longest"
             " wavelength.", "11-choosing", "times-and-places-that-are-no-whole-numbers"],
        ],
    },
    "directions": {
        "says": "Learned frequency vectors or a bias for each pair of offsets.",
        "schemes": ["rotary", "relative"],
        "reasons": [
            ["No axial head can prefer a diagonal line.",
             "11-choosing", "what-axial-encodings-cannot-see"],
        ],
    },
    "one size": {
        "says": "Rotary on two axes, or a learned table.",
        "schemes": ["rotary", "learned"],
        "reasons": [
            ["Turned along both axes, a score knows the two offsets and nothing else.",
             "11-choosing", "rotary-embeddings-on-a-grid"],
            ["Training can put rows and columns into a table; for another size it is"
             " resized.",
             "11-choosing", "aside-a-learned-table-resized-in-two-directions"],
        ],
    },
    "many sizes": {
        "says": "Rotary on two axes.",
        "schemes": ["rotary"],
        "reasons": [
            ["Turned along both axes, a score knows the two offsets and nothing else.",
             "11-choosing", "rotary-embeddings-on-a-grid"],
        ],
    },
    "video": {
        "says": "Rotary on three axes: time, row and column.",
        "schemes": ["rotary"],
        "reasons": [
            ["Turned along all three, a score knows the three offsets and nothing else.",
             "11-choosing", "rotary-embeddings-on-a-grid"],
            ["Models share the pairs out among the three, in blocks or by turns.",
             "12-to-tell-and-to-find", "m-rope-frames-rows-and-columns"],
        ],
    },
    "smallest": {
        "says": "A learned table, or sinusoids added once.",
        "schemes": ["learned", "sinusoidal"],
        "reasons": [
            ["Sinusoids are a few lines and learn nothing.",
             "02-the-formula", "the-whole-table-at-once"],
            ["A table is one more array; beyond its trained rows it knows nothing.",
             "06-learned-embeddings", "beyond-the-table"],
        ],
    },
    "both sides": {
        "says": "Rotary, or a learned bias for signed offsets (T5, Shaw);"
                " ALiBi treats both sides alike.",
        "schemes": ["rotary", "relative"],
        "reasons": [
            ["Without a mask and positions, order is lost whatever the weights.",
             "07-skipping-positions", "case-1-no-mask-no-order"],
            ["A bias that is alike on both sides answers a sentence as its mirror image.",
             "09-biases", "without-a-mask-left-and-right-tie"],
        ],
    },
    "further": {
        "says": "ALiBi, which is as local as its slopes; or rotary with scaled frequencies, and a"
                " test at the length that is wanted.",
        "schemes": ["alibi", "rotary"],
        "reasons": [
            ["ALiBi takes off more the farther away a word is, at every length.",
             "09-biases", "a-straight-line-and-nothing-to-learn"],
            ["Scaled rotary reads on, and each scaling trades near for far.",
             "10-longer-contexts", "train-short-test-long"],
        ],
    },
    "the rest": {
        "says": "Rotary, with a base that suits the length.",
        "schemes": ["rotary"],
        "reasons": [
            ["Scores depend on the offset alone, and nothing is learned.",
             "08-rotary", "why-a-rotation"],
            ["Angles that training never showed are defined, and not learned.",
             "10-longer-contexts", "defined-is-not-learned"],
        ],
    },
}  # fmt: skip

FIRST = "weights"
