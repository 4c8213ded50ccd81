"""Cache generated files, which are generated again only if a digest of their inputs has changed."""

import hashlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path


def digest(root: Path, patterns: Iterable[str], *texts: str) -> str:
    """Return a digest of `texts` and of all files below `root` that match some patterns."""
    state = hashlib.blake2b("\n".join(texts).encode(), digest_size=16)
    for pattern in patterns:
        for file in sorted(root.glob(pattern)):
            if file.is_file() and "__pycache__" not in file.parts:
                state.update(file.relative_to(root).as_posix().encode() + file.read_bytes())
    return state.hexdigest()


def keep(folder: Path, digest: str, make: Callable[[Path], object]) -> None:
    """Fill `folder` by calling `make`, unless the digest stored next to it equals `digest`."""
    mark = folder.with_name(f"{folder.name}.made")
    if folder.is_dir() and mark.exists() and mark.read_text("utf-8") == digest:
        return
    mark.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    make(folder)
    mark.write_text(digest, "utf-8")
