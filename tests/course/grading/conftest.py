"""Puts this folder, with its small sheet, on the path of the tests in the folders below."""
