"""Check exercises, and name the mistake in a wrong answer.

A notebook uses Sheet. exercises/README.md describes the sheets themselves, which are Markdown;
classroom/ is for teachers who grade a class.
"""

from pe_lib.course.grading.notebook import Sheet

__all__ = ["Sheet"]
