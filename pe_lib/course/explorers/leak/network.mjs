// Runs an untrained network of up to three attention layers with fixed random weights, with and without a shuffle.
import { range, rememberLast, scramble } from "../maths.mjs";
import { forward, transformer } from "../model/toy.mjs";
import { largestChanges } from "../words.mjs";

const DEEPEST = 3,
  WIDTH = 8,
  WORDS = 12;

const rows = (numbers, width) =>
  range(numbers.length / width, (k) => Array.from(numbers.subarray(k * width, (k + 1) * width)));

// The tokens of the sentence. A network reads only the first tokens.
export const SENTENCE = Array.from(scramble(16, 1), (v) => Math.floor(((v + 1) / 2) * WORDS));

// Returns permutation `number` of `count` places, which keeps the last place. Permutation 0 moves nothing.
export function shuffled(number, count) {
  const places = range(count);
  if (number === 0) return places;
  const keys = scramble(count - 1, 100 + number); // different numbers from those of the sentences
  return [...places.slice(0, -1).sort((a, b) => keys[a] - keys[b]), count - 1];
}

// The network has the same random weights each time.
// The weights of its MLPs are 0, so that the MLPs add nothing.
const network = rememberLast((causal, layers, encoded) => {
  const scheme = encoded ? "sinusoidal" : "none";
  const model = transformer({ vocabulary: WORDS, classes: 1, dModel: WIDTH, heads: 1, scheme, causal, layers });
  const numbers = scramble(WORDS * WIDTH + DEEPEST * 4 * WIDTH ** 2);
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

// Runs the network on the words in this order, with `choices` = [causal, layers, encoded].
// `streams` are the rows before the first layer and after each layer, and `weights` the attention rows of each layer.
function run(order, choices) {
  const tokens = Int32Array.from(order, (word) => SENTENCE[word]),
    text = { batch: 1, length: order.length, tokens, layers: [] },
    streams = [];
  forward(network(choices[0], choices[1], choices[2]), text, (stream) => streams.push(rows(stream, WIDTH)));
  return { streams, weights: text.layers.map((layer) => rows(layer.weights, order.length)) };
}

// Reads the sentence in this order. Returns for each layer, word by word, the weights and the sums.
// It also returns how far each sum differs from the sum in the original order of the sentence.
export const reading = rememberLast((order, ...choices) => {
  const before = run([...order.keys()], choices),
    { streams, weights } = run(order, choices),
    places = order.map((_, word) => order.indexOf(word));
  return weights.map((map, n) => {
    const sums = places.map((t) => streams[n + 1][t]);
    return {
      sums,
      weights: places.map((t) => places.map((s) => map[t][s])),
      change: largestChanges(sums, before.streams[n + 1]),
    };
  });
});
