// The course's formulas in the browser, under the names they have in pe_lib.
// tests/explorers hold each against pe_lib.

// ω_i = base^(−2i / d_model), radians per position, for the pair i = ⌊dim / 2⌋
export function frequency(pair, dModel, base) {
  return base ** ((-2 * pair) / dModel);
}

// Positions until the pair is back: 2π / ω_i
export function wavelength(pair, dModel, base) {
  return (2 * Math.PI) / frequency(pair, dModel, base);
}

// PE(position, dim): even dimensions hold the sine, odd ones the cosine of the same angle
export function entry(position, dim, dModel, base) {
  const angle = position * frequency(dim >> 1, dModel, base);
  return dim % 2 ? Math.cos(angle) : Math.sin(angle);
}

// The table of positions 0 … positions − 1, row by row, written into `out`.
// One sine and cosine a pair; every further row is the last one turned by the frequency:
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

// Weights from scores: powers of e that sum to 1. A score of −Infinity gets no weight.
export function softmax(scores) {
  const most = Math.max(...scores),
    powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

// Rows that stand at xs, with that much of the clocks of where they stand added
export const clocked = (rows, xs, hand = 1) =>
  rows.map((row, k) => row.map((v, c) => v + (hand && hand * entry(xs[k], c, row.length, 10_000))));

// Attention among rows that are queries, keys and values at once: the scores X Xᵀ / √d, the weights, the outputs
// softmax(scores) X. Row k is hidden from row q where `hides(q, k)`.
export function mixed(rows, hides = (_q, _k) => false) {
  const dot = (q, k) => q.reduce((sum, v, c) => sum + v * k[c], 0) / Math.sqrt(q.length),
    scores = rows.map((q, t) => rows.map((k, s) => (hides(t, s) ? -Infinity : dot(q, k)))),
    weights = scores.map(softmax),
    sum = (own) => rows[0].map((_, c) => own.reduce((total, share, s) => total + share * rows[s][c], 0));
  return { rows, scores, weights, outputs: weights.map(sum) };
}

// Numbers in [−1, 1) that look random, the same ones as tests/scrambled.py makes
export function scrambled(count, start = 0) {
  const numbers = new Float64Array(count);
  for (let k = 0, x = Math.imul(start, 2_654_435_761) >>> 0; k < count; k++) {
    x = (Math.imul(1_664_525, x) + 1_013_904_223) >>> 0;
    numbers[k] = x / 2 ** 31 - 1;
  }
  return numbers;
}

export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

// What `of` makes of 0, 1, … as many as `count`
export const range = (count, of = (k) => k) => Array.from({ length: count }, (_, k) => of(k));

// The same function, but it remembers its last answer: for what takes long and seldom changes
export function remembering(f) {
  let last = [],
    answer;
  return (...asked) => {
    if (asked.length === last.length && asked.every((one, k) => one === last[k])) return answer;
    last = asked;
    return (answer = f(...asked));
  };
}
