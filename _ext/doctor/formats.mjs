// The four formats in which numbers are kept: rounding to each, and which one holds an array.

// the largest share by which rounding to the nearest is off: 53, 24, 11 and 8 binary digits
export const UNIT = { float64: 2 ** -53, float32: 2 ** -24, float16: 2 ** -11, bfloat16: 2 ** -8 };

export const HALVES = ["float16", "bfloat16"];

const view = new DataView(new ArrayBuffer(8));

// The nearest whole number, ties to even
export function even(x) {
  const low = Math.floor(x),
    off = x - low;
  return off < 0.5 || (off === 0.5 && low % 2 === 0) ? low : low + 1;
}

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

const ROUNDED = { float64: (x) => x, float32: Math.fround, float16: half, bfloat16: brain };

// The nearest number of a format, ties to even
export const rounded = (x, form) => ROUNDED[form](x);
export const allRounded = (x, form) => (form === "float64" ? x : Float64Array.from(x, ROUNDED[form]));

// If these are numbers as somebody printed them: by how much they may be off, and in words. To so many
// decimals the bound is of the number itself, to so many digits a share of it.
/** @type {(...arrays: Numbers[]) => [bound: number, words: string] | null} */
export function printed(...arrays) {
  const total = arrays.reduce((n, x) => n + x.length, 0),
    step = Math.max(1, Math.floor(total / 4096)),
    few = [];
  let at = 0;
  for (const x of arrays) for (const v of x) if (at++ % step === 0) few.push(v);
  /** @type {["toFixed" | "toExponential", number, string][]} */
  const forms = [
    ["toFixed", 0, "decimals"],
    ["toExponential", 1, "digits"],
  ];
  const found = [];
  for (const [form, more, word] of forms) {
    const k = [2, 3, 4, 5, 6, 7, 8].find((digits) => few.every((v) => Number(v[form](digits)) === v));
    if (k) found.push({ digits: k + more, bound: 0.5 * Number(`1e-${k}`), words: `${k + more} ${word}` });
  }
  const best = found.sort((a, b) => a.digits - b.digits)[0]; // five digits before 8 decimals
  return best ? [best.bound, best.words] : null;
}

// The narrowest format that holds every number of these arrays
export function held(...arrays) {
  const total = arrays.reduce((n, x) => n + x.length, 0),
    step = Math.max(1, Math.floor(total / 4096));
  const holds = (by, form) => {
    const round = ROUNDED[form];
    for (const x of arrays) {
      for (let i = 0; i < x.length; i += by) if (round(x[i]) !== x[i] && !Number.isNaN(x[i])) return false;
    }
    return true;
  };
  return ["bfloat16", "float16", "float32"].find((form) => holds(step, form) && holds(1, form)) ?? "float64";
}
