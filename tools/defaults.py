"""Write `checkpoints/defaults.json`, the values that transformers gives to missing keys.

Run `python -m tools.defaults` in the environment of `make peers` after an update of transformers,
or after a kind of model was added to kinds.toml.

For each configuration class that is listed there, or that has inner configurations, the file holds
three dictionaries. `defaults` has the class's values for the keys in defaults.txt, `names` has the
class's own names for these keys, and `parts` has the model types of its inner configurations.
"""

import importlib
import json
import tomllib
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).resolve().parent.parent / "pe_lib" / "checkpoints" / "defaults.json"
KINDS = tomllib.loads(OUTPUT.with_name("kinds.toml").read_text("utf-8"))
KEYS = Path(__file__).with_suffix(".txt").read_text("utf-8").split()


def is_storable(value: Any) -> bool:
    """Return whether a value can be stored as JSON."""
    return value is None or isinstance(value, bool | int | float | str | list | tuple | dict)


def read_defaults(config_class: Any) -> dict[str, Any]:
    """Return the default values of the fields of a configuration class that have a default.

    The keys are the names in defaults.txt, even if the class has another name for the field.
    """
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
                continue  # this default is computed from other settings, so it has no fixed value
    if "rope_parameters" in values:
        values.setdefault("rope_theta", config_class.default_theta)
    return values


def describe_class(config_class: Any) -> dict[str, Any]:
    """Return the entry for one configuration class in `defaults.json`."""
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
    """Write defaults.json, with one line for each configuration class."""
    # only the environment of `make peers` contains transformers
    classes = importlib.import_module("transformers").CONFIG_MAPPING
    rows = {kind: describe_class(classes[kind]) for kind in sorted(classes)}
    lines = [
        f"{json.dumps(kind)}: {json.dumps(row, default=str)}"
        for kind, row in rows.items()
        if kind in KINDS or row["parts"]
    ]
    OUTPUT.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    main()
