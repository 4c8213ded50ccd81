"""Build the wheel in a temporary folder, so that it contains no files from an earlier build.

All other settings are in pyproject.toml.
"""

from tempfile import TemporaryDirectory

from setuptools import setup

with TemporaryDirectory() as folder:
    setup(script_name="setup.py", options={"build": {"build_base": folder}})
