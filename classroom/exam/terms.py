"""Under which terms an exam is graded: everybody's notebook on their own numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from classroom.exam import seeds
from classroom.marks.roster import Roster
from classroom.marks.students import students
from classroom.running.terms import Terms


def of_exam(terms: Terms, roster: Roster, key: bytes, paths: Iterable[str]) -> Terms:
    """The terms for the notebooks at these paths, whose students the roster tells.

    Functions are tried on two secret seeds, which come from the key.
    """
    sheet, listed = terms.content.name, {p.line: p for p in seeds.people(roster)}
    people = {line: seeds.seed(key, sheet, seeds.called(p)) for line, p in listed.items()}
    own = {
        path: people[student.line]
        for student in students(paths, roster)
        for path in student.files
        if student.line is not None
    }
    return replace(
        terms,
        secrets=(*terms.secrets, *seeds.secret_seeds(key, sheet)),
        own=own,
        people={seeds.called(p): people[line] for line, p in listed.items()},
    )
