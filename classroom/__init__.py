"""Grade a class's submissions, hand out exams, and make packages, slides and cards for a class.

running     run and grade a submission, or a folder of submissions, in separate processes
marks       match notebooks to students, and write the table, pages and files of grades
exam        hand out notebooks in which each student gets different numbers
packages    make a package of a sheet for Moodle, for Gradescope, or for Python alone
slides      turn the page of each chapter into slides (make slides)
cards       make a deck of cards for Anki (make cards)

Teachers run `python -m classroom`, whose option `--help` lists the commands. The slides and cards
need the built site of a checkout. The classroom imports pe_lib.course, which never imports the
classroom.
"""
