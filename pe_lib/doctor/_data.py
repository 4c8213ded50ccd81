"""Sentences and usual numbers, from `sentences.toml`, which the page reads, too."""

import tomllib
from pathlib import Path
from typing import Any

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))
