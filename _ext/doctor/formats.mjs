// The four formats in which numbers are kept, and numbers as people print them: what JavaScript does in its own
// way, and not as pe_lib/doctor/_formats.py and _numbers.py do it.
import { each, even } from "./numpy.mjs";

const view = new DataView(new ArrayBuffer(8));

function half(x) {
  if (!Number.isFinite(x)) return x;
  if (Math.abs(x) >= 65520) return x > 0 ? Infinity : -Infinity;
  view.setFloat64(0, x);
  const power = ((view.getUint16(0) >> 4) & 0x7ff) - 1023;
  const step = 2 ** (Math.max(power, -14) - 10);
  return even(x / step) * step;
}

function brain(x) {
  const single = Math.fround(x);
  if (!Number.isFinite(single)) return single;
  view.setFloat32(0, single);
  const bits = view.getUint32(0);
  view.setUint32(0, (bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff0000);
  return view.getFloat32(0);
}

const ROUNDED = { bfloat16: brain, float16: half, float32: Math.fround, float64: (x) => x };

export const rounded = (x, form) => each(ROUNDED[form], x);

const few = ({ data }) => {
  const step = Math.max(1, Math.floor(data.length / 4096));
  return data.filter((_, k) => k % step === 0);
};

// If these are numbers as somebody printed them: by how much they may be off, and in words
export function printed(x) {
  const some = few(x),
    least = (form) => [2, 3, 4, 5, 6, 7, 8].find((k) => some.every((v) => Number(v[form](k)) === v)) ?? Infinity,
    [decimals, digits] = [least("toFixed"), least("toExponential")];
  if (Math.min(decimals, digits) === Infinity) return null;
  if (decimals <= digits + 1) return [0.5 * Number(`1e-${decimals}`), `${decimals} decimals`];
  return [0.5 * Number(`1e-${digits}`), `${digits + 1} digits`]; // five digits before 8 decimals
}

const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");
const exponential = (power) => `e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;

// A number in a sentence: 10,000 and 0.125 and 2.5e-07, of at most five digits, ties upwards
export function told(x) {
  if (x === null || x === undefined) return "unknown";
  if (!Number.isFinite(x)) return "not finite";
  if (x === 0) return "0";
  const sign = x < 0 ? "-" : "",
    size = Math.abs(x);
  if (size < 1e15 && Number.isInteger(size)) return sign + grouped(size.toFixed(0));
  const [mantissa, exponent] = size.toExponential(4).split("e"),
    power = Number(exponent);
  if (power >= 4 && power < 15) return sign + grouped(Number(size.toPrecision(5)).toFixed(0));
  if (power >= -4 && power < 4) {
    const [whole, rest] = size.toFixed(4 - power).split(".");
    return `${sign}${grouped(whole)}.${rest}`.replace(/\.?0+$/, "");
  }
  return `${sign}${mantissa.replace(/\.?0+$/, "")}${exponential(power)}`;
}
