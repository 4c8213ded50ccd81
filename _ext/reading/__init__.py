"""Measure how long a page takes, and remember where a reader stopped and which pages were read."""
