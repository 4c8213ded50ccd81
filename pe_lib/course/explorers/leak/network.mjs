// An untrained network: up to three attention layers with fixed random weights, read with and without a shuffle.
import { last, scrambled } from "../maths.mjs";
import { forward, transformer } from "../model/toy.mjs";

export const LENGTH = 16; // these five as in the class
export const DEEPEST = 3;
const WIDTH = 8,
  WORDS = 12,
  SEQUENCES = 32;
export const NOTHING = 1e-12; // below this a change is the rounding of sums taken in another order

const rows = (numbers, width) =>
  Array.from({ length: numbers.length / width }, (_, k) => Array.from(numbers.subarray(k * width, (k + 1) * width)));

const SENTENCES = rows(
  scrambled(SEQUENCES * LENGTH, 1).map((v) => Math.floor(((v + 1) / 2) * WORDS)),
  LENGTH,
);
export const sequences = () => SENTENCES;

// Shuffle `number` of all of `count` places but the last; 0 moves nothing
export function shuffled(number, count = LENGTH) {
  const places = Array.from({ length: count }, (_, k) => k);
  if (number === 0) return places;
  const keys = scrambled(count - 1, 100 + number); // other numbers than those of the sentences
  return [...places.slice(0, -1).sort((a, b) => keys[a] - keys[b]), count - 1];
}

// The network, whose weights are the same random ones each time; those of its MLPs are 0, so that these add nothing
const network = last((causal, layers, encoded) => {
  const scheme = encoded ? "sinusoidal" : "none";
  const model = transformer({ vocabulary: WORDS, classes: 1, dModel: WIDTH, heads: 1, scheme, causal, layers });
  const size = WIDTH * WIDTH,
    numbers = scrambled(WORDS * WIDTH + DEEPEST * 4 * size).map((v) => Math.sqrt(3) * v);
  model.weights.embedding.data.set(numbers.subarray(0, WORDS * WIDTH));
  let start = WORDS * WIDTH;
  for (let n = 0; n < layers; n++)
    for (const name of ["query", "key", "value", "output"]) {
      const drawn = numbers.subarray(start, (start += size));
      model.weights[name + n].data.set(drawn.map((v) => v / Math.sqrt(WIDTH)));
    }
  return model;
});

// The rows of these sentences, one after the other, in the `streams` as they enter and after each layer; what the last
// layer's attention `added` to each; and of each layer the `weights`, a row for each position
export function run(sentences, causal, layers, encoded) {
  const length = sentences[0].length,
    texts = { batch: sentences.length, length, tokens: Int32Array.from(sentences.flat()), layers: [] },
    streams = [];
  forward(network(causal, layers, encoded), texts, (stream) => streams.push(rows(stream, WIDTH)));
  const [before, after] = streams.slice(-2);
  return {
    streams,
    added: after.map((row, t) => row.map((v, c) => v - before[t][c])),
    weights: texts.layers.map((layer) => rows(layer.weights, length)),
  };
}

// How many letters are shown: those that were asked for, or all if others were moved
export const counted = ({ letters, order }) =>
  order.every((place, t) => t < letters - 1 || place === t) ? letters : LENGTH;

// The word of the first sentence at each place: shuffled, and then moved by hand
export function standing(state) {
  const count = counted(state),
    base = shuffled(state.shuffle, count);
  return state.order.slice(0, count).map((place) => base[place]);
}

// The first sentence read in an order, and in its own: for each layer the weights and sums of each word, and by how
// much a sum is another one now
const original = last((count, ...network) => run([SENTENCES[0].slice(0, count)], ...network).streams);
export const reading = last((causal, layers, encoded, ...order) => {
  const before = original(order.length, causal, layers, encoded),
    { streams, weights } = run([order.map((word) => SENTENCES[0][word])], causal, layers, encoded),
    at = order.map((_, word) => order.indexOf(word));
  return weights.map((given, n) => {
    const sums = at.map((t) => streams[n + 1][t]),
      apart = (row, other) => Math.max(...row.map((v, c) => Math.abs(v - other[c])));
    return {
      sums,
      weights: at.map((t) => at.map((s) => given[t][s])),
      change: sums.map((sum, word) => apart(sum, before[n + 1][word])),
    };
  });
});

// Largest change of the output of the word at each place
export function changes(causal, layers, encoded, order) {
  const { change } = reading(causal, layers, encoded, ...order).at(-1);
  return order.map((word) => change[word]);
}

// What attention adds, less the mean over the sentences: the numbers of all sentences, position by position, and those means
export function spread(causal, layers, encoded) {
  const { added } = run(sequences(), causal, layers, encoded);
  const at = Array.from({ length: LENGTH }, (_, t) => added.filter((_, row) => row % LENGTH === t));
  const means = at.map((rows) => rows[0].map((_, c) => rows.reduce((sum, row) => sum + row[c], 0) / SEQUENCES));
  return { means, dots: at.map((rows, t) => rows.flatMap((row) => row.map((v, c) => v - means[t][c]))) };
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
