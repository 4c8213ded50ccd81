// Loads pe_lib.doctor as `translate.py` wrote it in JavaScript, with its sentences and usual numbers.
/* global DATA, TRANSLATED */
import { borders, bucket, slopes } from "../../pe_lib/course/explorers/distances.mjs";
import { formatNumber, printedDigits, roundTo } from "./formats.mjs";
import { each, np } from "./numpy.mjs";
import { py } from "./python.mjs";

// Objects as maps, as which the translation has dictionaries
const mapped = (x) =>
  x?.constructor === Object ? new Map(Object.entries(x).map(([key, value]) => [key, mapped(value)])) : x;

// What the translation takes from JavaScript
const natives = {
  DATA: mapped(DATA),
  format_number: formatNumber,
  printed_digits: printedDigits,
  round_to: roundTo,
  as_array: (_, values) => values,
  to_numpy: (values) => values,
  alibi_slopes: (heads) => np.asarray(slopes(heads)),
  temperature: (factor) => 0.1 * Math.log(factor) + 1,
  t5_buckets: (offsets, buckets, farthest, both) => {
    const firsts = borders(both ? buckets / 2 : buckets, farthest);
    return each((offset) => bucket(offset, buckets, !both, firsts), offsets);
  },
};

export const python = { ...py, ...natives };
export const doctor = TRANSLATED(python, np);
