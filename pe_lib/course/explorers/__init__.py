"""Explorers: pictures that react to the finger, in a notebook and on the static page alike.

Each is one small Python class and one ES module of the same name. The mathematics runs in the
browser; the tests hold it against `pe_lib` number by number.
"""

from pe_lib.course.explorers._base import MIME as MIME
from pe_lib.course.explorers._base import Explorer as Explorer
from pe_lib.course.explorers._bundle import kinds as kinds
from pe_lib.course.explorers._bundle import own as _own
from pe_lib.course.explorers._bundle import script as script
from pe_lib.course.explorers._bundle import shared as shared
from pe_lib.course.explorers._bundle import stylesheet as stylesheet
from pe_lib.course.explorers.attention import AttentionExplorer as AttentionExplorer
from pe_lib.course.explorers.biases import BiasesExplorer as BiasesExplorer
from pe_lib.course.explorers.circuit import CircuitExplorer as CircuitExplorer
from pe_lib.course.explorers.context import ContextExplorer as ContextExplorer
from pe_lib.course.explorers.counter import CounterExplorer as CounterExplorer
from pe_lib.course.explorers.grid import GridExplorer as GridExplorer
from pe_lib.course.explorers.heatmap import HeatmapExplorer as HeatmapExplorer
from pe_lib.course.explorers.layers import LayersExplorer as LayersExplorer
from pe_lib.course.explorers.leak import LeakExplorer as LeakExplorer
from pe_lib.course.explorers.offset import OffsetExplorer as OffsetExplorer
from pe_lib.course.explorers.order import OrderExplorer as OrderExplorer
from pe_lib.course.explorers.phase import PhaseExplorer as PhaseExplorer
from pe_lib.course.explorers.rotary import RotaryExplorer as RotaryExplorer
from pe_lib.course.explorers.spectrum import SpectrumExplorer as SpectrumExplorer
from pe_lib.course.explorers.training import TrainingExplorer as TrainingExplorer


def of_kind(kind: str) -> type[Explorer]:
    """The class of a kind; raises ValueError for another name."""
    if kind not in kinds():
        raise ValueError(f"kind must be one of {', '.join(kinds())}, got {kind!r}")
    found: type[Explorer] = globals()[f"{kind.capitalize()}Explorer"]
    return found


def own(kind: str) -> str:
    """The part of a kind's script that is not `shared` by all kinds."""
    return _own(kind, of_kind(kind).about())
