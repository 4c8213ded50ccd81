"""Makes `checkpoints/defaults.json`: what each class of transformers takes for a missing key.

Run it with a newer transformers, in the environment of `make peers`: `python -m tools.defaults`.
A key of defaults.txt is kept where the class has a value of its own for it; `names` has the keys
that the class calls otherwise, and `parts` the kinds of the configurations inside.
"""

import importlib
import json
from pathlib import Path
from typing import Any

MADE = Path(__file__).resolve().parent.parent / "pe_lib" / "checkpoints" / "defaults.json"
KEYS = Path(__file__).with_suffix(".txt").read_text("utf-8").split()


def kept(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list | tuple | dict)


def facts(cls: Any) -> dict[str, Any]:
    """Of one class: `defaults`, `names` and `parts`."""
    fields = cls.__dataclass_fields__
    own = {v: k for k, v in cls.attribute_map.items() if k in KEYS}
    found = {own.get(k, k): f.default for k, f in fields.items() if kept(f.default)}
    for key, field in fields.items():
        if field.default_factory and callable(field.default_factory):
            try:
                found[own.get(key, key)] = field.default_factory()
            except TypeError:
                continue
    if "rope_parameters" in found:
        found.setdefault("rope_theta", cls.default_theta)
    made: dict[str, Any] = {k: found[k] for k in KEYS if k in found and kept(found[k])}
    names = {k: v for k, v in cls.attribute_map.items() if k in KEYS}
    parts = {
        k: v.model_type for k, v in (cls.sub_configs or {}).items() if getattr(v, "model_type", "")
    }
    return {"defaults": made, "names": names, "parts": parts}


def main() -> None:
    # of the environment that `make peers` installs
    known = importlib.import_module("transformers").CONFIG_MAPPING
    lines = [
        f"{json.dumps(kind)}: {json.dumps(facts(known[kind]), default=str)}"
        for kind in sorted(known)
    ]
    MADE.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    main()
