"""Old names: whoever imports one is told the new one."""

from collections.abc import Sequence
from types import ModuleType

ROOMS = {"attention", "audit", "explorers", "figures", "grading", "model"}


class Signpost:
    """Asked last, when nobody knows a module; it never finds one."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        package, _, room = name.partition(".")
        if package == "pe_lib" and room in ROOMS:
            new = f"pe_lib.course.{room}"
            # named after the new one: `from pe_lib import …` keeps silent about what it asked for
            raise ModuleNotFoundError(f"{name} is now {new}", name=new)
