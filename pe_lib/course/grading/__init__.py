"""Check answers to exercises, and name the known mistake in a wrong answer.

A notebook uses Sheet. The sheets are Markdown files, whose format exercises/README.md describes.
Teachers who grade a class use classroom/.
"""

from pe_lib.course.grading.notebook import Sheet

__all__ = ["Sheet"]
