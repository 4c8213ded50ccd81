"""Offer copies of the notebooks that run without the repository, and link each page to its copy."""
