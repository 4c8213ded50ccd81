// Rounds numbers to the four formats in which models store them, and writes numbers as people print them. numpy and
// Python do this for pe_lib/doctor/_formats.py and _numbers.py, so JavaScript needs its own functions.
import { each } from "./numpy.mjs";

const double = new Float64Array(1),
  words = new Uint32Array(double.buffer), // the second word holds the sign and the power of two
  single = new Float32Array(1),
  bits = new Uint32Array(single.buffer);

// For each power of two of a double, this has a number that is so large that its sum with the double keeps only those
// digits of the double that float16 has
const LARGE = Float64Array.from({ length: 2048 }, (_, power) => 1.5 * 2 ** (Math.max(power - 1023, -14) + 42));

function roundToHalf(x) {
  if (!Number.isFinite(x)) return x;
  if (Math.abs(x) >= 65520) return x > 0 ? Infinity : -Infinity;
  double[0] = x;
  const large = LARGE[(words[1] >>> 20) & 0x7ff];
  return x + large - large;
}

function roundToBrain(x) {
  single[0] = x;
  if (!Number.isFinite(single[0])) return single[0];
  bits[0] = (bits[0] + 0x7fff + ((bits[0] >>> 16) & 1)) & 0xffff0000;
  return single[0];
}

const ROUND = { bfloat16: roundToBrain, float16: roundToHalf, float32: Math.fround, float64: (x) => x };

export const roundTo = (x, form) => each(ROUND[form], x);

const takeSample = ({ data }) => {
  const step = Math.max(1, Math.floor(data.length / 4096));
  return data.filter((_, k) => k % step === 0);
};

// Return the error of a printed number and a text with the count of digits, or null if the numbers were not printed
export function printedDigits(x) {
  const some = takeSample(x),
    least = (form) => [2, 3, 4, 5, 6, 7, 8].find((k) => some.every((v) => Number(v[form](k)) === v)) ?? Infinity,
    [decimals, digits] = [least("toFixed"), least("toExponential")];
  if (Math.min(decimals, digits) === Infinity) return null;
  if (decimals <= digits + 1) return [0.5 * Number(`1e-${decimals}`), `${decimals} decimals`];
  return [0.5 * Number(`1e-${digits}`), `${digits + 1} digits`]; // five digits are preferred to eight decimals
}

const groupThousands = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");
const formatExponent = (power) => `e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;

// Write a number for a sentence with at most five digits, as in 10,000, 0.125 and 2.5e-07. Ties are rounded up.
export function formatNumber(x) {
  if (x === null || x === undefined) return "unknown";
  if (!Number.isFinite(x)) return "not finite";
  if (x === 0) return "0";
  const sign = x < 0 ? "-" : "",
    size = Math.abs(x);
  if (size < 1e15 && Number.isInteger(size)) return sign + groupThousands(size.toFixed(0));
  const [mantissa, exponent] = size.toExponential(4).split("e"),
    power = Number(exponent);
  if (power >= 4 && power < 15) return sign + groupThousands(Number(size.toPrecision(5)).toFixed(0));
  if (power >= -4 && power < 4) {
    const [whole, rest] = size.toFixed(4 - power).split(".");
    return `${sign}${groupThousands(whole)}.${rest}`.replace(/\.?0+$/, "");
  }
  return `${sign}${mantissa.replace(/\.?0+$/, "")}${formatExponent(power)}`;
}
