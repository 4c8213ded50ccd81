"""An exam: numbers of their own for everybody, and a library that tells nobody what is right.

hand_out    the notebooks, and the library as a wheel
wheel       that library, without solutions, mistakes, hints and tries
library     what it holds of pe_lib: what an answer may call
student     what it has in place of a sheet
seeds       whose numbers come from which seed
"""
