// Computes the course's formulas in the browser. The tests compare each formula with pe_lib.

// Returns the frequency of pair i = ⌊dim / 2⌋ in radians per position: ω_i = base^(−2i / d_model).
/** @type {(pair: number, dModel: number, base: number) => number} */
export function frequency(pair, dModel, base) {
  return base ** ((-2 * pair) / dModel);
}

// Returns the number of positions in which a pair makes a whole turn: 2π / ω_i.
/** @type {(pair: number, dModel: number, base: number) => number} */
export function wavelength(pair, dModel, base) {
  return (2 * Math.PI) / frequency(pair, dModel, base);
}

// PE(position, dim): even dimensions hold the sine, and odd dimensions the cosine of the same angle
/** @type {(position: number, dim: number, dModel: number, base: number) => number} */
export function entry(position, dim, dModel, base) {
  const angle = position * frequency(dim >> 1, dModel, base);
  return dim % 2 ? Math.cos(angle) : Math.sin(angle);
}

// Writes the table of positions 0 … positions − 1 into `out`, row by row.
// Each pair needs only one sine and one cosine, because a row is the previous row rotated by the frequency:
// (sin, cos)(a + ω) = (sin a cos ω + cos a sin ω, cos a cos ω − sin a sin ω).
/** @type {(positions: number, dModel: number, base: number, out?: any) => any} */
export function encodeTable(positions, dModel, base, out = new Float64Array(positions * dModel)) {
  for (let dim = 0; dim < dModel; dim += 2) {
    const omega = frequency(dim / 2, dModel, base);
    const c = Math.cos(omega),
      s = Math.sin(omega);
    let sin = 0,
      cos = 1;
    for (let k = dim, end = positions * dModel; k < end; k += dModel) {
      out[k] = sin;
      out[k + 1] = cos;
      const next = sin * c + cos * s;
      cos = cos * c - sin * s;
      sin = next;
    }
  }
  return out;
}

// Returns weights from scores: powers of e, divided by their sum. A score of −Infinity gets the weight 0.
/** @type {(scores: number[]) => number[]} */
export function softmax(scores) {
  const most = Math.max(...scores),
    powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

// Adds to rows the encoding of their positions `xs`, multiplied by `hand`.
/** @type {(rows: number[][], xs: number[], hand?: number) => number[][]} */
export const addEncoding = (rows, xs, hand = 1) =>
  rows.map((row, k) => row.map((v, c) => v + (hand && hand * entry(xs[k], c, row.length, 10_000))));

// Computes attention among rows that are queries, keys and values at once.
// Scores are X Xᵀ / √d and outputs softmax(scores) X. Where `hides(q, k)` is true, row k is hidden from row q.
/** @param {number[][]} rows @param {(q: number, k: number) => boolean} hides */
export function attendRows(rows, hides = (_q, _k) => false) {
  /** @type {(q: number[], k: number[]) => number} */
  const score = (q, k) => q.reduce((sum, v, c) => sum + v * k[c], 0) / Math.sqrt(q.length);
  /** @type {(weights: number[]) => number[]} */
  const output = (weights) => rows[0].map((_, c) => weights.reduce((sum, weight, s) => sum + weight * rows[s][c], 0));
  const scores = rows.map((q, t) => rows.map((k, s) => (hides(t, s) ? -Infinity : score(q, k)))),
    weights = scores.map(softmax);
  return { rows, scores, weights, outputs: weights.map(output) };
}

// Returns pseudo-random numbers in [−1, 1); tests/scrambled.py generates the same numbers.
/** @type {(count: number, start?: number) => Float64Array} */
export function scramble(count, start = 0) {
  const numbers = new Float64Array(count);
  for (let k = 0, x = Math.imul(start, 2_654_435_761) >>> 0; k < count; k++) {
    x = (Math.imul(1_664_525, x) + 1_013_904_223) >>> 0;
    numbers[k] = x / 2 ** 31 - 1;
  }
  return numbers;
}

/** @type {(x: number, low: number, high: number) => number} */
export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

// Returns the numbers 0, 1, … below `count`, or the results of calling `of` on each number.
/** @type {(count: number, of?: (k: number) => any) => any[]} */
export const range = (count, of = (k) => k) => Array.from({ length: count }, (_, k) => of(k));

// Returns a function that remembers its last result, for slow functions whose arguments rarely change.
/** @template {(...args: any[]) => any} F @param {F} f @returns {F} */
export function rememberLast(f) {
  /** @type {any[]} */
  let last = [];
  /** @type {any} */
  let result;
  /** @param {any[]} args */
  const remember = (...args) => {
    if (args.length === last.length && args.every((arg, k) => arg === last[k])) return result;
    last = args;
    result = f(...args);
    return result;
  };
  return /** @type {F} */ (remember);
}
