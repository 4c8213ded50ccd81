"""Read tables in TOML files into frozen dataclasses, and reject every unknown field or word.

The tables say what models do, so a misspelled word there must never become a default. Errors name
the table, the field and the known words. They are LookupErrors, because the mistake is in our
table and not in a user's configuration.
"""

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

R = TypeVar("R")


def read_record(record: type[R], table: Mapping[str, Any], where: str) -> R:
    """Convert a table to an object of the class `record`. Error messages call the table `where`.

    Every field of the table must be a field of the record, and have its type. A field may be
    missing only if the record has a default for it. Lists become tuples, and tables become records
    of their own.
    """
    values = {}
    record_fields = _fields_and_types(cast(Any, record))
    for name, value in table.items():
        if name not in record_fields:
            names = _list_words(record_fields)
            raise LookupError(f"{where} has a field {name!r}, which is not known; {names}")
        _, hint = record_fields[name]
        values[name] = _convert(hint, value, f"{where}.{name}")
    for name, (field, _) in record_fields.items():
        if name not in values and field.default is MISSING and field.default_factory is MISSING:
            raise LookupError(f"{where} needs a field {name!r}, which is not there")
    return record(**values)


def choose_rule(rules: Mapping[str, Callable[..., Any]], entry: Any, where: str) -> Any:
    """Return the function that a table entry chooses by its name.

    A rule is a function, or a callable dataclass whose fields are settings. The entry for a rule
    with settings is a table that holds the word at `rule`, and the settings.
    """
    settings = dict(entry) if isinstance(entry, Mapping) else {"rule": entry}
    word = require_word(where, settings.pop("rule", None), rules)
    rule = rules[word]
    if isinstance(rule, type):
        return read_record(rule, settings, where)
    if settings:
        raise LookupError(f"{where} has settings {sorted(settings)}, and {word!r} takes none")
    return rule


def require_word(where: str, word: Any, known_words: Iterable[str]) -> str:
    """Return a word if it is one of the known words, and otherwise raise LookupError."""
    known_words = tuple(known_words)
    if not isinstance(word, str) or word not in known_words:
        raise LookupError(f"{where} is {word!r}, which is not known; {_list_words(known_words)}")
    return word


@cache
def _fields_and_types(record: Any) -> dict[str, tuple[Field[Any], Any]]:
    hints = get_type_hints(record)
    return {field.name: (field, hints[field.name]) for field in fields(record)}


def _convert(hint: Any, value: Any, where: str) -> Any:
    """Convert `value` to the type `hint` of a dataclass field, or raise LookupError."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is types.UnionType:  # TOML has no None, so ignore None in `type | None`.
        (hint,) = (choice for choice in arguments if choice is not types.NoneType)
        return _convert(hint, value, where)
    # `choose_rule` has already replaced the word by a function.
    if hint is Any or origin is Callable:
        return value
    if origin is Literal:
        return require_word(where, value, arguments)
    if origin is tuple and isinstance(value, list):
        return tuple(_convert(arguments[0], entry, where) for entry in value)
    if origin is Mapping and isinstance(value, dict):
        return {
            key: _convert(arguments[1], entry, f"{where}.{key}") for key, entry in value.items()
        }
    if isinstance(hint, type) and is_dataclass(hint) and isinstance(value, dict):
        return read_record(hint, value, where)
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:  # isinstance would accept booleans as integers.
        expected = hint.__name__ if isinstance(hint, type) else str(hint)
        raise LookupError(f"{where} is {value!r}; expected {expected}")
    return value


def _list_words(known_words: Iterable[str]) -> str:
    return f"known are {', '.join(sorted(map(repr, known_words)))}"
