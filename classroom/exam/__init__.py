"""An exam: numbers of their own for everybody, and a library that tells nobody what is right.

hand_out    the notebooks, and the library as a wheel
wheel       that library: pe_lib without solutions, mistakes, hints and tries
student     what it has in place of a sheet
seeds       whose numbers come from which seed
"""
