"""Builds in a folder that goes away, so that no wheel holds what an earlier build left behind.

All else is in pyproject.toml.
"""

from tempfile import TemporaryDirectory

from setuptools import setup

with TemporaryDirectory() as made:
    setup(script_name="setup.py", options={"build": {"build_base": made}})
