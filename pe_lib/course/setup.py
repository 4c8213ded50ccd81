"""Build the package in a temporary folder, so that wheels contain no files from earlier builds.

All other settings are in pyproject.toml.
"""

from tempfile import TemporaryDirectory

from setuptools import setup

with TemporaryDirectory() as folder:
    setup(script_name="setup.py", options={"build": {"build_base": folder}})
