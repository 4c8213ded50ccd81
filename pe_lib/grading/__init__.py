"""Exercises that answer back: a wrong answer is told which mistake it is."""

from pe_lib.grading.check import Result, grade
from pe_lib.grading.sheet import Question, Sheet, load, names

__all__ = ["Question", "Result", "Sheet", "grade", "load", "names"]
