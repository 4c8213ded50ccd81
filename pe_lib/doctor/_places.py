"""Find the file or folder that a user means: a path, or a model in the local cache of the hub.

Nothing is downloaded. The hub's own programs keep a model `owner/name` in the folder
`models--owner--name`, which has a folder for each version below `snapshots` and the name of the
newest version in `refs/main`. Source: huggingface_hub, *Understand caching*.
"""

import os
import re
from pathlib import Path

from pe_lib.doctor._files import CONFIG, refusal

# A name on the hub, with or without an owner, and with or without a version after "@".
HUB_NAME = re.compile(r"^[\w.-]+(/[\w.-]+)?(@[\w./-]+)?$")


def cache_folder() -> Path:
    """Return the folder in which the hub's programs keep what they have downloaded."""
    if own := os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE"):
        return Path(own).expanduser()
    if home := os.environ.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "huggingface" / "hub"


def find_path(name: str) -> Path:
    """Return the path `name` or, if nothing is there, the folder of the model `name` in the cache.

    Raises ValueError for a name that could be a model's and is not in the cache.
    """
    path = Path(name)
    # A name that ends like a file is meant as a file, even if it could be a model's name.
    if path.exists() or path.is_symlink() or not HUB_NAME.match(name) or _is_file_name(path):
        return path
    model, _, version = name.partition("@")
    folder = cache_folder() / f"models--{model.replace('/', '--')}"
    ref = folder / "refs" / (version or "main")
    if ref.is_file():
        version = ref.read_text("utf-8").strip()
    snapshots = folder / "snapshots"
    if version and (snapshots / version).is_dir():
        return snapshots / version
    versions = [x for x in snapshots.iterdir() if x.is_dir()] if snapshots.is_dir() else []
    if len(versions) == 1 and "@" not in name:
        return versions[0]
    raise ValueError(refusal("not_cached", cache=str(cache_folder())))


def _is_file_name(path: Path) -> bool:
    """Return whether a name has the ending of a file type that the doctor reads or refuses."""
    endings = (".json", ".npy", ".npz", ".csv", ".txt", ".safetensors", ".gguf", ".bin", ".pt",
               ".pth", ".pkl", ".ckpt")  # fmt: skip
    return path.suffix.lower() in endings


def find_config(name: str) -> Path:
    """Return the configuration file `name`, or the config.json in the folder `name`."""
    path = find_path(name)
    if not path.is_dir():
        return path
    if not (path / CONFIG).exists():
        raise ValueError(refusal("no_config"))
    return path / CONFIG
