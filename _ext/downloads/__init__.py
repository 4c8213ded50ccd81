"""Offer copies of notebooks that run without the repository, and link to them from each page."""
