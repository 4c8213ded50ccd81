"""Make the skeleton of a chapter: its notebook, its test, its exercises, its place in _toc.yml.

python -m tools.new_chapter 12-my-name "My title"

Nothing that exists is overwritten. What is left to write is marked TODO, and `make test` fails
until the last mark is gone.
"""

import argparse
import re
from pathlib import Path

import nbformat

from tools.notebooks import normalised, written

ROOT = Path(__file__).resolve().parent.parent
SKELETON = Path(__file__).parent / "skeleton"
_CODE = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_CHAPTER = re.compile(r"^( *)- file: chapters/\d+-.*\n", re.MULTILINE)


def new_chapter(name: str, title: str, root: Path = ROOT) -> list[Path]:
    """Write the files of chapter `name` under `root`, and return them."""
    if not (found := re.fullmatch(r"(\d\d)-[a-z0-9]+(-[a-z0-9]+)*", name)):
        raise SystemExit(f"NAME must be two digits and words, like 12-my-name, got {name!r}")
    if not title.strip():
        raise SystemExit("TITLE must say what the chapter is about, got nothing")
    number, stem = int(found[1]), name.replace("-", "_")
    said = {"number": number, "title": title.strip(), "name": name}
    chapter, sheet, test = (
        (SKELETON / part).read_text("utf-8").format(**said)
        for part in ("chapter.md", "sheet.md", "test.py")
    )
    files = {
        root / "chapters" / f"{name}.ipynb": _notebook(chapter, name),
        root / "pe_lib" / "course" / "grading" / "sheets" / f"{name}.md": sheet,
        root / "tests" / "chapters" / f"test_{stem}.py": test,
    }
    if taken := sorted((root / "chapters").glob(f"{found[1]}-*")):
        raise SystemExit(f"There is a chapter {number} already: {taken[0].name}")
    for path in files:
        if path.exists():
            raise SystemExit(f"{path.relative_to(root)} exists; nothing was written")
    toc = _listed((root / "_toc.yml").read_text("utf-8"), name)
    for path, content in files.items():
        path.write_text(content, "utf-8")
    (root / "_toc.yml").write_text(toc, "utf-8")
    return list(files)


def _notebook(text: str, name: str) -> str:
    """Markdown with fenced code as a notebook: a cell for each section and each piece of code."""
    cells = []
    for place, piece in enumerate(_CODE.split(text)):
        if place % 2:
            cells.append(nbformat.v4.new_code_cell(piece))
            continue
        sections = re.split(r"^(?=## )", piece, flags=re.MULTILINE)
        cells += [nbformat.v4.new_markdown_cell(s) for s in sections if s.strip()]
    for count, cell in enumerate(cells, start=1):
        cell.id = f"{name}-{count:03}"
    return written(normalised(nbformat.v4.new_notebook(cells=cells), name))


def _listed(toc: str, name: str) -> str:
    """_toc.yml with the chapter after the last one that has a number."""
    *_, last = _CHAPTER.finditer(toc)
    return f"{toc[: last.end()]}{last[1]}- file: chapters/{name}\n{toc[last.end() :]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="like 12-my-name")
    parser.add_argument("title")
    args = parser.parse_args()
    for path in new_chapter(args.name, args.title):
        print(f"wrote {path.relative_to(ROOT)}")
    print("listed it in _toc.yml. Next: make notebooks exercises site, then replace each TODO")


if __name__ == "__main__":
    main()
