"""What takes seconds to make and seldom changes is kept, with a digest of what it was made of."""

import hashlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path


def digest(root: Path, patterns: Iterable[str], *more: str) -> str:
    """What changes when one of the files does, or one of the texts beside them."""
    found = hashlib.blake2b("\n".join(more).encode(), digest_size=16)
    for pattern in patterns:
        for file in sorted(root.glob(pattern)):
            if file.is_file() and "__pycache__" not in file.parts:
                found.update(file.relative_to(root).as_posix().encode() + file.read_bytes())
    return found.hexdigest()


def keep(folder: Path, digest: str, make: Callable[[Path], object]) -> None:
    """Have `make` fill `folder` anew, unless what is there was made of the same."""
    mark = folder.with_name(f"{folder.name}.made")
    if folder.is_dir() and mark.exists() and mark.read_text("utf-8") == digest:
        return
    mark.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    make(folder)
    mark.write_text(digest, "utf-8")
