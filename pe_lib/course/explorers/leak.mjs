// A random, untrained network: what it knows of the order, through mask, depth and encodings.
import { attention, encodeTable, scrambled } from "./maths.mjs";
import { dot, line, redrawOn } from "./draw.mjs";
import { checkbox, decimals, element, fill, slider } from "./controls.mjs";

const TRAITS = ["causal", "layers", "encoded", "shuffle"];
const LENGTH = 16, WIDTH = 8, WORDS = 12, SEQUENCES = 32, DEEPEST = 3; // as in leak.py
const NOTHING = 1e-12; // below this a change is the rounding of sums taken in another order

const rows = (numbers, width) =>
  Array.from({ length: numbers.length / width }, (_, k) => Array.from(numbers.subarray(k * width, (k + 1) * width)));
const times = (x, matrix) => x.map((row) => matrix[0].map((_, c) => row.reduce((sum, v, k) => sum + v * matrix[k][c], 0)));

export const sequences = () =>
  rows(scrambled(SEQUENCES * LENGTH, 1).map((v) => Math.floor(((v + 1) / 2) * WORDS)), LENGTH);

// Shuffle `number` of all places but the last; 0 moves nothing
export function shuffled(number) {
  const places = Array.from({ length: LENGTH }, (_, k) => k);
  if (number === 0) return places;
  const keys = scrambled(LENGTH - 1, number);
  return [...places.slice(0, -1).sort((a, b) => keys[a] - keys[b]), LENGTH - 1];
}

let network; // the random weights, made once
function weights() {
  if (network) return network;
  const numbers = scrambled(WORDS * WIDTH + DEEPEST * 4 * WIDTH * WIDTH, 0).map((v) => Math.sqrt(3) * v);
  const embedding = rows(numbers.subarray(0, WORDS * WIDTH), WIDTH), size = WIDTH * WIDTH;
  const matrix = (k) => rows(numbers.subarray(WORDS * WIDTH + k * size, WORDS * WIDTH + (k + 1) * size)
    .map((v) => v / Math.sqrt(WIDTH)), WIDTH);
  const layers = Array.from({ length: DEEPEST }, (_, n) => [0, 1, 2, 3].map((k) => matrix(4 * n + k)));
  return (network = { embedding, layers });
}

// The stream after the last layer, and what its attention added
export function run(tokens, causal, layers, encoded) {
  const made = weights(), table = encodeTable(LENGTH, WIDTH, 10_000);
  let x = tokens.map((token, t) => made.embedding[token].map((v, c) => v + (encoded ? table[t * WIDTH + c] : 0)));
  let added = x;
  for (const [query, key, value, output] of made.layers.slice(0, layers)) {
    const u = x.map((row) => { const rms = Math.hypot(...row) / Math.sqrt(WIDTH); return row.map((v) => v / rms); });
    added = times(attention(times(u, query), times(u, key), times(u, value), causal), output);
    x = x.map((row, t) => row.map((v, c) => v + added[t][c]));
  }
  return { x, added };
}

// Largest change of each position's output when the first sentence is shuffled
export function changes(causal, layers, encoded, shuffle) {
  const [first] = sequences(), before = run(first, causal, layers, encoded).x;
  const after = run(shuffled(shuffle).map((k) => first[k]), causal, layers, encoded).x;
  return after.map((row, t) => Math.max(...row.map((v, c) => Math.abs(v - before[t][c]))));
}

// Variance of what attention adds, position by position, over the sentences
export function variances(causal, layers, encoded) {
  const added = sequences().map((tokens) => run(tokens, causal, layers, encoded).added);
  return Array.from({ length: LENGTH }, (_, t) => {
    let sum = 0;
    for (let c = 0; c < WIDTH; c++) {
      const values = added.map((rows) => rows[t][c]), mean = values.reduce((a, b) => a + b) / SEQUENCES;
      sum += values.reduce((a, v) => a + (v - mean) ** 2, 0) / SEQUENCES / WIDTH;
    }
    return sum;
  });
}

// R² between the logarithms of variance and position + 1
export function probe(found) {
  const x = found.map(Math.log), y = found.map((_, t) => Math.log(t + 1));
  const mean = (list) => list.reduce((a, b) => a + b) / list.length, mx = mean(x), my = mean(y);
  const sum = (f) => x.reduce((total, _, k) => total + f(k), 0);
  return sum((k) => (x[k] - mx) * (y[k] - my)) ** 2 / sum((k) => (x[k] - mx) ** 2) / sum((k) => (y[k] - my) ** 2);
}

// The probe, in words
export const explained = (share) => `its logarithm explains ${share.toFixed(2)} of the variation of log(position + 1).`;

function render({ model, el }) {
  const set = (name, value) => { model.set(name, value); model.save_changes(); };
  const toggle = (name, label) => checkbox(label, () => model.get(name), (on) => set(name, on));
  const sliders = [
    slider(model, { name: "layers", label: "layers", min: 1, max: () => DEEPEST }),
    slider(model, { name: "shuffle", label: "shuffle", min: 0, max: () => 99, text: (n) => (n ? `no. ${n}` : "none") }),
  ];
  const parts = [toggle("causal", "causal mask"), toggle("encoded", "add sinusoidal encodings"), ...sliders];
  const canvas = element("canvas", {
    class: "ex-canvas ex-leak", tabindex: 0, role: "application", "aria-roledescription": "two meters",
    "aria-label": "Change of each position's output after the shuffle, and the variance of what attention adds. "
      + "Left and right arrow take another shuffle, up and down another number of layers.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)),
    element("div", { class: "ex-choices" }, parts[0].row, parts[1].row), canvas, reading);

  const known = new Map(); // variances take some milliseconds: once for each of the twelve networks
  let varied;
  function draw(context, { width, height }, colour) {
    const [causal, layers, encoded, shuffle] = TRAITS.map((name) => model.get(name));
    for (const part of parts) part.refresh();
    const moved = changes(causal, layers, encoded, shuffle);
    const key = [causal, layers, encoded].join();
    if (!known.has(key)) known.set(key, variances(causal, layers, encoded));
    varied = known.get(key);

    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";
    const label = (text, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };
    const beside = width > 560, w = beside ? width / 2 - 16 : width - 8;
    const h = (beside ? height : height / 2) - 62;
    const left = { x: 34, y: 26, w: w - 38, h }, right = { x: (beside ? width / 2 : 0) + 46, y: beside ? 26 : height / 2 + 26, w: w - 54, h };

    label("change of the output after the shuffle", left.x, 10, "left", colour.ink);
    const most = Math.max(1, ...moved);
    for (const v of [0, most / 2, most]) {
      const y = left.y + left.h * (1 - v / most);
      line(context, colour.grid, 1, [[left.x, y], [left.x + left.w, y]]);
      label(decimals(v, 1), left.x - 6, y, "right");
    }
    moved.forEach((change, t) => {
      const x = left.x + ((t + 0.5) / LENGTH) * left.w, tall = change < NOTHING ? 0 : (change / most) * left.h;
      const last = t === LENGTH - 1;
      context.fillStyle = last ? colour.orange : colour.blue;
      context.fillRect(x - (0.35 * left.w) / LENGTH, left.y + left.h - tall, (0.7 * left.w) / LENGTH, tall);
      if (t % 5 === 0 || last) label(last ? "last" : t, x, left.y + left.h + 12, "center", last ? colour.ink : colour.muted);
    });
    label("position", left.x, left.y + left.h + 28, "left");

    label("variance of what attention adds", right.x, right.y - 16, "left", colour.ink);
    const low = -2, high = 0.6, atX = (t) => right.x + (Math.log(t + 1) / Math.log(LENGTH)) * right.w;
    const atY = (v) => right.y + right.h * (1 - (Math.min(Math.max(Math.log10(v), low), high) - low) / (high - low));
    for (const v of [0.01, 0.1, 1]) {
      line(context, colour.grid, 1, [[right.x, atY(v)], [right.x + right.w, atY(v)]]);
      label(v, right.x - 6, atY(v), "right");
    }
    for (const t of [0, 1, 3, 7, 15]) label(t + 1, atX(t), right.y + right.h + 12, "center");
    label("position + 1", right.x, right.y + right.h + 28, "left");
    line(context, colour.muted, 1, [0, LENGTH - 1].map((t) => [atX(t), atY(varied[0] / (t + 1))]), [4, 4]);
    label("1 / (position + 1)", atX(2), atY(varied[0] / 3) + 18, "right");
    line(context, colour.blue, 2, varied.map((v, t) => [atX(t), atY(v)]));
    varied.forEach((v, t) => dot(context, { ...colour, ink: colour.blue }, atX(t), atY(v)));
    tell(moved[LENGTH - 1], causal, encoded, shuffle);
  }

  function tell(last, causal, encoded, shuffle) {
    const share = probe(varied);
    reading.replaceChildren(
      element("p", {}, element("b", {}, "The last output "), shuffle === 0 ? "has nothing to notice: choose a shuffle."
        : last < NOTHING ? "does not notice that all words before it were shuffled."
        : `changes by ${decimals(last, 2)} when all words before it are shuffled.`),
      element("p", {}, element("b", {}, "Variance: "), `${explained(share)} `
        + (share > 0.8 ? "The position can be read off." : share < 0.2 ? "It says next to nothing about the position." : "")));
  }

  canvas.addEventListener("keydown", (event) => {
    const [name, by] = { ArrowLeft: ["shuffle", -1], ArrowRight: ["shuffle", 1], ArrowDown: ["layers", -1],
                         ArrowUp: ["layers", 1] }[event.key] ?? [];
    if (!name) return;
    event.preventDefault();
    const [least, most] = name === "layers" ? [1, DEEPEST] : [0, 99];
    set(name, Math.min(Math.max(model.get(name) + by, least), most));
  });

  return redrawOn(model, TRAITS, el, canvas, draw);
}

export default { render };
