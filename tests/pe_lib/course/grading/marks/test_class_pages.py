"""Pages from disk: a student's, and the class's; and the sections that they send to."""

import csv
import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from docutils.nodes import make_id
from played import TERMS, mistake, of
from small import CONTENT

from pe_lib.course.grading.check import grade
from pe_lib.course.grading.marks import pages, report, sections, statistics, table
from pe_lib.course.grading.marks.students import Student
from pe_lib.course.grading.running.terms import Grade
from pe_lib.course.grading.sheet import load, names

CHAPTERS = Path(__file__).parents[5] / "chapters"
SQUARED = mistake("double", "squared")
EMPTY = {"meta", "rect", "polyline", "br"}


class Read(HTMLParser):
    """Text, addresses and tags of a page; raises AssertionError where a tag isn't closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text, self.tags, self.links, self.open = "", set[str](), list[str](), list[str]()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [str(value) for name, value in attrs if name in ("href", "src")]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def class_of(*grades: Grade) -> dict[str, Grade]:
    return {f"student {n}.ipynb": grade for n, grade in enumerate(grades)}


def test_a_student_reads_what_is_right_and_what_to_read_again() -> None:
    content = load("02")
    question = content.questions["one_entry"]
    wrong = next(m for m in question.mistakes if m.name == "sine")
    names_ = {question.answer: question.defined(wrong.code)}
    mark = table.Mark(Student("Ada"), "ada.ipynb", Grade({"one_entry": grade(question, names_)}))
    page = Read(pages.student(mark, content, "https://example.org"))
    assert "Ada" in page.text and wrong.text in page.text and "0 of 22 points" in page.text
    assert page.text.count("Not run") == len(content.questions) - 1
    assert "https://example.org/chapters/02-the-formula.html#eight-numbers" in page.links
    assert not Read(pages.student(mark, content, "")).links


def test_nothing_that_a_student_writes_becomes_part_of_a_page() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=y>"
    hostile = of(evil, row=f"def row(n):\n    raise ValueError({evil!r})")
    mark = table.Mark(Student(evil, evil), evil, hostile, evil)
    for text in (
        pages.student(mark, CONTENT, ""),
        pages.of_class(CONTENT, [mark], statistics.of_class(CONTENT, [hostile]), ""),
    ):
        page = Read(text)
        assert not page.tags & {"script", "img"} and "default-src 'none'" in text
    assert evil in Read(pages.student(mark, CONTENT, "")).text


def test_a_name_that_fits_two_names_neither_in_a_page() -> None:
    note = "fits both Ada Lovelace and Bob"
    mark = table.Mark(Student("x", note=note), "x.ipynb", of(), f"{note}; late")
    page = Read(pages.student(mark, CONTENT, ""))
    assert "its name doesn't tell whose it is; late" in page.text
    assert not re.search("Ada|Bob", page.text)


def test_a_file_that_is_no_answer_to_the_sheet_has_one_sentence() -> None:
    blank = dict.fromkeys(CONTENT.questions, "blank")
    other = of("it is sheet 04-sine-and-cosine, not 99-small", **blank)
    other.foreign = True
    for got in (other, Grade(reason="it is not a notebook but a web page")):
        text = pages.student(table.Mark(Student("Ada"), "a.ipynb", got), CONTENT, "")
        page = Read(text)
        assert text.count("<article") == 1 and "<h2>" not in text
        assert got.reason[1:] in page.text and "none of its questions" in page.text


def test_the_class_page_counts_and_names_nobody() -> None:
    grades = class_of(
        *[of(double=SQUARED)] * 3, *[of()] * 8, of("it ended: at Ada's", pick="blank")
    )
    marks = [table.Mark(Student("Ada Lovelace", "4711"), name, g) for name, g in grades.items()]
    marks.append(table.Mark(Student("Bob")))
    seen = statistics.of_class(CONTENT, grades.values())
    page = Read(pages.of_class(CONTENT, marks, seen, ""))
    assert "12 students handed in, 1 did not." in page.text
    assert "A number: squared3 of 12 (25%)Told: You squared it, x * x." in page.text
    assert "✓ 9 right✗ 3 wrong" in page.text and "1 × it ended" in page.text
    assert not re.search("Ada|4711|Bob", page.text)
    empty = statistics.of_class(CONTENT, [])
    assert "0 students handed in" in Read(pages.of_class(CONTENT, [], empty, "")).text


def test_a_mistake_of_one_student_is_counted_but_not_shown() -> None:
    others = mistake("three", "from_one"), mistake("pick", "a")
    for wrong, told in (
        ([{"double": SQUARED}] * 2 + [{"three": others[0]}, {"pick": others[1]}], "2 rarer"),
        ([{"double": SQUARED}] * 2 + [{"three": others[0]}], "1 rarer mistake is not shown"),
        ([{"three": others[0]}], "No known mistake was made by two students or more.1 rarer"),
        ([{}], "No known mistake was made.Question"),
    ):
        grades = [of(**answers) for answers in wrong]
        marks = [table.Mark(Student(f"{n}"), f"{n}", g) for n, g in enumerate(grades)]
        seen = statistics.of_class(CONTENT, grades)
        page = Read(pages.of_class(CONTENT, marks, seen, "")).text.replace("\n", "")
        assert told in page
        assert "counted from 1" not in page and "1 × " not in page


@pytest.mark.parametrize("total", [1, 9, 22, 60, 999])
def test_each_student_is_in_one_bar(total: int) -> None:
    scores = [0.0, 0.5, total / 2, float(total), float(total)]
    alt = re.search(r'aria-label="([^"]*)"', pages._histogram(scores, total))
    assert alt
    assert sum(map(int, re.findall(r"(\d+) from", alt[1]))) == 5


def test_all_that_comes_of_a_class(tmp_path: Path) -> None:
    grades = class_of(of(), of(double=SQUARED), of(double="blank"))
    grades |= {"Ada.ipynb": of(), "ada.ipynb": of()}
    out = tmp_path / "scores.csv"
    said = report.write(out, grades, TERMS, None, "", "")
    assert said.startswith("5 students") and str(tmp_path / "scores" / "class.html") in said
    with (tmp_path / "scores" / "questions.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["question"] for row in rows] == list(CONTENT.questions)
    assert (rows[0]["right"], rows[0]["wrong"], rows[0]["blank"]) == ("3", "1", "1")
    assert (rows[0]["share"], rows[0]["mistakes"]) == ("0.600", "1 × squared")
    feedback = tmp_path / "scores" / "feedback"
    assert sum(path.name.casefold().startswith("ada") for path in feedback.iterdir()) == 2
    own = feedback / "notes.html"
    own.write_text("the teacher's own")
    report.write(out, class_of(of()), TERMS, None, "", "")
    assert {path.name for path in feedback.iterdir()} == {"student-0.html", "notes.html"}


def test_a_name_that_is_no_text_has_its_page(tmp_path: Path) -> None:
    report.write(tmp_path / "scores.csv", {"\udcff/\udcff.ipynb": of()}, TERMS, None, "", "")
    (page,) = (tmp_path / "scores" / "feedback").iterdir()
    assert "\\udcff" in Read(page.read_text("utf-8")).text


def test_a_table_that_has_no_folder_s_name_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must end in \.csv, got scores"):
        report.folder_of(Path("marks/scores"))


@cache
def headings(chapter: str) -> list[str]:
    notebook = json.loads((CHAPTERS / f"{chapter}.ipynb").read_text("utf-8"))
    prose = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"]
    return re.findall(r"^#{2,} (.+)$", "\n".join(prose), re.MULTILINE)


@pytest.mark.parametrize("sheet", names())
def test_each_question_has_its_section_and_each_section_its_place(sheet: str) -> None:
    questions = load(sheet).questions
    listed = [q for names in sections.SECTIONS.get(sheet, {}).values() for q in names.split()]
    assert sorted(listed) == sorted(questions)
    for question in questions.values():
        chapter, title = sections.place(question)
        assert title in headings(chapter)
        assert sections.anchor(title) == make_id(title)
