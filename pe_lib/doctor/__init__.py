"""The position doctor: numbers in, diagnosis out.

    identify(array), identify(cos, sin)     what it is: a `Diagnosis`, text and data
    compare(a, b)                           how b differs from a
    probe(function)                         what a function does with positions
    examine(model, config)                  what a whole model holds: a `Report`
    assert_positions(model, config)         the same as a test

and `python -m pe_lib.doctor FILE… [--against config.json]`. It needs numpy alone.

A diagnosis is `sure` only if a rule of few free numbers gives the array back, entry by entry,
within the rounding of a known format; noise up to a tenth of the amplitude is told and allowed. The
decisions, in their order:

1. Shape (`_identify`). One axis: frequencies or slopes. Two equal arrays: cosines and sines. Three
   or more axes, or a square: a bias first, if each row is the one before moved on by one; else a
   table. Axes of length 1 do not count.
2. What cannot be right (`_rows`): not finite, zero, all rows the same. The longest run of good rows
   goes on.
3. A list (`_lists`): slopes of ALiBi (`_slopes`) before frequencies, for they are few and exact.
4. Columns (`_tables`, `_caches`). Of a cache: repeated in halves, in pairs, or not. Of a table: the
   order in which sine² + cosine² is the same everywhere, and then which of the two is the sine.
5. Waves (`_waves`): amplitude, frequency of each pair by doubling the lever, phase at row 0.
6. Rule (`_spacing`): zeros at the end (proportional or underflown); one line in log w, with known
   bases before others; YaRN and llama3, solved where they bend, or a step; longrope, factors of
   few decimals; then all of these again with the tolerance of float16, and of bfloat16.
7. Start (`_waves.start`): small whole numbers, then from the slowest pair to the fastest.
8. Proof (`_pairs`): the array computed again: exact angles, float32 angles, frequencies and angles
   in float16 and bfloat16, a few rows or pairs off, noise. The first that explains all is told.
9. A table that fails: a frequency for each dimension; a grid of two axes; learned (never sure, but
   for what was done to it: copies, interpolation).

Ties go to the first in the order above. Sentences are templates in `_sentences`, their numbers
written by `_numbers.told` and `_numbers.bound`, so that another language can say the same.
"""

from pe_lib.doctor._compare import Comparison, compare
from pe_lib.doctor._diagnosis import Diagnosis, Finding
from pe_lib.doctor._examine import Report, assert_positions, examine
from pe_lib.doctor._identify import identify
from pe_lib.doctor._probe import probe

__all__ = ["Comparison", "Diagnosis", "Finding", "Report", "assert_positions", "compare", "examine",
           "identify", "probe"]  # fmt: skip
