"""Exercises that answer back: a wrong answer is told which mistake it is.

A notebook uses Sheet. The sheets themselves are Markdown, see exercises/README.md; what a teacher
does with them is in classroom/.
"""

from pe_lib.course.grading.notebook import Sheet

__all__ = ["Sheet"]
