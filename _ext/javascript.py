"""Split JavaScript into tokens, so that comments can be removed without changing the program.

A slash can begin a comment or a regular expression, divide, or be part of a string. If the tokens
before it do not decide which, reading ends with an error that names the line.
"""

import re
from collections.abc import Iterator

from sphinx.errors import ExtensionError

SPACE = "space"  # the type of a token that consists of white space and comments

_TOKEN = re.compile(
    r"""
    (?P<space>   (?: [ \t\r\n]+ | //[^\n]* | /\*(?!!)[\s\S]*?\*/ )+ )
  | (?P<licence> /\*![\s\S]*?\*/ )
  | (?P<string>  "(?:[^"\\\n]|\\[\s\S])*" | '(?:[^'\\\n]|\\[\s\S])*' )
  | (?P<number>  \d[\w.]* )
  | (?P<word>    [\w$]+ )
  | (?P<sign>    \+\+ | -- | [\s\S] )
    """,
    re.VERBOSE,
)
_PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)")

_BEFORE_PATTERN = frozenset({
    "await", "case", "delete", "do", "else", "in", "instanceof", "new", "return", "throw", "typeof",
    "void", "yield",
})  # fmt: skip
_BEFORE_CONDITION = frozenset(["for", "if", "while", "with"])
_CLOSING = {")": "(", "]": "[", "}": "{"}


class _Reader:
    """Reads the tokens of a script, and keeps track of whether a slash would mean division."""

    def __init__(self, script: str) -> None:
        self.script = script
        self.position = 0
        # all open brackets, where "condition" means a "(" after if, for, while or with
        self.opened: list[str] = []
        self.last = ""
        # whether the next slash means division, or None if this is undecided
        self.divides: bool | None = False

    def read(self) -> Iterator[tuple[str, str]]:
        while self.position < len(self.script):
            start, kind = self.position, self._step()
            yield kind, self.script[start : self.position]
        if self.opened:
            raise self._error(f"“{self.opened[-1]}” is never closed")

    def _step(self) -> str:
        """Move past the next token, and return its type, such as "word" or "string"."""
        match = _TOKEN.match(self.script, self.position)
        assert match and match.lastgroup
        kind, text = match.lastgroup, match[0]
        if kind == "sign" and text in "\"'/`}":
            if text == "/":
                return self._slash()
            if text == "`" or (text == "}" and self.opened[-1:] == ["${"]):
                return self._template(text)
            if text != "}":
                raise self._error("a string has no end on its line")
        if kind not in ("space", "licence"):
            self._note(kind, text)
        self.position = match.end()
        return kind

    def _slash(self) -> str:
        """Move past a division sign or a regular expression, and return which of them it is."""
        if self.script.startswith("/*", self.position):
            raise self._error("a comment has no end")
        if self.divides is None:
            raise self._error(f"a slash after “{self.last}” may divide or begin a pattern")
        if self.divides:
            self.position += 1
            self.divides, self.last = False, "/"
            return "sign"
        match = _PATTERN.match(self.script, self.position)
        if not match:
            raise self._error("a pattern has no end on its line")
        self.position = match.end()
        self.divides, self.last = True, "a pattern"
        return "pattern"

    def _template(self, begin: str) -> str:
        """Move past the text of a template literal, to the next `${` or the closing backtick."""
        match = _TEMPLATE.match(self.script, self.position + 1)
        if not match:
            raise self._error("a template has no end")
        if begin == "}":
            self.opened.pop()
        ended = match[0].endswith("`")
        if not ended:
            self.opened.append("${")
        self.position = match.end()
        self.divides, self.last = ended, "a template"
        return "template"

    def _note(self, kind: str, text: str) -> None:
        """Update whether a slash after this token would mean division."""
        if text in ("(", "[", "{"):
            is_condition = text == "(" and self.last in _BEFORE_CONDITION
            self.opened.append("condition" if is_condition else text)
            self.divides = False
        elif text in _CLOSING:
            opening = self.opened.pop() if self.opened else ""
            if opening not in (_CLOSING[text], "condition"):
                raise self._error(f"“{text}” closes nothing")
            self.divides = None if text == "}" else opening != "condition"
        elif kind == "word":
            is_property = self.last == "."
            self.divides = is_property or text not in _BEFORE_PATTERN
            if text == "of" and not is_property:
                # "of" may be a name or a keyword, so the meaning of a slash after it is undecided
                self.divides = None
        elif kind == "sign":
            self.divides = None if text in ("++", "--") else False
        else:
            self.divides = True
        self.last = f".{text}" if kind == "word" and self.last == "." else text

    def _error(self, message: str) -> ExtensionError:
        line = self.script.count("\n", 0, self.position) + 1
        source_line = self.script.splitlines()[line - 1].strip()[:80] if self.script else ""
        return ExtensionError(f"line {line} of a script, {source_line!r}: {message}")


def read_tokens(script: str) -> Iterator[tuple[str, str]]:
    """Yield the type and the text of each token in a script. The texts together equal the script.

    >>> [text for kind, text in read_tokens("a = b / c; // why")]
    ['a', ' ', '=', ' ', 'b', ' ', '/', ' ', 'c', ';', ' // why']
    >>> list(read_tokens("/a [ // ]/"))
    [('pattern', '/a [ // ]/')]
    """
    return _Reader(script).read()


def strip_comments(script: str) -> str:
    """Return a script without comments, indentation and empty lines.

    Comments that begin with `/*!` stay, because they hold licences.

    >>> strip_comments("// why\\n  f('a // b'); // here\\n")
    "f('a // b');\\n"
    >>> strip_comments("const a = /** @type {Node} */ (b);")
    'const a = (b);'
    """
    parts = [
        ("\n" if "\n" in text else " ") if kind == SPACE else text
        for kind, text in read_tokens(script)
    ]
    return "".join(parts).lstrip()
