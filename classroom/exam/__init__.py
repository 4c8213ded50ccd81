"""An exam: numbers of their own for everybody, and a library that tells nobody what is right.

hand_out    the notebooks, and whose numbers come from which seed
wheel       the library: what an answer may call, and the sheet sealed
"""
