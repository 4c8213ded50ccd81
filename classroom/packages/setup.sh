#!/usr/bin/env bash
set -e
apt-get update && apt-get install -y python3-pip
pip3 install uv || pip3 install --break-system-packages uv
uv venv --python 3.12 /autograder/python
uv pip install --python /autograder/python/bin/python -r /autograder/source/requirements.txt
