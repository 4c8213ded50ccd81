// Loads pe_lib.doctor, which translate.py translates into JavaScript, with its sentences and usual numbers.
import { DATA, TRANSLATED } from "#generated/doctor.mjs";
import { borders, bucket, slopes } from "../../pe_lib/course/explorers/distances.mjs";
import { formatNumber, printedDigits, roundTo } from "./formats.mjs";
import { each, np } from "./numpy.mjs";
import { py } from "./python.mjs";

// Return maps for objects, because the translation uses maps as dictionaries
const toMap = (x) =>
  x?.constructor === Object ? new Map(Object.entries(x).map(([key, value]) => [key, toMap(value)])) : x;

// The functions of pe_lib that are not translated, because the page has its own
const natives = {
  DATA: toMap(DATA),
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
