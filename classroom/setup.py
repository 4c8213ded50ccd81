"""Build in a temporary folder, so that no files from an earlier build get into a wheel.

All other settings are in pyproject.toml.
"""

from tempfile import TemporaryDirectory

from setuptools import setup

with TemporaryDirectory() as folder:
    setup(script_name="setup.py", options={"build": {"build_base": folder}})
