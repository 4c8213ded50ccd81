"""Test, with node's own parser, that scripts work the same after their comments are removed."""

import json
import subprocess
from pathlib import Path

import pytest
from built import ROOT
from sphinx.errors import ExtensionError

from _ext.formulas import find_node
from _ext.javascript import read_tokens, strip_comments

OURS = [
    *(ROOT / "_ext").rglob("*.*js"),
    *(ROOT / "pe_lib").rglob("*.mjs"),
    *(ROOT / "classroom").rglob("*.*js"),
]

# Read pairs of scripts, and print for each pair whether both have the same syntax tree.
# Node contains the parser Acorn, which node uses for its interactive prompt.
COMPARE = """
const acorn = require("internal/deps/acorn/acorn/dist/acorn");
const placeless = (key, value) =>
  key === "start" || key === "end" ? undefined : typeof value === "bigint" ? `${value}n` : value;
const tree = (script) => JSON.stringify(
  acorn.parse(script, { ecmaVersion: "latest", sourceType: "module" }), placeless);
const pairs = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(pairs.map(([one, other]) => tree(one) === tree(other))));
"""


def same_programs(scripts: list[str], tmp_path: Path) -> list[bool]:
    """For each script, return whether it has the same syntax tree without its comments."""
    compare = tmp_path / "compare.cjs"
    compare.write_text(COMPARE, "utf-8")
    pairs = json.dumps([[script, strip_comments(script)] for script in scripts])
    command = [find_node(), "--expose-internals", str(compare)]
    output = subprocess.run(command, input=pairs, capture_output=True, check=True, encoding="utf-8")
    return json.loads(output.stdout)


LITERALS = {
    "slashes in a pattern": "const a = /a [ // ]b \\/\\/ c/;",
    "quotation marks in a pattern": "f(/[/'\"`] b/g, /'/); // c",
    "a pattern after a condition": "if (a) /b [ // ]/.test(c);",
    "a pattern that is returned": "const f = () => { return /a [ // ]/ };",
    "divisions": "const a = (b + c) / d / e[0] / 2; // f / g",
    "a division by a key's value": "const a = b.return / c; // d / e",
    "lines of a template": "const a = `\n  // no comment\n    /* nor this */ \\` ${b}\n`;",
    "templates within a template": "const a = `x ${b.map((c) => `  // ${c /* one */}  `)}  // y`;",
    "an object within a template": "const a = `${f({ b: `}` })} // c`;",
    "addresses in strings": "const a = 'https://b.c', d = \"/* e */\";",
    "escapes in strings": "const a = 'b\\' // c', d = \"\\\\\"; // e",
    "a line that ends a statement": "let a = 1 /* one\n */ let b = 2",
    "words that only a comment parts": "const/**/a = typeof/**/b;",
}


def test_literals_that_look_like_comments_stay(tmp_path: Path) -> None:
    scripts = dict(zip(LITERALS, same_programs(list(LITERALS.values()), tmp_path), strict=True))
    assert [name for name, is_same in scripts.items() if not is_same] == []
    assert strip_comments("/a [ // ]b/") == "/a [ // ]b/"
    assert strip_comments(LITERALS["lines of a template"]) == LITERALS["lines of a template"]


def test_every_script_of_ours_is_the_same_program_without_comments(tmp_path: Path) -> None:
    texts = [path.read_text("utf-8") for path in OURS]
    different = [
        path.name
        for path, is_same in zip(OURS, same_programs(texts, tmp_path), strict=True)
        if not is_same
    ]
    assert len(OURS) > 80 and different == []
    assert all("".join(text for _, text in read_tokens(script)) == script for script in texts)
    shortened = sum(len(strip_comments(script)) for script in texts)
    assert shortened < 0.9 * sum(map(len, texts))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("let a;\n{ b }\n/c/.test(d)", "line 3 .* may divide or begin a pattern"),
        ("a++ / b", "may divide or begin a pattern"),
        ("for (const a of /b/) c", "after “of” may divide"),
        ("const a = 'b\nc'", "line 1 .* a string has no end"),
        ("const a = `b ${c", "“\\${” is never closed"),
        ("const a = `b", "a template has no end"),
        ("a = 1; /* b", "a comment has no end"),
        ("a = /b", "a pattern has no end"),
        ("f(a]", "“]” closes nothing"),
        ("f(a))", "“\\)” closes nothing"),
    ],
)
def test_what_cannot_be_known_is_an_error(script: str, message: str) -> None:
    with pytest.raises(ExtensionError, match=message):
        strip_comments(script)
