"""One style sheet out of many, without the rules that no page can need."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import tinycss2
from sphinx.errors import ExtensionError

_NESTING = {"media", "supports", "layer", "container"}
_IMPORT = re.compile(r"""@import\s+(?:url\()?['"]?([^'")]+)['"]?\)?\s*;""")
_URL = re.compile(r"""url\((['"]?)(?!data:|#)([^)'"]+)\1\)""")
_PROPERTY = re.compile(r"--[\w-]+")
_VAR = re.compile(r"var\(\s*(--[\w-]+)")
_DECLARED = re.compile(
    r"""(?<=[{;])(--(?!om-|ex-)[\w-]+):(?:"[^"]*"|'[^']*'|[^;{}"'])*(?:;|(?=\}))"""
)
_EMPTY = re.compile(r"(?<=[{}])[^{}@]+\{\}")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def gather(files: Iterable[Path], static: Path) -> str:
    """The text of the style sheets in order, imports put in, addresses relative to `static`."""

    def read(path: Path) -> str:
        text = _COMMENT.sub("", path.read_text("utf-8"))
        text = _IMPORT.sub(lambda match: read((path.parent / match[1]).resolve()), text)
        return _URL.sub(lambda match: relative(path, match[2]), text)

    def relative(path: Path, address: str) -> str:
        if "//" in address:
            raise ExtensionError(f"{path.name} loads {address}: the site is self-hosted")
        name = re.split("[?#]", address)[0]
        target = (static / name) if (static / name).exists() else (path.parent / name).resolve()
        return f"url({target.relative_to(static.resolve()).as_posix()})"

    return "\n".join(read(path) for path in files)


def purge(css: str, names: set[str]) -> str:
    """`css` with only those selectors whose classes and ids are all in `names`."""
    return "".join(_rules(tinycss2.parse_stylesheet(css, True, True), names))


def drop_unused_properties(css: str, others: str) -> str:
    """`css` without the custom properties that neither it nor `others` reads.

    Those of the site (--om-) and of the explorers (--ex-) stay: scripts put their names together.
    """
    read = set(_VAR.findall(css)) | set(_PROPERTY.findall(others))
    smaller = _DECLARED.sub(lambda match: match[0] if match[1] in read else "", css)
    smaller = _EMPTY.sub("", smaller)
    # one that was read only by a dropped one goes in the next round
    return css if smaller == css else drop_unused_properties(smaller, others)


def _rules(rules: Iterable[Any], names: set[str]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "error":
            raise ExtensionError(f"a style sheet can't be read: {rule.message}")
        if rule.type == "qualified-rule":
            selectors = [s for s in _split(rule.prelude) if _required(s) <= names]
            body = _squeeze(tinycss2.serialize(rule.content))
            if selectors and body:
                yield ",".join(_squeeze(tinycss2.serialize(s)) for s in selectors) + f"{{{body}}}"
        elif rule.lower_at_keyword in _NESTING and rule.content is not None:
            inner = "".join(_rules(tinycss2.parse_rule_list(rule.content, True, True), names))
            if inner:
                prelude = _squeeze(tinycss2.serialize(rule.prelude))
                yield f"@{rule.lower_at_keyword} {prelude}{{{inner}}}"
        elif rule.lower_at_keyword != "charset":
            yield _squeeze(tinycss2.serialize([rule]))


def _split(prelude: Sequence[Any]) -> Iterator[list[Any]]:
    """The selectors of a list; commas inside :is() and its like are inside one token."""
    selector: list[Any] = []
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            yield selector
            selector = []
        else:
            selector.append(token)
    yield selector


def _required(selector: Sequence[Any]) -> set[str]:
    """The classes and ids that must be there for `selector` to match; :not(.x) requires nothing."""
    names, dot = set(), False
    for token in selector:
        if token.type == "hash" or (dot and token.type == "ident"):
            names.add(token.value)
        dot = token.type == "literal" and token.value == "."
    return names


def _squeeze(text: str) -> str:
    return re.sub(r"\s*([{};])\s*", r"\1", re.sub(r"\s+", " ", _COMMENT.sub("", text))).strip()
