// A sentence to put into another order, and what attention notices of it: as ribbons, or as the table of scores.
/* global ABOUT */
import { decimals } from "../frame/controls.mjs";
import { clamp, entry, last, softmax } from "../maths.mjs";
import { clock } from "../scene/clocks.mjs";
import { drawn } from "../scene/drawn.mjs";
import { boxes, d, h, line, rect, shade, text, through, toward } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";
import { heldAt, moved, tiles, touched } from "../words.mjs";

const BASE = 10_000,
  NOTHING = 1e-12, // below this a change is the rounding of sums taken in another order
  FOOT = 0.78, // of a word's place is the stretch on which its shares stand
  LIMIT = 2; // scores beyond it have its colour

const mean = (rows) => rows[0].map((_, c) => rows.reduce((sum, row) => sum + row[c], 0) / rows.length);
const distance = (a, b) => Math.max(...a.map((v, c) => Math.abs(v - b[c])));
const numbers = (list) => list.map((_, k) => k);

// The vector of each word, anywhere on the line, and its scores with all
const placed = (vectors, xs, positions) =>
  vectors.map((row, k) => row.map((v, c) => v + (positions ? entry(xs[k], c, row.length, BASE) : 0)));
export function scored(vectors, xs, positions) {
  const rows = placed(vectors, xs, positions);
  return rows.map((q) => rows.map((k) => q.reduce((sum, v, c) => sum + v * k[c], 0) / Math.sqrt(q.length)));
}

// The weights that each gives, and its output
export function mixed(vectors, xs, positions, causal) {
  const rows = placed(vectors, xs, positions),
    hidden = (row, q) => row.map((score, k) => (causal && xs[k] > xs[q] ? -Infinity : score)),
    weights = scored(vectors, xs, positions).map((row, q) => softmax(hidden(row, q))),
    sum = (own) => rows[0].map((_, c) => own.reduce((sum, share, j) => sum + share * rows[j][c], 0));
  return { weights, outputs: weights.map(sum) };
}
const [moving, resting, original] = [last(mixed), last(mixed), last(mixed)]; // what is drawn, said, and compared with

// The largest change in each place's output against the original order; one number if pooled
export function changes(vectors, order, positions, causal, pooled) {
  const places = [numbers(order), order.map((_, k) => order.indexOf(k))],
    [before, after] = places.map((xs) => mixed(vectors, xs, positions, causal).outputs);
  return pooled ? [distance(mean(after), mean(before))] : order.map((k) => distance(after[k], before[k]));
}

// Where on its foot each word's share lies, [start, end] in shares: what goes to the left lies left, the nearest
// outermost, so that ribbons do not cross; its own share lies in the middle
export function feet(weights, xs) {
  return weights.map((row, k) => {
    const rank = (j) => (j === k ? 0 : 1 / (xs[j] - xs[k]));
    const found = [];
    let from = 0;
    for (const j of numbers(row).sort((a, b) => rank(a) - rank(b))) found[j] = [from, (from += row[j])];
    return found;
  });
}

// The order that is read: `order`, with the chosen word at the place nearest to where it is held
const standing = ({ order, word, place }) => moved(order, word, Math.round(place));
// The words that one sees, as places of the order
export const seen = (order, word, causal) => (causal ? order.slice(0, order.indexOf(word) + 1) : order);

const places = (s) => {
  const read = standing(s);
  return s.words.map((_, k) => (k === s.word ? s.place : read.indexOf(k)));
};
const mix = (s, xs) => moving(s.vectors, xs, s.positions, s.causal);
const rest = (s, order = standing(s), word = s.word) => ({ ...s, order, word, place: order.indexOf(word) });
const isOriginal = (order) => order.every((k, place) => k === place);

// What is drawn where: ribbons on a line over the words, or the words over the columns of the table
function layout({ words, view }, { w, h: high }) {
  const n = words.length,
    table = view === "scores",
    left = table ? w / (n + 1) : 0,
    slot = (w - left) / n,
    line = table ? 0 : high - 176;
  return {
    n,
    left,
    slot,
    line,
    foot: FOOT * slot,
    word: table ? 20 : line + 32,
    tile: { w: slot - 4, h: table ? 34 : 42 },
    clock: line + 70,
    rows: line + 112,
    bars: line + 128,
    top: 46,
    row: (high - 46 - 78) / n,
    below: high - 66, // the chosen word's weights
    cell: Math.min(9, (slot - 6) / 8),
    x: (place) => left + (place + 0.5) * slot,
  };
}

const eight = (values, x, y, cell) =>
  values.map((v, c) => rect(x + (c - values.length / 2) * cell, y, cell, 14, "", shade(clamp(v / 2, -1, 1), "signed")));

function change(much, x, y, w) {
  const seen = much < NOTHING ? 0 : Math.min(1, much);
  return [
    rect(x - w / 2, y, w, 22 * seen, "f-muted"),
    text(
      x,
      y + 22 * seen + 13,
      `mono small mid ${seen ? "f-ink" : "f-green bold"}`,
      seen ? decimals(much, much < 0.01 ? 4 : 2) : "0",
    ),
  ];
}

function ribbons(s, at, stand, sides) {
  const { word, words } = s,
    n = words.length,
    all = numbers(words),
    foot = (k, j) => [0, 1].map((end) => at.x(stand[k]) + at.foot * (sides[2 * (n * k + j) + end] - 0.5));
  // each lands on the feet of both its words; a Bézier curve rises to 3/4
  function arch([j, k]) {
    const [[a, b], [c, e]] = [foot(j, k), foot(k, j)],
      outer = ((at.line - 8) * Math.min(1, (stand[k] - stand[j]) / (n - 1)) ** 0.75) / 0.75,
      inner = Math.max(0, outer - (b - a + e - c) / 1.5),
      [up, under] = [at.line - outer, at.line - inner];
    return h("path", {
      d: d`M${a} ${at.line}C${a} ${up} ${e} ${up} ${e} ${at.line}L${c} ${at.line}C${c} ${under} ${b} ${under} ${b} ${at.line}Z`,
    });
  }
  const pairs = all.flatMap((k) => all.slice(0, k).map((j) => (stand[j] < stand[k] ? [j, k] : [k, j])));
  const standsOn = (k) =>
    all.map((j) => {
      const [from, to] = foot(k, j);
      return rect(from, at.line, Math.max(to - from, 0), j === k ? 7 : 4);
    });
  return [
    h("g", { class: "f-muted", "fill-opacity": 0.17 }, pairs.filter((pair) => !pair.includes(word)).map(arch)),
    h("g", { class: "f-purple", "fill-opacity": 0.75 }, pairs.filter((pair) => pair.includes(word)).map(arch)),
    h("g", { class: "f-muted", "fill-opacity": 0.55 }, all.filter((k) => k !== word).map(standsOn)),
    h("g", { class: "f-purple" }, standsOn(word)),
  ];
}

// The outputs, and by how much each differs from the one in the original order
function results(s, at, stand, now, w) {
  const { words, vectors, positions, causal, pooled } = s,
    all = numbers(words),
    before = original(vectors, all, positions, causal).outputs,
    same = stand.every((x, k) => x === k);
  return [
    text(3, at.rows - 8, "mono small f-muted", `what each word gets${same ? "" : ", and how much it changed"}`),
    h(
      "g",
      { opacity: pooled ? 0.3 : 1 },
      all.map((k) => eight(now.outputs[k], at.x(stand[k]), at.rows, at.cell)),
    ),
    pooled
      ? [
          eight(mean(now.outputs), w / 2, at.bars + 4, 14),
          text(w / 2 - 82, at.bars + 16, "mono mid f-muted", "mean"),
          same ? [] : change(distance(mean(now.outputs), mean(before)), w / 2, at.bars + 19, 112),
        ]
      : same
        ? []
        : all.map((k) => change(distance(now.outputs[k], before[k]), at.x(stand[k]), at.bars, 8 * at.cell)),
  ];
}

// Who asks for whom, row by row; under it the chosen word's weights, the softmax of its row
function scores(s, at, stand, now) {
  const { words, word, causal, vectors, positions } = s,
    all = numbers(words),
    asked = scored(vectors, stand, positions),
    y = (k) => at.top + stand[k] * at.row,
    cell = (q, k) => {
      const [x, top] = [at.x(stand[k]) - at.slot / 2, y(q)];
      if (causal && stand[k] - stand[q] > 0.5)
        return line(x + 0.35 * at.slot, top + 0.7 * at.row, x + 0.65 * at.slot, top + 0.3 * at.row, "l-muted");
      const shown = shade(clamp(asked[q][k] / LIMIT, -1, 1), "signed", 0, 0.6),
        says = decimals(asked[q][k], at.slot < 46 ? 1 : 2);
      return [
        rect(x + 1, top + 1, at.slot - 2, at.row - 2, "", shown),
        text(x + at.slot / 2, top + at.row / 2 + 4.5, "mono small mid f-ink", says),
      ];
    };
  const stairs = all.flatMap((k) => [k, k + 1].map((row) => [at.left + (k + 1) * at.slot, at.top + row * at.row]));
  return [
    all.map((q) => [
      text(at.left / 2, y(q) + at.row / 2 + 4.5, `mono small mid ${q === word ? "bold f-ink" : "f-muted"}`, words[q]),
      all.map((k) => cell(q, k)),
    ]),
    causal
      ? h("path", { class: "l-ink bar", d: through(stairs.map(([x, y]) => [Math.min(x, at.x(at.n - 0.5) - 1), y])) })
      : [],
    rect(at.left + 1, y(word) + 1, at.n * at.slot - 2, at.row - 2, "l-purple bar", { rx: 3 }),
    text(at.left / 2, at.below + 16, "mono small mid f-purple", "weights"),
    all.map((k) => {
      const share = now.weights[word][k],
        x = at.x(stand[k]);
      return [
        rect(x - 0.35 * at.slot, at.below, 0.7 * at.slot, 44 * share, "f-purple"),
        text(x, at.below + 44 * share + 13, "mono small mid f-purple", share.toFixed(2)),
      ];
    }),
  ];
}

const most = last((...given) => Math.max(...changes(...given)));
const noticed = (s) => most(s.vectors, standing(s), s.positions, s.causal, s.pooled);
const said = (s) => standing(s).map((k) => s.words[k]);

export const scene = {
  kind: "sentence",
  label:
    "The words, what each gives to each, and what it gets. Left and right arrow keys move the chosen word, up and down " +
    "choose the word before or after it.",
  controls: [
    { name: "place", label: "place", min: 0, max: ({ order }) => order.length - 1, text: (x) => x.toFixed(0) },
    { name: "positions", label: "positions" },
    { name: "causal", label: "mask" },
  ],
  settings: [
    { name: "view", label: "show", options: ["ribbons", "scores"].map((view) => [view, view]) },
    { name: "pooled", label: "mean", when: ({ view }) => view === "ribbons" },
    { label: "reverse", act: (s) => rest(s, standing(s).reverse()) },
  ],
  height: () => 352,
  draw(s, size) {
    const { words, word } = s,
      at = layout(s, size),
      stand = s.gliding ?? places(s),
      now = mix(s, stand),
      xs = stand.map(at.x),
      turn = (k) => clock({ x: at.x(k), y: at.clock, r: 13 }, k),
      share = (k) => text(xs[k], at.word + 15, "mono small mid f-purple", now.weights[word][k].toFixed(2));
    if (s.view === "scores") return h("g", {}, scores(s, at, stand, now), tiles(words, xs, at.word, at.tile, word));
    return h(
      "g",
      {},
      ribbons(s, at, stand, s.sides ?? feet(now.weights, stand).flat(2)),
      // the places stay, the words move over them
      numbers(words).map((k) => (s.positions ? turn(k) : text(at.x(k), at.clock + 4.5, "mono mid f-muted", k))),
      results(s, at, stand, now, size.w),
      tiles(words, xs, at.word, at.tile, word, share),
    );
  },
  alt(s) {
    const most = noticed(s),
      what = s.pooled ? "the mean of all outputs" : "any word's output",
      change = most < NOTHING ? "does not change" : `changes by up to ${decimals(most)}`,
      sentence = `The words in the order “${said(s).join(" ")}”`;
    if (s.view === "ribbons") return `${sentence}: ${what} ${change} against the original order.`;
    return `${sentence}, and the scores of each with each. ${sees(s).replaceAll("*", "")} ${s.causal ? "A causal mask hides the words after it" : "There is no mask"}; ${what} ${change}.`;
  },
  reading(s) {
    const most = noticed(s),
      verdict = isOriginal(standing(s))
        ? "The original order."
        : most >= NOTHING
          ? "Order is noticed."
          : s.pooled
            ? "Invariant: the mean stays in any order."
            : "Equivariant: outputs move with their words.",
      change = most < NOTHING ? "0 (below 10⁻¹²)" : decimals(most);
    return (
      `${s.view === "scores" ? sees(s) : `**${said(s).join(" ")}**`}\n` +
      `Largest change of ${s.pooled ? "the mean" : "an output"}: ${change}. **${verdict}**`
    );
  },
  down(s, size, p) {
    const at = layout(s, size),
      stand = s.gliding ?? places(s),
      k = touched(stand.map(at.x), at.word, at.slot, p);
    if (k >= 0) return { ...rest(s, standing(s), k), hold: { off: p.x - at.x(stand[k]) } };
    const row = s.view === "scores" ? standing(s)[Math.floor((p.y - at.top) / at.row)] : undefined;
    return row === undefined ? s : rest(s, standing(s), row);
  },
  move(s, size, p) {
    const { left, slot, n } = layout(s, size);
    return { ...s, place: heldAt(s.hold, p, left, slot, n - 1) };
  },
  up: (s) => ({ ...rest(s), hold: undefined }),
  key(s, { right, up, end }) {
    const read = standing(s),
      at = read.indexOf(s.word),
      last = read.length - 1;
    if (up) return rest(s, read, read[clamp(at - up, 0, last)]);
    return right || end ? rest(s, moved(read, s.word, end ? (end > 0 ? last : 0) : clamp(at + right, 0, last))) : s;
  },
  tick(s, ms) {
    const gliding = toward(s.gliding, places(s), ms, { held: s.hold ? s.word : -1 }),
      sides = toward(s.sides, feet(mix(s, gliding).weights, gliding).flat(2), ms);
    return gliding === s.gliding && sides === s.sides ? s : { ...s, gliding, sides };
  },
  parts: boxes(layout, {
    arches: ({ line }, { w }) => [0, 0, w, line + 8],
    word: ({ x, slot, line }, _, { place }) => [x(place) - slot / 2, line - 4, slot, 60],
    clocks: ({ clock }, { w }) => [0, clock - 14, w, 28],
    outputs: ({ rows }, { w }) => [0, rows - 2, w, 18],
    table: ({ left, top, row, n }, { w }) => [left, top, w - left, n * row],
    row: ({ left, top, row }, { w }, s) => [left, top + places(s)[s.word] * row, w - left, row],
    weights: ({ below }, { w }) => [0, below - 2, w, 66],
  }),
};

// Whom the chosen word sees, and its weights
function sees(s) {
  const { weights } = resting(s.vectors, places({ ...s, place: Math.round(s.place) }), s.positions, s.causal),
    all = seen(standing(s), s.word, s.causal),
    whom = all.length === s.words.length ? "all words" : all.map((k) => s.words[k]).join(", ");
  return `**${s.words[s.word]} sees ${whom}**: weights ${all.map((k) => weights[s.word][k].toFixed(2)).join(", ")}.`;
}

export const done = {
  main: (s) =>
    !s.positions && noticed(s) > NOTHING
      ? "Found: behind a mask a word sees those before it, and another order puts others there."
      : "",
  mask: (s) =>
    s.causal && standing(s).at(-1) === 2
      ? "Found: the last word sees all. Under a causal mask, the place alone decides who sees whom."
      : "",
};

const fits = ({ words, order, word, place }) =>
  [...order].sort((a, b) => a - b).join() === numbers(words).join() && word < words.length && place <= words.length - 1;

export default stage(ABOUT, drawn(ABOUT, scene), {
  done,
  fits,
  play: { trait: "place", unit: 900, high: ({ words }) => words.length - 1 },
});
