"""Diagnose how an array, a function or a model encodes positions, and report its mistakes.

    identify(array), identify(cos, sin)     what an array is: a `Diagnosis`, as text and as data
    compare(a, b)                           how b differs from a
    probe(function)                         what a function does with positions
    examine(model, config)                  what a whole model holds: a `Report`
    trace(model, text)                      what each layer uses while it reads a text: a `Trace`
    assert_positions(model, config)         the same as a test

The command is `pe-doctor FILE… [--against CONFIG]`, or `python -m pe_lib.doctor`. The package needs
only numpy.

A diagnosis rests on a recipe, and it is `sure` only if the recipe gives the array back
(`Diagnosis.rebuild`). Then every entry is within the rounding that the diagnosis names, or is
listed in its `exceptions`. This is decided in one place, at the end (`_identify`), by one proof
(`_proof`). The code before it only proposes recipes, in this order, and the first proposal wins a
tie:

1. The shape of the array decides which module examines it (`_identify`). An array with one axis
   may hold slopes, which are few and exact, or frequencies (`_tables`). Two arrays of equal shape
   are cosines and sines. A square matrix, or an array with three axes or more, may be a mask or a
   bias (`_biases`). Any other array is a table. Axes of length 1 are ignored, and every item of a
   batch is examined.
2. Rows that cannot be right are set aside (`_tables`), because they are not finite, zero, or all
   the same.
3. Every order of columns is tried (`_orders`). The rotation of its pairs is measured (`_turning`)
   and explained by base, exponent and scaling (`_spacing`), by the first position, and by rounding
   (`_proof`). A grid has two axes (`_tables`). The rows of a cache may stand at any positions, on
   one axis or on several, which are solved row by row (`_axes`).
4. All other tables are called learned, but never with certainty.

With a configuration (`_config`), a model's numbers are compared with those of its layers, and a
function with what the layers do (`_function`). Position ids are described by themselves (`_ids`).

Sentences and usual numbers are data (`sentences.toml`), so that the page uses the same ones.
"""

from pe_lib.doctor._compare import Comparison, compare
from pe_lib.doctor._diagnosis import Diagnosis, Finding
from pe_lib.doctor._examine import Report, assert_positions, examine
from pe_lib.doctor._identify import identify
from pe_lib.doctor._probe import probe
from pe_lib.doctor._trace import Trace, trace

__all__ = ["Comparison", "Diagnosis", "Finding", "Report", "Trace", "assert_positions", "compare",
           "examine", "identify", "probe", "trace"]  # fmt: skip
