"""Explorers: pictures that react to the finger, in a notebook and on the static page alike.

Each is one small Python class and one ES module of the same name. The mathematics runs in the
browser; the tests hold it against `pe_lib` number by number.
"""

from pe_lib.course.explorers._base import MIME, Explorer
from pe_lib.course.explorers._bundle import kinds, script, shared, stylesheet
from pe_lib.course.explorers._bundle import own as _own
from pe_lib.course.explorers.attention import AttentionExplorer
from pe_lib.course.explorers.biases import BiasesExplorer
from pe_lib.course.explorers.chord import ChordExplorer
from pe_lib.course.explorers.circuit import CircuitExplorer
from pe_lib.course.explorers.context import ContextExplorer
from pe_lib.course.explorers.counter import CounterExplorer
from pe_lib.course.explorers.grid import GridExplorer
from pe_lib.course.explorers.hands import HandsExplorer
from pe_lib.course.explorers.heatmap import HeatmapExplorer
from pe_lib.course.explorers.layers import LayersExplorer
from pe_lib.course.explorers.leak import LeakExplorer
from pe_lib.course.explorers.offset import OffsetExplorer
from pe_lib.course.explorers.order import OrderExplorer
from pe_lib.course.explorers.phase import PhaseExplorer
from pe_lib.course.explorers.rotary import RotaryExplorer
from pe_lib.course.explorers.schemes import SchemesExplorer
from pe_lib.course.explorers.spectrum import SpectrumExplorer
from pe_lib.course.explorers.training import TrainingExplorer

__all__ = [
    "MIME",
    "AttentionExplorer",
    "BiasesExplorer",
    "ChordExplorer",
    "CircuitExplorer",
    "ContextExplorer",
    "CounterExplorer",
    "Explorer",
    "GridExplorer",
    "HandsExplorer",
    "HeatmapExplorer",
    "LayersExplorer",
    "LeakExplorer",
    "OffsetExplorer",
    "OrderExplorer",
    "PhaseExplorer",
    "RotaryExplorer",
    "SchemesExplorer",
    "SpectrumExplorer",
    "TrainingExplorer",
    "bundle",
    "kinds",
    "of_kind",
    "own",
    "script",
    "shared",
    "stylesheet",
]


def of_kind(kind: str) -> type[Explorer]:
    """The class of a kind; raises ValueError for another name."""
    if kind not in kinds():
        raise ValueError(f"kind must be one of {', '.join(kinds())}, got {kind!r}")
    found: type[Explorer] = globals()[f"{kind.capitalize()}Explorer"]
    return found


def bundle(kind: str) -> str:
    """The source of one ES module for explorer `kind`: no imports, one default export."""
    return str(of_kind(kind)._esm)


def own(kind: str) -> str:
    """The part of `bundle` that is not `shared` by all kinds."""
    return _own(kind, of_kind(kind).about())
