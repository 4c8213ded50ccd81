"""How predictions and repeated questions come onto a page, without a browser."""

import json

import pytest
from bs4 import BeautifulSoup
from sphinx.errors import ExtensionError

from _ext import predictions, reviews
from _ext.quiz import on_page
from pe_lib.course.grading.sheet import load, names
from pe_lib.course.predictions import MIME


def shown(**held: object) -> dict[str, object]:
    """A code cell that published this."""
    output = {"output_type": "execute_result", "data": {MIME: held, "text/plain": "…"}}
    return {"cell_type": "code", "source": "…", "metadata": {}, "outputs": [output],
            "execution_count": 1}  # fmt: skip


ASKED = {"number": "3.1", "choices": ['<b> & "c"', "d"], "unit": ""}
TOLD = {"number": "3.1", "said": "d", "values": [], "unit": ""}


def rewritten(*cells: dict[str, object]) -> list[BeautifulSoup]:
    notebook = json.loads(predictions.rewrite(json.dumps({"cells": list(cells)})))
    assert all(cell["cell_type"] == "markdown" for cell in notebook["cells"])
    return [BeautifulSoup(cell["source"], "html.parser") for cell in notebook["cells"]]


def test_a_result_without_a_question_fails_the_build() -> None:
    with pytest.raises(ExtensionError, match="is answered but not asked"):
        rewritten(shown(**TOLD))


@pytest.mark.parametrize("chapter", range(3, len(names())))
def test_the_three_that_lead_are_of_different_chapters_and_can_change(chapter: int) -> None:
    lead = reviews.spread(chapter)[:3]
    sheets = [question.sheet for question in lead]
    assert len(set(sheets)) == 3 and sheets == sorted(sheets, reverse=True)
    assert int(sheets[0][:2]) == chapter - 1
    for question in lead:
        numbered = any(one.given_code for one in on_page(load(question.sheet)))
        assert bool(question.given_code) == numbered


def test_they_stand_before_the_predictions() -> None:
    cells = [{"cell_type": "markdown", "source": text} for text in ("# 3. A", "## Predict first")]
    source = json.dumps({"cells": cells})
    made = json.loads(reviews.rewrite(source, "03-frequencies"))["cells"]
    assert [cell["source"][:18] for cell in made] == [
        "# 3. A",
        '<details class="om',
        "## Predict first",
    ]
    assert "\n" not in made[1]["source"]  # one block of HTML for Markdown
    assert reviews.rewrite(source, "02-the-formula") == source
    assert reviews.rewrite(source, "appendix-speed") == source
