"""The position doctor: numbers in, diagnosis out.

    identify(array), identify(cos, sin)     what it is: a `Diagnosis`, text and data
    compare(a, b)                           how b differs from a
    probe(function)                         what a function does with positions
    examine(model, config)                  what a whole model holds: a `Report`
    assert_positions(model, config)         the same as a test

and `python -m pe_lib.doctor FILE… [--against config.json]`. It needs numpy alone.

A diagnosis is a recipe, and it is `sure` only if the recipe gives the array back
(`Diagnosis.rebuild`): every entry within the rounding that the diagnosis names, or listed in its
`exceptions`. That is decided in one place, at the end (`_identify`), by one proof (`_proof`). What
comes before only guesses, in this order, and ties go to the first:

1. Shape (`_identify`). One axis: slopes, which are few and exact, then frequencies (`_tables`). Two
   equal arrays: cosines and sines. Three axes or more, or a square: a mask or a bias (`_biases`);
   else a table. Axes of length 1 do not count; of a batch every item is looked at.
2. Rows that cannot be right (`_tables`): not finite, zero, all the same.
3. Order of columns (`_orders`), each measured (`_turning`) and explained by base, exponent and
   scaling (`_spacing`), where it starts, and rounding (`_proof`); two axes (`_tables`).
4. What is left is learned, and never sure.

Sentences and usual numbers are data (`sentences.toml`), so that the page says the same.
"""

from pe_lib.doctor._compare import Comparison, compare
from pe_lib.doctor._diagnosis import Diagnosis, Finding
from pe_lib.doctor._examine import Report, assert_positions, examine
from pe_lib.doctor._identify import identify
from pe_lib.doctor._probe import probe

__all__ = ["Comparison", "Diagnosis", "Finding", "Report", "assert_positions", "compare", "examine",
           "identify", "probe"]  # fmt: skip
