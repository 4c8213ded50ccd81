"""Prepare an exam. Each student gets different numbers, and a library without solutions.

hand_out    write the notebooks, and compute the seed of each student's numbers
wheel       build the library with the functions that answers may call, but without solutions
"""
