// A training in slices, with what is to be seen of it told in between: the same in a worker and, where
// a page is refused one, beside the page's own work.
import { adam } from "./adam.mjs";
import { ASKED, ask } from "./asked.mjs";
import { likeness } from "./places.mjs";
import { generator } from "./random.mjs";
import { backward, forward, loss, randomize, room, transformer } from "./toy.mjs";

export const BATCH = 24,
  RATE = 3e-3,
  EVERY = 20; // steps between two looks
export const FACTORS = [1, 1.5, 2, 2.5, 3]; // the lengths that are read, by that of the training
const CHUNKS = 16; // of sequences that are read at each length

// A model at step 0: `settings` are scheme, task, layers, length, causal and seed
export function begin(settings) {
  const { scheme, task, layers, length, causal, seed } = settings;
  const model = transformer({ ...ASKED[task], scheme, layers, causal, maxLength: 3 * length });
  randomize(model, generator(seed));
  const space = room(model, BATCH, length),
    shown = room(model, BATCH, length);
  ask(task, generator(1_000_003), shown); // what looks are taken with: the same for all
  return {
    settings,
    model,
    space,
    shown,
    random: generator(seed + 1_000),
    step: 0,
    mean: model.slopes.slice(),
    square: model.slopes.slice(),
  };
}

// One step of training; returns the loss before it
export function train(state) {
  const { settings, model, space, random, mean, square } = state;
  ask(settings.task, random, space);
  forward(model, space);
  const found = loss(model, space);
  backward(model, space);
  adam(model.values, model.slopes, mean, square, (state.step += 1), RATE);
  return found;
}

// What a look sees: of each head of each layer, the map of the scheme itself and the mean of the
// attention over the sequences that are shown, (heads · layers, length, length)
export function look({ model, shown, step, settings: { length } }) {
  forward(model, shown);
  const { heads } = model,
    size = length * length;
  const attention = shown.layers.flatMap(({ weights }) =>
    Array.from({ length: heads }, (_, h) => {
      const map = new Float64Array(size);
      for (let b = 0; b < BATCH; b++)
        for (let k = 0, at = (b * heads + h) * size; k < size; k++) map[k] += weights[at + k] / BATCH;
      return map;
    }),
  );
  return { step, likeness: Array.from({ length: heads }, (_, h) => likeness(model, shown, h)), attention };
}

// How many answers were right, and how many there were, at each position; a pooled answer counts at 0
export function count({ classes, pooled }, { logits, targets, answers, length }, { right, all }) {
  for (let row = 0; row < answers; row++) {
    if (targets[row] < 0) continue;
    const z = logits.data.subarray(row * classes, (row + 1) * classes),
      at = pooled ? 0 : row % length;
    right[at] += z.indexOf(Math.max(...z)) === targets[row];
    all[at] += 1;
  }
}

// The course of a training to the step `goal`, and then the reading at all lengths: after each piece of
// work what there is to see
export const course = function* (state, goal) {
  const { settings, model } = state;
  while (state.step < goal) {
    const found = train(state);
    yield { loss: found, look: state.step % EVERY === 0 ? look(state) : undefined };
  }
  if (!goal) return;
  const random = generator(2_000_003),
    shares = [];
  for (const factor of FACTORS) {
    const length = factor * settings.length,
      space = room(model, BATCH, length);
    const sums = { right: new Float64Array(length), all: new Float64Array(length) };
    for (let n = 0; n < CHUNKS; n++) {
      ask(settings.task, random, space);
      forward(model, space);
      count(model, space, sums);
      yield {};
    }
    const total = (numbers) => numbers.reduce((a, b) => a + b, 0);
    shares.push({
      length,
      right: total(sums.right) / total(sums.all),
      by: Array.from(sums.right, (n, t) => n / sums.all[t]),
    });
  }
  yield { shares };
};

// Answers messages { run, settings, goal, paused }: another `run` begins anew. `post` gets what there
// is to see after each `slice` milliseconds of work: { run, step, losses, looks, shares }.
export function trainer(post, slice) {
  let run, state, work, timer;
  function on() {
    const news = { run, losses: [], looks: [] },
      until = performance.now() + slice;
    let next;
    do {
      next = work.next();
      const { loss: found, look: seen, shares } = next.value ?? {};
      if (found !== undefined) news.losses.push(found);
      if (seen) news.looks.push(seen);
      if (shares) news.shares = shares;
    } while (!next.done && performance.now() < until);
    post({ ...news, step: state.step });
    if (!next.done) timer = setTimeout(on);
  }
  return ({ run: wanted, settings, goal, paused }) => {
    clearTimeout(timer);
    if (wanted !== run) {
      [run, state] = [wanted, begin(settings)];
      post({ run, step: 0, losses: [], looks: [look(state)] });
    }
    if (paused) return;
    work = course(state, goal);
    timer = setTimeout(on);
  };
}
