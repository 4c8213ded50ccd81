"""Offer copies of the notebooks that run elsewhere, and link to them from each page."""
