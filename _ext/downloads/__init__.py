"""Copies of the notebooks that run elsewhere, and the line on each page that leads to them."""
