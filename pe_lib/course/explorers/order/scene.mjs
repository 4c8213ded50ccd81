// A sentence to put into another order, and what attention notices of it.
/* global ABOUT */
import { attention, encodeTable, entry } from "../maths.mjs";
import { clock, paint, redraw } from "../frame/draw.mjs";
import { checkbox, decimals, element, fill } from "../frame/controls.mjs";
import { arch, feet, glide, line, moved } from "../words.mjs";
import { stage } from "../frame/stage.mjs";

/** @typedef {{ order: number[], word: number, place: number, positions: boolean, causal: boolean, pooled: boolean }} State */
const TRAITS = ["order", "word", "place", "positions", "causal", "pooled"];
const BASE = 10_000,
  NOTHING = 1e-12; // below this a change is the rounding of sums taken in another order

function outputs(vectors, order, positions, causal) {
  const d = vectors[0].length,
    table = encodeTable(order.length, d, BASE);
  const rows = order.map((word, place) => vectors[word].map((v, c) => v + (positions ? table[place * d + c] : 0)));
  return attention(rows, rows, rows, causal);
}

const mean = (rows) => rows[0].map((_, c) => rows.reduce((sum, row) => sum + row[c], 0) / rows.length);
const distance = (a, b) => Math.max(...a.map((v, c) => Math.abs(v - b[c])));

// The largest change in each place's output against the original order; one number if pooled
export function changes(vectors, order, positions, causal, pooled) {
  const before = outputs(
    vectors,
    order.map((_, k) => k),
    positions,
    causal,
  );
  const after = outputs(vectors, order, positions, causal);
  if (pooled) return [distance(mean(after), mean(before))];
  return after.map((row, place) => distance(row, before[order[place]]));
}

// The order that is read: `order`, with one word at the place where it is held (null: where it was)
export const standing = ({ order, word, place }) =>
  place === null ? order : moved(order, word, Math.min(Math.round(place), order.length - 1));

// The weights that each word gives, and its output, with the words anywhere on the line
export function mixed(vectors, xs, positions, causal) {
  const d = vectors[0].length,
    from = vectors.map((_, k) => k).sort((a, b) => xs[a] - xs[b]);
  const rows = from.map((k) => vectors[k].map((v, c) => v + (positions ? entry(xs[k], c, d, BASE) : 0)));
  const one = rows.map((_, k) => rows.map((_, j) => Number(j === k)));
  const [given, made] = [attention(rows, rows, one, causal), attention(rows, rows, rows, causal)];
  const weights = [],
    results = [];
  from.forEach((k, n) => {
    weights[k] = [];
    from.forEach((j, m) => {
      weights[k][j] = given[n][m];
    });
    results[k] = made[n];
  });
  return { weights, outputs: results };
}

// What is drawn where, in a canvas of this size
export function layout(width, height, n) {
  const slot = width / n,
    line = height - 176;
  return {
    slot,
    line,
    foot: 0.78 * slot,
    word: line + 32,
    clock: line + 70,
    rows: line + 112,
    bars: line + 128,
    pill: [slot - 4, 42],
    cell: Math.min(9, (slot - 6) / 8),
  };
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const words = model.get("words"),
    vectors = model.get("vectors"),
    n = words.length;
  const original = words.map((_, k) => k),
    state = () => /** @type {State} */ (Object.fromEntries(TRAITS.map((name) => [name, model.get(name)])));
  if (!fits({ words, ...state() }))
    throw new Error(`order must hold each word once, word and place must be below ${n}`);
  const order = () => standing(state()),
    place = (k) => (k === model.get("word") ? model.get("place") : order().indexOf(k));

  // One by one, and between two of them what is read is never another order than before or after
  function set(to, word) {
    for (const [name, value] of [
      ["order", order()],
      ["place", null],
      ["word", word],
      ["order", to],
      ["place", to.indexOf(word)],
    ])
      model.set(name, value);
    model.save_changes();
  }
  function put(k, at, rests) {
    if (rests) set(moved(order(), k, Math.round(at)), k);
    else model.set("place", at);
  }

  const check = (name, label) =>
    checkbox(
      label,
      () => model.get(name),
      (on) => {
        model.set(name, on);
        model.save_changes();
      },
    );
  const checks = [check("positions", "positions"), check("causal", "mask"), check("pooled", "mean")];
  const button = (text, to) => {
    const made = element("button", { class: "ex-button", type: "button" }, text);
    made.addEventListener("click", () => set(to(), model.get("word")));
    return made;
  };
  const canvas = element("canvas", {
    class: "ex-canvas ex-order",
    role: "img",
    "aria-label": "Arches between the words, as thick as the weights; the words; the output of each, and its change.",
  });
  const sentence = line(canvas, words, {
    label: "The sentence.",
    chosen: () => model.get("word"),
    choose: (k) => set(order(), k),
    place,
    put,
    most: n - 1,
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(
    el,
    sentence.node,
    element(
      "div",
      { class: "ex-choices ex-apart" },
      element("div", { class: "ex-choices" }, ...checks.map((c) => c.row)),
      element(
        "div",
        { class: "ex-buttons" },
        button("reverse", () => order().reverse()),
        button("original order", () => original),
      ),
    ),
    reading,
  );

  const places = glide(140),
    shares = glide(140),
    one = new Uint32Array(1);
  let again = () => {},
    told = "",
    at = layout(680, 360, n),
    sizes = {};

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const { word, positions, causal, pooled } = state(),
      read = order();
    for (const c of checks) c.refresh();
    at = layout(width, height, n);
    const targets = original.map((k) => (k === word ? (model.get("place") ?? read.indexOf(k)) : read.indexOf(k)));
    const { shown: stand, moving } = places(targets, sentence.held()?.k);
    const xs = stand.map((x) => (x + 0.5) * at.slot);
    const now = mixed(vectors, stand, positions, causal),
      before = mixed(vectors, original, positions, causal);
    const sides = shares(feet(now.weights, stand).flat(2));
    if (moving || sides.moving) again();
    const foot = (k, j) => [0, 1].map((end) => xs[k] + at.foot * (sides.shown[2 * (n * k + j) + end] - 0.5));

    // arches between all words, those of the chosen one on top; each lands on the feet of both
    const tall = (k, j) => (at.line - 8) * Math.min(1, Math.abs(stand[k] - stand[j]) / (n - 1)) ** 0.75;
    const pairs = original.flatMap((k) => original.slice(0, k).map((j) => (stand[j] < stand[k] ? [j, k] : [k, j])));
    for (const own of [false, true]) {
      context.fillStyle = own ? colour.orange : colour.blue;
      context.globalAlpha = own ? 0.75 : 0.16;
      for (const [j, k] of pairs)
        if ((j === word || k === word) === own) arch(context, at.line, foot(j, k), foot(k, j), tall(j, k));
    }
    context.globalAlpha = 1;
    original.forEach((k) =>
      original.forEach((j) => {
        const [from, to] = foot(k, j);
        context.fillStyle = k === word ? colour.orange : colour.blue;
        context.globalAlpha = k === word ? 1 : 0.55;
        if (to - from > 0.1) context.fillRect(from, at.line, to - from, j === k ? 7 : 4);
      }),
    );
    context.globalAlpha = 1;

    context.textAlign = "center";
    context.textBaseline = "middle";
    if (sizes.slot !== at.slot) {
      // the longest word fits its place
      context.font = `600 16px ${colour.font}`;
      const longest = Math.max(...words.map((text) => context.measureText(text).width));
      sizes = { slot: at.slot, font: Math.min(18, (16 * (at.slot - 10)) / longest) };
    }
    original.forEach((k) => {
      // the places stay, the words move over them
      const x = (k + 0.5) * at.slot;
      if (positions) clock(context, colour, { x, y: at.clock, r: 13 }, k);
      context.fillStyle = colour.muted;
      context.font = `12px ${colour.font}`;
      if (!positions) context.fillText(k, x, at.clock);
    });
    const [w, h] = at.pill,
      last = [...original.filter((k) => k !== word), word];
    for (const k of last) {
      const own = k === word;
      Object.assign(context, {
        fillStyle: colour.paper,
        strokeStyle: own ? colour.orange : colour.grid,
        lineWidth: own ? 2 : 1,
      });
      context.beginPath();
      context.roundRect(xs[k] - w / 2, at.word - h / 2, w, h, 7);
      context.fill();
      context.stroke();
      context.fillStyle = colour.ink;
      context.font = `600 ${sizes.font}px ${colour.font}`;
      context.fillText(words[k], xs[k], at.word - 8);
      context.fillStyle = colour.orange;
      context.font = `12px ${colour.font}`;
      context.fillText(now.weights[word][k].toFixed(2), xs[k], at.word + 11);
    }
    sentence.lay(xs, at.word, at.pill, at.slot);

    // the outputs, and by how much each differs from the one in the original order
    const row = (values, x, y, cell) =>
      values.forEach((value, c) => {
        paint([Math.max(-1, Math.min(1, value / 2))], one);
        context.fillStyle = `rgb(${one[0] & 255} ${(one[0] >> 8) & 255} ${(one[0] >> 16) & 255})`;
        context.fillRect(x + (c - values.length / 2) * cell, y, cell, 14);
      });
    const bar = (change, x, y, w) => {
      const much = change < NOTHING ? 0 : change;
      context.fillStyle = colour.orange;
      context.fillRect(x - w / 2, y, w, 22 * Math.min(1, much));
      context.fillStyle = much ? colour.orange : colour.muted;
      context.fillText(much ? decimals(much, much < 0.01 ? 4 : 2) : "0", x, y + 22 * Math.min(1, much) + 9);
    };
    const same = read.every((k, place) => k === place) && !moving;
    context.fillStyle = colour.muted;
    context.textAlign = "left";
    context.fillText(same ? "what each word gets" : "what each word gets, and how much it changed", 3, at.rows - 11);
    context.textAlign = "center";
    context.globalAlpha = pooled ? 0.3 : 1;
    for (const k of original) row(now.outputs[k], xs[k], at.rows, at.cell);
    context.globalAlpha = 1;
    if (pooled) {
      row(mean(now.outputs), width / 2, at.bars + 4, 14);
      context.fillStyle = colour.muted;
      context.fillText("mean", width / 2 - 82, at.bars + 11);
      if (!same) bar(distance(mean(now.outputs), mean(before.outputs)), width / 2, at.bars + 19, 112);
    } else if (!same)
      for (const k of original) bar(distance(now.outputs[k], before.outputs[k]), xs[k], at.bars, 8 * at.cell);
    tell(read, positions, causal, pooled);
  }

  function tell(read, positions, causal, pooled) {
    if (told === (told = [read, positions, causal, pooled].join())) return;
    const most = Math.max(...changes(vectors, read, positions, causal, pooled));
    const verdict = read.every((k, place) => k === place)
      ? "The original order."
      : most >= NOTHING
        ? "Order is noticed."
        : pooled
          ? "Invariant: the mean stays in any order."
          : "Equivariant: outputs move with their words.";
    const change = most < NOTHING ? "0 (below 10⁻¹²)" : decimals(most);
    reading.replaceChildren(
      element("p", {}, element("b", {}, read.map((k) => words[k]).join(" "))),
      element(
        "p",
        {},
        pooled ? `Largest change of the mean: ${change}.` : `Largest change of an output: ${change}.`,
        " ",
        element("b", {}, verdict),
      ),
    );
  }

  const [schedule, stop] = redraw(el, canvas, draw);
  again = schedule;
  for (const name of TRAITS) model.on(`change:${name}`, schedule);
  const band = (y, h) => ({ x: 0, y, w: canvas.clientWidth, h });
  return {
    stop() {
      stop();
      for (const name of TRAITS) model.off(`change:${name}`, schedule);
    },
    parts: {
      arches: () => band(0, at.line + 8),
      word: () => ({ x: (model.get("place") + 0.5) * at.slot - at.slot / 2, y: at.line - 4, w: at.slot, h: 60 }),
      clocks: () => band(at.clock - 14, 28),
      outputs: () => band(at.rows - 2, 18),
    },
  };
}

// What a state lets notice, for the tasks
const noticed = (state) => changes(state.vectors, standing(state), state.positions, state.causal, state.pooled);
export const done = {
  main: (state) =>
    !state.positions && Math.max(...noticed(state)) > NOTHING
      ? "Found: behind a mask a word sees those before it, and another order puts others there."
      : "",
};

const fits = ({ words, order, word, place }) =>
  [...order].sort((a, b) => a - b).join() === words.map((_, k) => k).join() &&
  word < words.length &&
  place <= words.length - 1;

export default stage(ABOUT, scene, {
  done,
  fits,
  play: { trait: "place", unit: 900, high: ({ words }) => words.length - 1 },
});
