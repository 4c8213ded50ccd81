// What changes its arguments in place or takes its time, as functions that return what they made.
import { adam } from "../../pe_lib/course/explorers/model/adam.mjs";
import { ask } from "../../pe_lib/course/explorers/model/asked.mjs";
import { matrix, product } from "../../pe_lib/course/explorers/model/product.mjs";
import { generator } from "../../pe_lib/course/explorers/model/random.mjs";
import { backward, forward, loss, room, transformer } from "../../pe_lib/course/explorers/model/toy.mjs";
import { begin, look } from "../../pe_lib/course/explorers/model/trainer.mjs";

// The rows of `out` after `a b` was written, or added, to as many of them as `a` has
export function multiplied(out, a, b, add) {
  const [result, left, right] = [out, a, b].map((rows) =>
    matrix(rows.length, rows[0].length, Float64Array.from(rows.flat())),
  );
  product(result, left, right, a.length, b.length, b[0].length, add);
  return result.data;
}

// Two steps of training from these weights on this batch
export function stepped({ settings, shape, weights, tokens, targets }) {
  const model = transformer(settings);
  for (const [name, numbers] of Object.entries(weights)) model.weights[name].data.set(numbers);
  const space = Object.assign(room(model, ...shape), { tokens, targets });
  const named = (matrices) => Object.fromEntries(Object.entries(matrices).map(([name, { data }]) => [name, data]));
  forward(model, space);
  const attention = space.layers.map((layer) => [...layer.weights]);
  const found = { loss: loss(model, space), logits: [...space.logits.data], attention };
  backward(model, space);
  const gradients = named(model.gradients);
  const [mean, square] = [model.slopes.map(() => 0), model.slopes.map(() => 0)];
  for (const step of [1, 2]) adam(model.values, model.slopes, mean, square, step, 3e-3);
  return { ...found, gradients, values: named(model.weights) };
}

export function batch(task, size, length) {
  const tokens = new Int32Array(size * length);
  const targets = new Int32Array(task === "previous" ? size * length : size);
  ask(task, generator(3), { batch: size, length, tokens, targets });
  return { tokens, targets };
}

export const likeness = (scheme) =>
  look(begin({ scheme, task: "previous", layers: 1, length: 8, causal: false, seed: 0 })).likeness;

export const location = (address) => new URL(address);
