"""Provide what the book needs in addition to the library, which never imports this package.

attention      softmax attention of one head, built in chapter 0
model          a tiny Transformer that trains while a cell runs, chapter 6
figures        matplotlib as the book draws it
files          recordings beside a notebook, from wherever its kernel was started
explorers      pictures that react to the finger
grading        exercises that answer back
doctor         pe_lib.doctor with pictures
audit          what five public pages say, checked claim by claim
"""

from importlib.util import find_spec

for _name in ("anywidget", "matplotlib", "threadpoolctl"):
    if find_spec(_name) is None:
        raise ModuleNotFoundError(
            f"pe_lib.course needs {_name}, which is not installed. In the folder of the course:"
            ' python -m pip install -e ".[course]"',
            name=_name,
        )
