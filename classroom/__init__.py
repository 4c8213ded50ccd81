"""A class: its submissions graded, its exams, packages for other systems, slides and cards.

running     a submission runs in a process of its own, or a folder of them
marks       whose notebook it is, the table, and what a class did not understand
exam        numbers of their own for everybody
packages    a sheet for Moodle, for Gradescope, or for nothing but Python
slides      a chapter's page cut into slides      } of the built site, in a checkout:
cards       a deck for Anki                       } make slides, make cards

`python -m classroom --help` is what a teacher types. It rests on pe_lib.course, which knows
nothing of it.
"""
