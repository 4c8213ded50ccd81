// Numbers as people choose them, and as a sentence writes them: pe_lib/doctor/_numbers.py.

/* global DATA */
export const BASES = DATA.bases; // the most usual first
export const LENGTHS = DATA.trained_lengths;
export const FACTORS = DATA.factors;

export const ten = (power) => Number(`1e${power}`); // exact, where 10 ** power may be a last bit off

// x > 0 with so many digits, the nearest: 0.0347 with 1 is 0.03
export function significant(x, digits) {
  const power = Math.floor(Math.log10(x)) - digits + 1,
    scale = ten(Math.abs(power));
  const whole = Math.floor((power >= 0 ? x / scale : x * scale) + 0.5);
  return power >= 0 ? whole * scale : whole / scale;
}

export const isPowerOfTen = (x) => x >= 10 && Math.abs(ten(Math.floor(Math.log10(x) + 0.5)) / x - 1) < 1e-12;

// The number that somebody chose, if x is within `doubt` (a share) of one, and its digits; else x and 9
export function chosen(x, doubt) {
  if (!(Number.isFinite(x) && x > 1e-300 && x < 1e300)) return [x, 9];
  for (const digits of [1, 2, 3]) {
    const y = significant(x, digits);
    if (doubt <= 0.2 * ten(-digits) && Math.abs(y / x - 1) <= 3 * doubt) return [y, digits];
  }
  return [x, 9];
}

const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

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

const exponential = (power) => `e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;

// A residual in a sentence: rounded up to 1, 2 or 5, so that a last bit does not show
export function bound(x) {
  if (!Number.isFinite(x)) return "not finite";
  for (let power = -9; power < 300; power++) {
    for (const step of [1, 2, 5]) {
      if (x < step * ten(power) * 0.999) {
        return `below ${power > -3 && power < 4 ? told(step * ten(power)) : step + exponential(power)}`;
      }
    }
  }
  return "beyond all bounds";
}
