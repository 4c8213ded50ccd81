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
comes before only guesses, in this order:

1. Shape (`_identify`). One axis: slopes or frequencies. Two equal arrays: cosines and sines. Three
   or more axes, or a square: a mask or a bias first, if each row is the one before moved on by one;
   else a table. Axes of length 1 do not count; of a batch every item is looked at.
2. What cannot be right (`_rows`): not finite, zero, all rows the same.
3. A list (`_lists`): slopes of ALiBi before frequencies, for they are few and exact.
4. Order of columns (`_turning`): pairs side by side or in halves, either entry first, either end
   first; a cache repeated in one way or the other; then each column a wave of its own; two axes.
5. Waves (`_waves`): amplitude, frequency of each pair by doubling the lever, phase at row 0.
6. Spacing and scaling (`_spacing`): one line in log w, with known bases before others; YaRN and
   llama3, solved where they bend, or a step; longrope, factors of few decimals; then all of these
   with the tolerance of float16, and of bfloat16; zeros at the end; all but a few outliers.
7. Start (`_waves.start`): small whole numbers, then from the slowest pair to the fastest.
8. Rounding (`_proof`): exact, float32 frequencies or angles; frequencies, positions and angles in
   half precision, printed digits, last noise. The first that explains all is told, or else the
   one that leaves the fewest exceptions.
9. What is left is learned (`_learned`), and never sure but for a table that was stretched.

Ties go to the first in the order above. Sentences and usual numbers are data (`sentences.toml`),
numbers in them are written by `_numbers.told` and `_numbers.bound`, so that the page says the same.
"""

from pe_lib.doctor._compare import Comparison, compare
from pe_lib.doctor._diagnosis import Diagnosis, Finding
from pe_lib.doctor._examine import Report, assert_positions, examine
from pe_lib.doctor._identify import identify
from pe_lib.doctor._probe import probe

__all__ = ["Comparison", "Diagnosis", "Finding", "Report", "assert_positions", "compare", "examine",
           "identify", "probe"]  # fmt: skip
