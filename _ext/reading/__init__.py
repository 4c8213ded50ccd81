"""Estimate reading times, and remember where a reader stopped and which pages were read."""
