"""Exercises that answer back: a wrong answer is told which mistake it is.

A notebook uses Sheet; `python -m pe_lib.course.grading` makes packages for a class and grades a
folder of submissions. The sheets themselves are Markdown, see exercises/README.md.
"""

from pe_lib.course.grading.notebook import Sheet

__all__ = ["Sheet"]
