// Words change places, attention goes with them, and every output stays; with a clock for each place it doesn't.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp, encodeTable, scrambled, softmax } from "../../../pe_lib/course/explorers/maths.mjs";
import { d, h, line, ring, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, eased, tip } from "../parts.mjs";

const WORDS = ["dog", "bites", "man", "at", "noon"],
  OTHER = [2, 1, 0, 4, 3];
const N = WORDS.length,
  WIDTH = 8,
  SHOWN = 4; // numbers of an output
const ROWS = WORDS.map((_, k) => Array.from(scrambled(WIDTH, k + 3), (x) => 1.6 * x));
const CLOCKS = encodeTable(N, WIDTH, 100);

// Softmax attention of the words in this order, W being the identity: weights and outputs of each word, by word
function attend(order, clocks) {
  const rows = ROWS.map((row, k) => row.map((x, c) => x + (clocks ? CLOCKS[order.indexOf(k) * WIDTH + c] : 0)));
  const weights = rows.map((query) =>
    softmax(rows.map((key) => key.reduce((sum, x, c) => sum + x * query[c], 0) / Math.sqrt(WIDTH))),
  );
  return {
    weights,
    outputs: weights.map((own) => rows[0].map((_, c) => own.reduce((sum, share, j) => sum + share * rows[j][c], 0))),
  };
}

// The most that a number of an output differs from what it is in the first order
export function change({ order, clocks }) {
  const now = attend(order, clocks).outputs,
    home = attend(start.order, clocks).outputs;
  return Math.max(...now.flatMap((row, k) => row.map((x, c) => Math.abs(x - home[k][c]))));
}

const start = { order: [0, 1, 2, 3, 4], xs: [0, 1, 2, 3, 4], word: 0, clocks: false };
const places = (order) => WORDS.map((_, k) => order.indexOf(k));

// The same words with `word` at this place
function put(s, place) {
  const order = s.order.filter((k) => k !== s.word);
  order.splice(clamp(place, 0, N - 1), 0, s.word);
  return { ...s, order };
}

const layout = (w) => ({
  slot: w / N,
  base: w < 500 ? 132 : 210,
  pill: w < 500 ? 36 : 44,
  size: w < 500 ? 18 : 24,
  bar: w < 500 ? 10 : 16,
});
const lower = (w) => layout(w).base + layout(w).pill; // what stands below the words is measured from here

export const shuffle = {
  label: "Place of the word in the sentence",
  hint: "Drag a word; press below to give the words their clocks. Arrow keys: left and right move the word, up and down give and take the clocks.",
  start,
  height: (w) => lower(w) + 190,
  alt({ order, clocks }) {
    const read = order.map((k) => WORDS[k]).join(" ");
    return `“${read}”, ${clocks ? "each word with the clock of its place" : "no word knows its place"}. The largest change of an output since “${WORDS.join(" ")}” is ${decimals(change({ order, clocks }), 2)}.`;
  },
  value: (s) => [s.order.indexOf(s.word), 0, N - 1],
  down(s, { w }, p) {
    if (p.y > lower(w) + 150) return { ...s, clocks: !s.clocks, hold: {} };
    const { slot } = layout(w),
      word = s.xs.findIndex((x) => Math.abs(p.x / slot - x - 0.5) < 0.5);
    return word < 0 ? { ...s, hold: {} } : { ...s, word, hold: { by: s.xs[word] - p.x / slot } };
  },
  move(s, { w }, p) {
    if (s.hold.by === undefined) return s;
    const x = clamp(p.x / layout(w).slot + s.hold.by, 0, N - 1);
    return { ...put(s, Math.round(x)), xs: s.xs.map((old, k) => (k === s.word ? x : old)) };
  },
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up, end }) =>
    up ? { ...s, clocks: up > 0 } : put(s, end ? end * N : s.order.indexOf(s.word) + right),
  // shuffled first, and the clocks when everybody has seen that nothing changes
  film: {
    lasts: 5500,
    at: (f) => ({
      ...start,
      order: f > 0.02 ? OTHER : start.order,
      xs: places(OTHER).map((to, k) => between(k, to, eased(clamp(2.2 * f, 0, 1)))),
      clocks: f > 0.75,
    }),
  },
  tick(s, ms) {
    const to = places(s.order),
      near = (x, k) => (s.hold?.by !== undefined && k === s.word) || x === to[k];
    if (s.xs.every(near)) return s;
    const share = 1 - Math.exp(-ms / 120);
    return {
      ...s,
      xs: s.xs.map((x, k) => (near(x, k) ? x : Math.abs(to[k] - x) < 0.01 ? to[k] : between(x, to[k], share))),
    };
  },
  draw(s, { w }) {
    const { slot, base, pill, size, bar } = layout(w),
      foot = lower(w),
      { weights, outputs } = attend(s.order, s.clocks);
    const x = (k) => (s.xs[k] + 0.5) * slot,
      ends = w / 2;
    const arcs = WORDS.flatMap((_, k) => WORDS.slice(0, k).map((_, j) => [j, k]));
    const own = (pair) => pair.includes(s.word);
    const arc = (pair) => {
      const [j, k] = pair;
      const tall = (base - 16) * (Math.abs(s.xs[j] - s.xs[k]) / (N - 1)) ** 0.6;
      return h("path", {
        class: own(pair) ? "l-purple" : "l-muted",
        opacity: own(pair) ? 0.75 : 0.22,
        "stroke-width": (w < 500 ? 28 : 44) * (weights[j][k] + weights[k][j]),
        d: d`M${x(j)} ${base}C${x(j)} ${base - 1.33 * tall} ${x(k)} ${base - 1.33 * tall} ${x(k)} ${base}`,
      });
    };
    return h(
      "g",
      {},
      h("g", {}, arcs.filter((pair) => !own(pair)).map(arc), arcs.filter(own).map(arc)),
      WORDS.map((word, k) => [
        h("rect", {
          class: `f-paper ${k === s.word ? "l-purple bar" : "l-grid"}`,
          x: x(k) - slot / 2 + 3,
          y: base,
          width: slot - 6,
          height: pill,
          rx: 8,
        }),
        text(x(k), base + pill / 2 + size / 3, "serif mid f-ink", word, { "font-size": size }),
        dial(x(k), foot + 24, s.clocks ? s.order.indexOf(k) : undefined),
        outputs[k].slice(0, SHOWN).map((v, c) =>
          h("rect", {
            class: "f-green",
            x: x(k) + (c - SHOWN / 2) * bar + 1,
            y: foot + 84 - 26 * Math.max(v, 0),
            width: bar - 2,
            height: 26 * Math.abs(v) + 0.5,
          }),
        ),
        line(x(k) - (SHOWN / 2) * bar, foot + 84, x(k) + (SHOWN / 2) * bar, foot + 84, "l-grid"),
      ]),
      text(ends, foot + 138, "mono mid large f-green", `largest change of an output ${decimals(change(s), 2)}`),
      h("rect", {
        class: s.clocks ? "f-ink" : "f-paper l-ink",
        x: ends - 90,
        y: foot + 152,
        width: 180,
        height: 36,
        rx: 8,
      }),
      text(
        ends,
        foot + 175,
        `mono mid ${s.clocks ? "f-paper" : "f-ink"}`,
        s.clocks ? "take the clocks away" : "give them clocks",
      ),
    );
  },
};

// The fastest clock of a place, or one without a hand
function dial(x, y, place) {
  const [tx, ty] = tip(x, y, 13, place ?? 0);
  return [ring(x, y, 13), line(x, y, tx, ty, "l-ink bar", { opacity: place === undefined ? 0 : 1 })];
}
