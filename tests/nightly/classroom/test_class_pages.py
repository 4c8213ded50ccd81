"""Test the feedback page of a student and the page about the whole class."""

import html
import re
from pathlib import Path

from class_grades import TERMS, grade_with
from small import CONTENT, mistake

from classroom.marks import pages, report
from classroom.marks.roster import Student
from classroom.marks.table import Mark
from classroom.running.terms import Grade
from pe_lib.course.grading.check import grade
from pe_lib.course.grading.sheet import load

SQUARED = mistake("double", "squared")


def shown_text(page: str) -> str:
    """Return the text that a browser shows on a page."""
    text = re.sub(r"<style>.*?</style>|<[^>]*>|\n", "", page, flags=re.DOTALL)
    return html.unescape(text)


def class_page(marks: list[Mark]) -> str:
    return pages.class_page(CONTENT, marks, "")


def test_a_student_reads_what_is_right_and_what_to_read_again() -> None:
    content = load("02")
    question = content.questions["similarity_after"]
    wrong = next(m for m in question.mistakes if m.name)
    names_ = {question.answer: question.run_answer(wrong.code)}
    mark = Mark(Student("Ada"), "ada.ipynb", Grade({"similarity_after": grade(question, names_)}))
    page = pages.student_page(mark, content, "https://example.org")
    text = shown_text(page)
    assert "Ada" in text and wrong.text in text and f"0 of {content.total:g} points" in text
    assert text.count("Not run") == len(content.questions) - 1
    assert (
        'href="https://example.org/chapters/02-the-formula-deeper.html#what-adding-does-to-similarity"'
        in page
    )
    assert "href" not in pages.student_page(mark, content, "")


def test_nothing_that_a_student_writes_becomes_part_of_a_page() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=y>"
    hostile = grade_with(evil, row=f"def row(n):\n    raise ValueError({evil!r})")
    mark = Mark(Student(evil, evil, (evil,)), evil, hostile)
    for text in (pages.student_page(mark, CONTENT, ""), class_page([mark])):
        assert not re.search("<script|<img", text) and "default-src 'none'" in text
    assert evil in shown_text(pages.student_page(mark, CONTENT, ""))


def test_the_class_page_counts_and_names_nobody() -> None:
    rare = grade_with("it ended: at Ada's", pick="blank", three=mistake("three", "from_one"))
    grades = [grade_with(double=SQUARED)] * 3 + [grade_with()] * 8 + [rare]
    marks = [Mark(Student("Ada Lovelace", "4711"), f"{n}", g) for n, g in enumerate(grades)]
    page = shown_text(class_page([*marks, Mark(Student("Bob"))]))
    assert "12 students handed in, 1 did not." in page
    assert "A number: squared3 of 12 (25%)Told: You squared it, x * x." in page
    assert "✓ 9 right✗ 3 not yet" in page
    assert "1 rarer mistake is not shown" in page and "counted from 1" not in page
    assert not re.search("Ada|4711|Bob", page)


def test_each_has_a_page_and_what_is_the_teachers_stays(tmp_path: Path) -> None:
    grades = {
        "1.ipynb": grade_with(double=SQUARED),
        "\udcff/\udcff.ipynb": grade_with(double="blank"),
    }
    grades |= {
        "student 0.ipynb": grade_with(),
        "Ada.ipynb": grade_with(),
        "ada.ipynb": grade_with(),
    }
    out = tmp_path / "scores.csv"
    assert report.write(out, grades, TERMS, None, "", "").startswith("5 students.")
    feedback = tmp_path / "scores" / "feedback"
    assert sum(path.name.casefold().startswith("ada") for path in feedback.iterdir()) == 2
    own = feedback / "notes.html"
    own.write_text("the teacher's own")
    report.write(out, {"student 0.ipynb": grade_with()}, TERMS, None, "", "")
    assert {path.name for path in feedback.iterdir()} == {"student-0.html", "notes.html"}
