// An untrained network: up to three attention layers with fixed random weights, read with and without a shuffle.
import { attention, encodeTable, scrambled } from "./maths.mjs";

export const LENGTH = 16; // these five as in leak.py
export const DEEPEST = 3;
const WIDTH = 8,
  WORDS = 12,
  SEQUENCES = 32;
export const NOTHING = 1e-12; // below this a change is the rounding of sums taken in another order

const rows = (numbers, width) =>
  Array.from({ length: numbers.length / width }, (_, k) => Array.from(numbers.subarray(k * width, (k + 1) * width)));
const times = (x, matrix) =>
  x.map((row) => matrix[0].map((_, c) => row.reduce((sum, v, k) => sum + v * matrix[k][c], 0)));

export const sequences = () =>
  rows(
    scrambled(SEQUENCES * LENGTH, 1).map((v) => Math.floor(((v + 1) / 2) * WORDS)),
    LENGTH,
  );

// Shuffle `number` of all places but the last; 0 moves nothing
export function shuffled(number) {
  const places = Array.from({ length: LENGTH }, (_, k) => k);
  if (number === 0) return places;
  const keys = scrambled(LENGTH - 1, 100 + number); // other numbers than those of the sentences
  return [...places.slice(0, -1).sort((a, b) => keys[a] - keys[b]), LENGTH - 1];
}

let network; // the random weights, made once
function weights() {
  if (network) return network;
  const numbers = scrambled(WORDS * WIDTH + DEEPEST * 4 * WIDTH * WIDTH, 0).map((v) => Math.sqrt(3) * v);
  const embedding = rows(numbers.subarray(0, WORDS * WIDTH), WIDTH),
    size = WIDTH * WIDTH;
  const matrix = (k) =>
    rows(
      numbers.subarray(WORDS * WIDTH + k * size, WORDS * WIDTH + (k + 1) * size).map((v) => v / Math.sqrt(WIDTH)),
      WIDTH,
    );
  const layers = Array.from({ length: DEEPEST }, (_, n) => [0, 1, 2, 3].map((k) => matrix(4 * n + k)));
  return (network = { embedding, layers });
}

// The stream after the last layer, what its attention added, and each layer's weights and stream
export function run(tokens, causal, layers, encoded) {
  const made = weights(),
    table = encodeTable(LENGTH, WIDTH, 10_000),
    steps = [];
  let x = tokens.map((token, t) => made.embedding[token].map((v, c) => v + (encoded ? table[t * WIDTH + c] : 0)));
  let added = x;
  for (const [query, key, value, output] of made.layers.slice(0, layers)) {
    const u = x.map((row) => {
      const rms = Math.hypot(...row) / Math.sqrt(WIDTH);
      return row.map((v) => v / rms);
    });
    const [q, k] = [times(u, query), times(u, key)];
    added = times(attention(q, k, times(u, value), causal), output);
    x = x.map((row, t) => row.map((v, c) => v + added[t][c]));
    steps.push({ x, weights: () => attention(q, k, ONE, causal) });
  }
  return { x, added, steps };
}
const ONE = Array.from({ length: LENGTH }, (_, k) => Array.from({ length: LENGTH }, (_, j) => Number(j === k)));

// The word of the first sentence at each place: shuffled, and then moved by hand
export const standing = ({ shuffle, order }) => order.map((place) => shuffled(shuffle)[place]);

// The largest difference of two rows
export const apart = (row, other) => Math.max(...row.map((v, c) => Math.abs(v - other[c])));

// Largest change of the output of the word at each place, with the first sentence in this order
export function changes(causal, layers, encoded, order) {
  const [first] = sequences(),
    before = run(first, causal, layers, encoded).x;
  return run(
    order.map((word) => first[word]),
    causal,
    layers,
    encoded,
  ).x.map((row, t) => apart(row, before[order[t]]));
}

// What attention adds, less the mean over the sentences: the numbers of all sentences, position by position, and those means
export function spread(causal, layers, encoded) {
  const added = sequences().map((tokens) => run(tokens, causal, layers, encoded).added);
  const means = ONE.map((_, t) =>
    Array.from({ length: WIDTH }, (_, c) => added.reduce((sum, rows) => sum + rows[t][c], 0) / SEQUENCES),
  );
  return { means, dots: means.map((mean, t) => added.flatMap((rows) => rows[t].map((v, c) => v - mean[c]))) };
}

// Variance of what attention adds, position by position, over the sentences
export const variances = (causal, layers, encoded) => variance(spread(causal, layers, encoded));
export const variance = ({ dots }) => dots.map((values) => values.reduce((sum, v) => sum + v * v, 0) / values.length);

// R² between the logarithms of variance and position + 1
export function probe(found) {
  const x = found.map(Math.log),
    y = found.map((_, t) => Math.log(t + 1));
  const mean = (list) => list.reduce((a, b) => a + b) / list.length,
    mx = mean(x),
    my = mean(y);
  const sum = (f) => x.reduce((total, _, k) => total + f(k), 0);
  return sum((k) => (x[k] - mx) * (y[k] - my)) ** 2 / sum((k) => (x[k] - mx) ** 2) / sum((k) => (y[k] - my) ** 2);
}

// The probe, in words
export const explained = (share) => `its logarithm explains ${share.toFixed(2)} of the variation of log(position + 1).`;
