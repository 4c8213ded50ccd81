"""List the exercise sheets in a table, with their questions, points and minutes.

The numbers are counted in the sheets as the site is built. The table is written in Markdown, so
that it looks like all other tables.
"""

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from pe_lib.course.grading.sheet import Content, load, names

# How many minutes a question of each level may take: easy, medium and hard.
MINUTES = {1: 4, 2: 8, 3: 15}


def estimate_minutes(sheet: Content) -> int:
    """Return how many minutes a sheet may take, rounded to 5."""
    minutes = sum(MINUTES[question.level] for question in sheet.questions.values())
    return 5 * round(minutes / 5)


def write_table(with_files: bool) -> list[str]:
    """Return a Markdown table of all sheets, with a sentence on how the minutes are counted.

    If `with_files` is true, the last column offers the notebooks for download.
    """
    columns = ["sheet", "questions", "points", "minutes"] + ["to do, solved"] * with_files
    lines = [columns, ["---", "---:", "---:", "---:"] + ["---"] * with_files]
    for name in names():
        sheet = load(name)
        title = f"{name[:2]} {sheet.title}"
        cells = [title, len(sheet.questions), f"{sheet.total:g}", estimate_minutes(sheet)]
        notebook = f"{{download}}`notebook <../exercises/{name}.ipynb>`"
        solutions = f"{{download}}`solutions <../exercises/solutions/{name}.ipynb>`"
        lines.append([*map(str, cells)] + [f"{notebook} {solutions}"] * with_files)
    easy, medium, hard = (MINUTES[level] for level in (1, 2, 3))
    estimate = (
        f"The minutes are estimates, because no class was timed. An easy question counts {easy}, a"
        f" medium one {medium} and a hard one {hard}."
    )
    return [*(f"| {' | '.join(cells)} |" for cells in lines), "", estimate]


class Sheets(SphinxDirective):
    """A Sphinx directive for the table of sheets. Its option `files` adds links to notebooks."""

    option_spec: ClassVar = {"files": directives.flag}

    def run(self) -> list[nodes.Node]:
        place = nodes.container()
        lines = write_table(with_files="files" in self.options)
        self.state.nested_parse(StringList(lines, "sheets"), self.content_offset, place)
        return list(place.children)


def setup(app: Sphinx) -> None:
    app.add_directive("sheets", Sheets)
