"""What some explorers cannot do without: what was recorded for them."""

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent / "chapters" / "data"


def given(kind: str) -> dict[str, Any]:
    """The arguments that an explorer of this kind needs, besides its defaults."""

    def read(name: str) -> Any:
        return json.loads((DATA / f"{name}.json").read_text("utf-8"))

    match kind:
        case "circuit":
            return {"text": read("skipping")["sentence"]}
        case "context":
            return {"score": read("longer")["score"]}
        case "schemes":
            return {"recording": read("lengths")}
        case "training":
            return {"recording": read("training")}
    return {}
