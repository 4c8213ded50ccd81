"""Diagnose how an array, a function or a model encodes positions, and report its mistakes.

    identify(array), identify(cos, sin)     what an array is: a `Diagnosis`, as text and as data
    compare(a, b)                           how b differs from a
    probe(function)                         what a function does with positions
    examine(model, config)                  what a whole model holds: a `Report`
    trace(model, text)                      what each layer uses while it reads a text: a `Trace`
    assert_positions(model, config)         the same as a test

The command is `pe-doctor FILE… [--against CONFIG]`, or `python -m pe_lib.doctor`. The package needs
only numpy.

A diagnosis rests on a recipe, and it is `sure` only if the recipe reproduces the array
(`Diagnosis.rebuild`): every entry is within the rounding that the diagnosis names, or is listed in
its `exceptions`.

The rest of this text is for readers of the code. Only `_identify` decides whether a diagnosis is
sure, at the end and with a proof from `_proof`. All other modules propose recipes, in the following
order. If two proposals fit equally well, the first one wins.

1. The shape of the array decides which module examines it (`_identify`). An array with one axis
   may hold slopes, which are few and exact, or frequencies (`_tables`). Two arrays of equal shape
   are cosines and sines. A square matrix, or an array with three axes or more, may be a mask or a
   bias (`_biases`). Any other array is a table. Axes of length 1 are ignored, and every item of a
   batch is examined.
2. Rows that cannot be right are set aside (`_tables`), because they are not finite, zero, or all
   the same.
3. Every order of columns is tried (`_orders`). For each order, `_turning` measures how the pairs
   rotate. The rotation has to be explained by a base, an exponent and a scaling (`_spacing`), by a
   first position, and by rounding (`_proof`). A grid has two axes (`_tables`). The rows of a cache
   may stand at any positions, on one axis or on several, so `_axes` solves for these positions.
   If the columns stand in no usual order, `_columns` finds the wave in each of them.
4. An array that is near a rule is described as such by `_likeness`, and all other tables are called
   learned, but never with certainty.

With a configuration, `_requirements` lists the layers that a tensor may belong to, and `_matching`
tells whether it holds just their numbers. If it does not, `_config` reports how it differs, with
the help of `_slips` for scalings and `_slopes` for ALiBi. A function is compared with what the
layers do (`_function`). Position ids are described by themselves (`_ids`, and
`_image_ids` for those on three axes).

Sentences and usual numbers are data in `sentences.toml`, so that the doctor's web page can use the
same ones.
"""

from pe_lib.doctor._compare import Comparison, compare
from pe_lib.doctor._diagnosis import Diagnosis, Finding
from pe_lib.doctor._examine import Report, assert_positions, examine
from pe_lib.doctor._identify import identify
from pe_lib.doctor._probe import probe
from pe_lib.doctor._trace import Trace, trace

__all__ = ["Comparison", "Diagnosis", "Finding", "Report", "Trace", "assert_positions", "compare",
           "examine", "identify", "probe", "trace"]  # fmt: skip
