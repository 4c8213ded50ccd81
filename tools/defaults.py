"""Write `checkpoints/defaults.json`: what each class of transformers takes for a missing key.

Run it with a newer transformers, in the environment of `make peers`: `python -m tools.defaults`. Of
each class the file has `defaults`, its values for the keys that defaults.txt lists; `names`, the
keys that it calls otherwise; and `parts`, the kinds of the configurations inside.
"""

import importlib
import json
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).resolve().parent.parent / "pe_lib" / "checkpoints" / "defaults.json"
KEYS = Path(__file__).with_suffix(".txt").read_text("utf-8").split()


def is_storable(value: Any) -> bool:
    """Return whether JSON can hold a value."""
    return value is None or isinstance(value, bool | int | float | str | list | tuple | dict)


def read_defaults(config_class: Any) -> dict[str, Any]:
    """Return the value of each field of a class that has one, under the name in defaults.txt."""
    usual_names = {own: key for key, own in config_class.attribute_map.items() if key in KEYS}
    fields = config_class.__dataclass_fields__
    values = {
        usual_names.get(own, own): field.default
        for own, field in fields.items()
        if is_storable(field.default)
    }
    for own, field in fields.items():
        if field.default_factory and callable(field.default_factory):
            try:
                values[usual_names.get(own, own)] = field.default_factory()
            except TypeError:
                continue  # it needs arguments that only a configuration has
    if "rope_parameters" in values:
        values.setdefault("rope_theta", config_class.default_theta)
    return values


def describe_class(config_class: Any) -> dict[str, Any]:
    """Return what `defaults.json` has of one class."""
    values = read_defaults(config_class)
    parts = config_class.sub_configs or {}
    return {
        "defaults": {
            key: values[key] for key in KEYS if key in values and is_storable(values[key])
        },
        "names": {key: own for key, own in config_class.attribute_map.items() if key in KEYS},
        "parts": {
            key: part.model_type for key, part in parts.items() if getattr(part, "model_type", "")
        },
    }


def main() -> None:
    """Write the file, a line for each class."""
    # only the environment of `make peers` has transformers
    classes = importlib.import_module("transformers").CONFIG_MAPPING
    lines = [
        f"{json.dumps(kind)}: {json.dumps(describe_class(classes[kind]), default=str)}"
        for kind in sorted(classes)
    ]
    OUTPUT.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    main()
