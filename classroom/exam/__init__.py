"""An exam, in which everybody has numbers of their own, and a library that does not help.

hand_out    the notebooks, and whose numbers come from which seed
wheel       the library: what an answer may call, with the sheet sealed
"""
