"""What the layers of four models see."""

from __future__ import annotations

from typing import Any

# Of each model a group of layers that repeats: whether a layer turns queries and keys, and how many
# positions it sees, None for the whole text. In `chunks` a layer sees what lies in its own: so far
# back at best. A test holds each against its `stored` configuration; `says` says it in words.
STACKS: dict[str, dict[str, Any]] = {
    "LLaMA 7B": {
        "group": [[True, None]],
        "stored": "llama-7b",
        "says": "rotary on the whole head, in every layer",
    },
    "Mistral 7B v0.1": {
        "group": [[True, 4_096]],
        "stored": "mistral-7b-v0.1",
        "says": "each position sees the last 4,096",
    },
    "gpt-oss": {
        "group": [[True, 128], [True, None]],
        "stored": "gpt-oss-20b",
        "says": "every other layer sees 128",
    },
    "Llama 4 Scout": {
        "chunks": True,
        "group": [[True, 8_192], [True, 8_192], [True, 8_192], [False, None]],
        "stored": "llama-4-scout",
        "says": "of every four layers, three turn queries and keys and the fourth does not. In"
                " transformers' code those three look at chunks of 8,192 words",
    },
}  # fmt: skip
