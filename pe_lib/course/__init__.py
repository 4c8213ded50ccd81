"""Provide the course's figures, models and audit. The library itself never imports this package.

attention      softmax attention of one head, built in chapter 0
model          a tiny Transformer that trains while a cell runs, built in chapter 6
figures        the book's style for matplotlib
files          files in a notebook's folder, from wherever its kernel was started
explorers      pictures that react to a finger or a mouse
grading        exercises that are checked at once
doctor         pe_lib.doctor with pictures
audit          the claims of five public pages, each with a check
"""

from importlib.util import find_spec

for _name in ("anywidget", "matplotlib", "threadpoolctl"):
    if find_spec(_name) is None:
        raise ModuleNotFoundError(
            f"pe_lib.course needs {_name}, which is not installed. In the folder of the course:"
            ' python -m pip install -e ".[course]"',
            name=_name,
        )
