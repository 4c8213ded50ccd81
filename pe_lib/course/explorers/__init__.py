"""Define the explorers, which are interactive pictures for notebooks and for static pages.

Each kind of explorer is a small Python class and an ES module in one folder. The browser computes
the mathematics, and the tests compare every number with the result of `pe_lib`.
"""

from pe_lib.course.explorers._base import MIME as MIME
from pe_lib.course.explorers._base import Explorer as Explorer
from pe_lib.course.explorers._bundle import beside_shared as beside_shared
from pe_lib.course.explorers._bundle import build_scripts as build_scripts
from pe_lib.course.explorers._bundle import explorer as _explorer_script
from pe_lib.course.explorers._bundle import kinds as kinds
from pe_lib.course.explorers._bundle import shared as shared
from pe_lib.course.explorers._bundle import stylesheet as stylesheet
from pe_lib.course.explorers._esbuild import esbuild as esbuild
from pe_lib.course.explorers.attention import AttentionExplorer as AttentionExplorer
from pe_lib.course.explorers.biases import BiasesExplorer as BiasesExplorer
from pe_lib.course.explorers.circuit import CircuitExplorer as CircuitExplorer
from pe_lib.course.explorers.context import ContextExplorer as ContextExplorer
from pe_lib.course.explorers.counter import CounterExplorer as CounterExplorer
from pe_lib.course.explorers.game import GameExplorer as GameExplorer
from pe_lib.course.explorers.grid import GridExplorer as GridExplorer
from pe_lib.course.explorers.heatmap import HeatmapExplorer as HeatmapExplorer
from pe_lib.course.explorers.layers import LayersExplorer as LayersExplorer
from pe_lib.course.explorers.leak import LeakExplorer as LeakExplorer
from pe_lib.course.explorers.machine import MachineExplorer as MachineExplorer
from pe_lib.course.explorers.offset import OffsetExplorer as OffsetExplorer
from pe_lib.course.explorers.order import OrderExplorer as OrderExplorer
from pe_lib.course.explorers.phase import PhaseExplorer as PhaseExplorer
from pe_lib.course.explorers.rotary import RotaryExplorer as RotaryExplorer
from pe_lib.course.explorers.spectrum import SpectrumExplorer as SpectrumExplorer
from pe_lib.course.explorers.training import TrainingExplorer as TrainingExplorer


def of_kind(kind: str) -> type[Explorer]:
    """Return the class of explorers of this kind, or raise ValueError if there is no such kind."""
    if kind not in kinds():
        raise ValueError(f"kind must be one of {', '.join(kinds())}, got {kind!r}")
    explorer: type[Explorer] = globals()[f"{kind.capitalize()}Explorer"]
    return explorer


def script(kind: str) -> str:
    """Return a JavaScript expression for an explorer of this kind, which needs `shared` first."""
    return _explorer_script(kind, of_kind(kind).about())
