// An untrained network: up to three attention layers with fixed random weights, read with and without a shuffle.
import { remembering, scrambled } from "../maths.mjs";
import { forward, transformer } from "../model/toy.mjs";
import { apart } from "../words.mjs";

export const LENGTH = 16; // of its sentences
const DEEPEST = 3,
  WIDTH = 8,
  WORDS = 12,
  SEQUENCES = 32;

const rows = (numbers, width) =>
  Array.from({ length: numbers.length / width }, (_, k) => Array.from(numbers.subarray(k * width, (k + 1) * width)));

export const SENTENCES = rows(
  scrambled(SEQUENCES * LENGTH, 1).map((v) => Math.floor(((v + 1) / 2) * WORDS)),
  LENGTH,
);

// Shuffle `number` of all of `count` places but the last; 0 moves nothing
export function shuffled(number, count) {
  const places = Array.from({ length: count }, (_, k) => k);
  if (number === 0) return places;
  const keys = scrambled(count - 1, 100 + number); // other numbers than those of the sentences
  return [...places.slice(0, -1).sort((a, b) => keys[a] - keys[b]), count - 1];
}

// The network, whose weights are the same random ones each time; those of its MLPs are 0, so that these add nothing
const network = remembering((causal, layers, encoded) => {
  const scheme = encoded ? "sinusoidal" : "none";
  const model = transformer({ vocabulary: WORDS, classes: 1, dModel: WIDTH, heads: 1, scheme, causal, layers });
  const numbers = scrambled(WORDS * WIDTH + DEEPEST * 4 * WIDTH ** 2);
  let start = 0;
  const draw = (name, size) => {
    const { data } = model.weights[name];
    data.set(numbers.subarray(start, (start += data.length)).map((v) => size * v));
  };
  draw("embedding", Math.sqrt(3));
  for (let n = 0; n < layers; n++)
    for (const name of ["query", "key", "value", "output"]) draw(name + n, Math.sqrt(3 / WIDTH));
  return model;
});

// The rows of these sentences, one after the other, in the `streams` as they enter and after each layer; and of each
// layer the `weights`, a row for each position. `choices` are causal, layers, encoded.
function run(sentences, choices) {
  const length = sentences[0].length,
    texts = { batch: sentences.length, length, tokens: Int32Array.from(sentences.flat()), layers: [] },
    streams = [];
  forward(network(...choices), texts, (stream) => streams.push(rows(stream, WIDTH)));
  return { streams, weights: texts.layers.map((layer) => rows(layer.weights, length)) };
}
const sentence = (order) => order.map((word) => SENTENCES[0][word]);

// The first sentence read in an order, by word: of each layer the weights and sums, and by how much a sum is another
// one than in the sentence's own order
export const reading = remembering((order, ...choices) => {
  const before = run([sentence([...order.keys()])], choices),
    { streams, weights } = run([sentence(order)], choices),
    places = order.map((_, word) => order.indexOf(word));
  return weights.map((given, n) => {
    const sums = places.map((t) => streams[n + 1][t]);
    return {
      sums,
      weights: places.map((t) => places.map((s) => given[t][s])),
      change: apart(sums, before.streams[n + 1]),
    };
  });
});

// What the last layer's attention adds to each row
function added(sentences, choices) {
  const [before, after] = run(sentences, choices).streams.slice(-2);
  return after.map((row, t) => row.map((v, c) => v - before[t][c]));
}
// The same of the first sentence in an order
export const own = (order, ...choices) => added([sentence(order)], choices);

const mean = (list) => list.reduce((a, b) => a + b) / list.length;
const centred = (list) => list.map((v) => v - mean(list));
const dot = (a, b) => a.reduce((sum, v, k) => sum + v * b[k], 0);

// What is added at each position, over all sentences: its `means`, the numbers less these as `dots`, and their variance;
// and how much the logarithm of that explains of the variation of log(position + 1), as R²
export const spread = remembering((...choices) => {
  const all = added(SENTENCES, choices),
    at = Array.from({ length: LENGTH }, (_, t) => all.filter((_, row) => row % LENGTH === t)),
    means = at.map(([row, ...rows]) => row.map((_, c) => mean([row, ...rows].map((one) => one[c])))),
    dots = at.map((rows, t) => rows.flatMap((row) => row.map((v, c) => v - means[t][c]))),
    variances = dots.map((values) => dot(values, values) / values.length),
    [x, y] = [variances, variances.map((_, t) => t + 1)].map((list) => centred(list.map(Math.log)));
  return { means, dots, variances, explained: dot(x, y) ** 2 / dot(x, x) / dot(y, y) };
});
