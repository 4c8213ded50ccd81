// Defines adapters that return the results of functions that change their arguments or need several calls.
import { matrix, part, product, transposed } from "../../pe_lib/course/explorers/model/product.mjs";
import { backward, forward, loss, transformer } from "../../pe_lib/course/explorers/model/toy.mjs";
import { adam, ask, generator, training } from "../../pe_lib/course/explorers/model/trainer.mjs";

const matrices = (all) => all.map((rows) => matrix(rows.length, rows[0].length, Float64Array.from(rows.flat())));

// Write (or add) the product `a b` into the middle of `out`, and return all of `out`, followed by bᵀ aᵀ.
export function multiplied(out, a, b, add) {
  const [result, left, right] = matrices([out, a, b]);
  product(left, right, part(result, 1, 1, left.rows, right.columns), add);
  return [...result.data, ...product(transposed(right), transposed(left)).data];
}

// Take two training steps on a batch. Return the outputs, the loss, the gradients and the final weights.
export function stepped({ settings, shape: [batch, length], weights, tokens, targets }) {
  const model = transformer(settings),
    texts = /** @type {any} */ ({ batch, length, tokens, targets });
  for (const [name, numbers] of Object.entries(weights)) model.weights[name].data.set(numbers);
  const named = (all) => Object.fromEntries(Object.entries(all).map(([name, { data }]) => [name, data]));
  forward(model, texts);
  const found = { logits: [...texts.logits.data], attention: texts.layers.map((layer) => [...layer.weights]) },
    nats = loss(model, texts);
  backward(model, texts);
  const gradients = named(model.gradients);
  const [mean, square] = [model.slopes.map(() => 0), model.slopes.map(() => 0)];
  for (const step of [1, 2]) adam(model.values, model.slopes, mean, square, step, 3e-3);
  return { ...found, loss: nats, gradients, values: named(model.weights) };
}

export function batch(size, length) {
  const texts = /** @type {any} */ ({ batch: size, length });
  ask(generator(3), texts);
  return texts;
}

// Return the snapshots 0 to `last` of a training run.
export function looks(settings, last) {
  const found = [];
  for (const look of training(settings)) if (look && found.push(look) > last) break;
  return found;
}

export const location = (address) => new URL(address);
