"""Build in a temporary folder, so that no wheel holds what an earlier build left behind.

Everything else is in pyproject.toml.
"""

from tempfile import TemporaryDirectory

from setuptools import setup

with TemporaryDirectory() as folder:
    setup(script_name="setup.py", options={"build": {"build_base": folder}})
