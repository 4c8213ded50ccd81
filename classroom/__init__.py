"""The classroom: grade a class's submissions, hand out exams, and make packages, slides and cards.

running     run and grade a submission in a process of its own, or a folder of them
marks       tell whose notebook it is, and write the table and what a class did not understand
exam        hand out notebooks that have different numbers for everybody
packages    make a package of a sheet for Moodle, for Gradescope, or for Python alone
slides      cut a chapter's page into slides       } these two use the built site of a checkout:
cards       make a deck of cards for Anki          } make slides, make cards

Teachers use it as `python -m classroom`; `--help` lists the commands. It rests on pe_lib.course,
which knows nothing about it.
"""
