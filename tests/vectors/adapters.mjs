// What changes its arguments in place or takes its time, as functions that return what they made.
import { adam } from "../../pe_lib/course/explorers/adam.mjs";
import { ask } from "../../pe_lib/course/explorers/asked.mjs";
import { TIDE, paint } from "../../pe_lib/course/explorers/draw.mjs";
import { frequency } from "../../pe_lib/course/explorers/maths.mjs";
import { matrix, product, transposed } from "../../pe_lib/course/explorers/product.mjs";
import { generator, normal } from "../../pe_lib/course/explorers/random.mjs";
import { backward, forward, loss, room, transformer } from "../../pe_lib/course/explorers/toy.mjs";
import { begin, course, look, trainer } from "../../pe_lib/course/explorers/trainer.mjs";
import { wound } from "../../pe_lib/course/explorers/turns.mjs";

// The steps of the colour map that values are painted in
export function painted(values) {
  const pixels = new Uint32Array(values.length);
  paint(values, pixels);
  return Array.from(pixels, (colour) => TIDE.indexOf(colour));
}

// start + a b, and a b once more with b's rows given as columns
export function products([rows, inner, columns], a, b, turned, start) {
  const of = (height, width, data) => matrix(height, width, Float64Array.from(data));
  const [left, added, set] = [of(rows, inner, a), of(rows, columns, start), of(rows, columns, start)];
  product(added, left, of(inner, columns, b), rows, inner, columns, true);
  product(set, left, transposed(of(columns, inner, turned)), rows, inner, columns);
  return [added.data, set.data];
}

// How many positions on a finger has wound a hand that it leads from angle to angle
export function windings(frequency, angles) {
  const held = { dial: { x: 0, y: 0, frequency }, angle: angles[0] };
  return angles.map((angle) => wound(held, { x: Math.sin(angle), y: -Math.cos(angle) }));
}

// Two steps of training from these weights on this batch
export function stepped({ settings, shape, weights, tokens, targets }) {
  const model = transformer(settings);
  for (const [name, numbers] of Object.entries(weights)) model.weights[name].data.set(numbers);
  const space = room(model, ...shape);
  space.tokens.set(tokens);
  space.targets.set(targets);
  forward(model, space);
  const named = (matrices) => Object.fromEntries(Object.entries(matrices).map(([name, { data }]) => [name, [...data]]));
  const attention = space.layers.map((layer) => [...layer.weights]);
  const found = { loss: loss(model, space), logits: [...space.logits.data], attention };
  backward(model, space);
  const gradients = named(model.gradients);
  const mean = model.slopes.map(() => 0);
  const square = mean.slice();
  for (const step of [1, 2]) adam(model.values, model.slopes, mean, square, step, 3e-3);
  return { ...found, gradients, values: named(model.weights) };
}

export function batch(task, size, length) {
  const tokens = new Int32Array(size * length);
  const targets = new Int32Array(task === "previous" ? size * length : size);
  ask(task, generator(3), { batch: size, length, tokens, targets });
  return { tokens: [...tokens], targets: [...targets] };
}

export function normals(seed, count) {
  const random = generator(seed);
  return Array.from({ length: count }, () => normal(random));
}

export const likeness = (scheme) =>
  look(begin({ scheme, task: "previous", layers: 1, length: 8, causal: false, seed: 0 })).likeness;

const right = (shares) => shares.map((one) => one.right);

// A training in one go, and in slices of a millisecond that are paused and trained on
export function sliced(settings, goal) {
  const whole = [...course(begin(settings), goal)];
  const once = { losses: whole.flatMap((news) => news.loss ?? []), shares: right(whole.at(-1).shares) };
  return new Promise((resolve) => {
    const losses = [];
    let paused = false;
    const send = trainer((news) => {
      losses.push(...news.losses);
      if (news.shares && news.step === goal) resolve({ once, slices: { losses, shares: right(news.shares) } });
      else if (news.shares) send({ run: 1, settings, goal });
      else if (!paused && news.step > 5) {
        paused = true;
        send({ run: 1, settings, goal: goal / 2, paused: true });
        setTimeout(() => send({ run: 1, settings, goal: goal / 2 }));
      }
    }, 1);
    send({ run: 1, settings, goal: goal / 2 });
  });
}
export const frequencyInMillionths = (...args) => 1e6 * frequency(...args);
// Red, green, blue and opacity of the colour map's steps
export const colours = () => Array.from(TIDE, (pixel) => [0, 8, 16, 24].map((shift) => (pixel >>> shift) & 255));
export const location = (address) => new URL(address);
export const bytes = (shares) => Uint8Array.from(shares, (share) => Math.round(255 * share));
