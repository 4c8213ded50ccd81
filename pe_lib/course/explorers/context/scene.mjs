// A text that grows past those of training: where the hands of 64 clocks get to, and a score that was
// fitted below.
/* global ABOUT */
import { grouped, significant } from "../frame/controls.mjs";
import { wound } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";
import { clamp, frequency, remembering } from "../maths.mjs";
import { around, curve, hand, knob, linear, tip, wedge } from "../scene/chart.mjs";
import { drawn } from "../scene/drawn.mjs";
import { d, h, line, ring, text, through } from "../scene/svg.mjs";

const D_HEAD = 128,
  PAIRS = D_HEAD / 2,
  TRAINED = 2048,
  SAMPLES = 256,
  TURN = 2 * Math.PI,
  ALPHA = 1,
  BETA = 32, // YaRN's
  POWERS = 4; // scores to ±10⁴
const METHODS = [
  ["none", "none"],
  ["interpolation", "interpolation"],
  ["ntk", "NTK-aware"],
  ["dynamic", "dynamic"],
  ["yarn", "YaRN"],
];
const plain = Array.from({ length: PAIRS }, (_, i) => frequency(i, D_HEAD, 10_000));

// The frequencies of a text `s` times as long
export function scaled(method, s) {
  return plain.map((w, i) => {
    if (method === "interpolation") return w / s;
    if (method === "ntk" || method === "dynamic") return w / s ** (i / (PAIRS - 1));
    if (method === "none") return w;
    const r = (TRAINED * w) / TURN,
      g = (clamp(r, ALPHA, BETA) - ALPHA) / (BETA - ALPHA);
    return ((1 - g) * w) / s + g * w;
  });
}

export const offsets = (s) => Array.from({ length: SAMPLES + 1 }, (_, k) => (k * s * TRAINED) / SAMPLES);

// The fitted score at one offset, with the frequencies of a text that is `s` times as long
export function scoreAt(coefficients, method, s, offset) {
  const w = scaled(method, method === "dynamic" ? Math.max(1, offset / TRAINED) : s);
  let sum = 0;
  for (let i = 0; i < PAIRS; i++) {
    const angle = offset * w[i];
    sum += coefficients[i] * Math.cos(angle) + coefficients[PAIRS + i] * Math.sin(angle);
  }
  return method === "yarn" ? (0.1 * Math.log(s) + 1) ** 2 * sum : sum;
}

export const scores = (coefficients, method, s) => offsets(s).map((offset) => scoreAt(coefficients, method, s, offset));
const fitted = remembering(scores);

// Of each pair: the arc that it showed in training, how far it has turned at the end of a text that is
// `length` long and may become `s` times as long as those of training, and whether that is new
export function hands(method, s, length = s * TRAINED) {
  const now = scaled(method, method === "dynamic" ? Math.max(1, length / TRAINED) : s);
  return plain.map((w, i) => {
    const seen = Math.min(TURN, TRAINED * w),
      angle = length * now[i];
    return { seen, angle, w: now[i], fresh: seen < TURN && angle > seen * (1 + 1e-9) };
  });
}

// How long the text may become, and how long it is by now
const whole = ({ factor }) => TRAINED * factor;
const reached = (s) => Math.min(s.length, whole(s));
const now = (s) => hands(s.method, s.factor, reached(s));
const grow = (s, length) => ({ ...s, length: clamp(Math.round(length), 0, whole(s)) });
const choose = (s, pair) => ({ ...s, pair: clamp(pair, 0, PAIRS - 1) });

const scored = ({ score }) => score.length > 0;

// A size as people write it: 0.43, 12.6, 1,770
const size = (x) => (x < 100 ? String(Number(x.toPrecision(x < 1 ? 2 : 3))) : grouped(Number(x.toPrecision(3))));
const signed = (x) => (x < 0 ? "−" : "") + size(Math.abs(x));

// The largest drawn size of the score so far, at offsets of training and beyond them
function largest(s) {
  const all = fitted(s.score, s.method, s.factor);
  const most = (from, to) =>
    Math.max(
      ...offsets(s.factor)
        .map((k, n) => (k >= from && k < to && k <= reached(s) ? Math.abs(all[n]) : -1))
        .concat(-1),
    );
  return [most(0, TRAINED), most(TRAINED, Infinity)];
}

// Where things stand in a picture of this size: the text, the score under it if there is one, then 64
// small clocks and a large one
export function layout({ w, h: high }, s) {
  const wide = w >= 560,
    columns = wide ? 16 : 8,
    cell = wide ? clamp(Math.floor(0.047 * w), 32, 60) : 24;
  const tall = (PAIRS / columns) * cell,
    top = scored(s) ? Math.max(142, high - tall - 26) + 24 : 56;
  const r = Math.min(0.43 * tall, (w - columns * cell - 24) / 2);
  return {
    left: 56,
    right: w - 26,
    ...linear([0, whole(s)], [56, w - 26]),
    ribbon: 26,
    score: { y: 56, h: top - 26 - 56 },
    bottom: scored(s) ? top - 26 : 44, // of the line at the end of the text
    board: { y: top, columns, cell, w: columns * cell, h: tall },
    dial: { x: (columns * cell + w) / 2 + 4, y: top + r, r },
  };
}

const corner = ({ y, columns, cell }, i) => [(i % columns) * cell, y + Math.floor(i / columns) * cell];

// The words of the text as dashes of different lengths, [from, to] in pixels
const dashes = remembering((width) => {
  const found = [];
  for (let x = 0, k = 1; x < width - 8; k++) {
    const long = 3 + ((k * 7919) % 11);
    found.push([x + 2, Math.min(x + 2 + long, width - 2)]);
    x += long + 7;
  }
  return found;
});

// The text: green as far as training went, its end a grip
function ribbon(s, at) {
  const end = at.at(reached(s)),
    border = at.at(TRAINED);
  const shade = (x) => (x >= end ? "l-grid" : x < border ? "l-green" : "l-orange");
  return [
    dashes(at.right - at.left).map(([from, to]) =>
      line(at.left + from, at.ribbon, at.left + to, at.ribbon, `${shade(at.left + from)} thick`),
    ),
    line(end, at.ribbon - 12, end, at.bottom, "l-ink bar"),
    line(border, at.ribbon - 7, border, at.bottom, "l-muted dash"),
    knob(end, at.ribbon),
    text(clamp(end, at.left + 40, at.right - 16), 11, "mono mid f-ink", `${grouped(reached(s))} words`),
  ];
}

// The score as far as the text has come: linear up to 1, then logarithmic
function plot(s, at) {
  const { y: top, h: tall } = at.score;
  const up = (v) => top + (tall / 2) * (1 - clamp((Math.sign(v) * Math.log10(1 + Math.abs(v))) / POWERS, -1, 1));
  const end = reached(s),
    all = fitted(s.score, s.method, s.factor);
  const points = offsets(s.factor)
    .map((k, n) => [k, all[n]])
    .filter(([k]) => k < end)
    .concat([[end, scoreAt(s.score, s.method, s.factor, end)]])
    .map(([k, v]) => [at.at(k), up(v)]);
  const inside = points.findLastIndex(([x]) => x < at.at(TRAINED)) + 1;
  return [
    [-10_000, -100, 0, 100, 10_000].map((v) => [
      line(at.left, up(v), at.right, up(v), "l-grid"),
      text(at.left - 6, up(v) + 4.5, "mono end f-muted", (v < 0 ? "−" : "") + grouped(Math.abs(v))),
    ]),
    text(at.left, top - 8, "mono f-muted", "score"),
    text(at.left, top + tall + 16, "mono mid f-muted", "0"),
    text(at.right, top + tall + 16, "mono end f-muted", grouped(whole(s))),
    s.factor >= 2 && s.factor <= 8
      ? text(at.at(TRAINED), top + tall + 16, "mono mid f-muted", "trained: 2,048")
      : undefined,
    inside ? curve("l-green", points.slice(0, inside)) : [],
    inside < points.length ? curve("l-orange", points.slice(inside - 1)) : [],
    knob(...points.at(-1)),
  ];
}

// Clocks, each kind of mark in one path. Green are the slices that training showed; orange, and the hands,
// are where they got to since
const known = (dials, clocks) => [
  h("path", {
    class: "f-green",
    "fill-opacity": 0.3,
    d: dials.map((dial, i) => wedge(dial, 0, clocks[i].seen)).join(""),
  }),
  dials.map(({ x, y, r }) => ring(x, y, r)),
];
function turned(dials, clocks, c) {
  const fresh = ({ seen, angle, fresh }) => [seen, fresh ? Math.min(angle, TURN) : seen];
  return [
    h("path", {
      class: "f-orange",
      "fill-opacity": 0.5,
      d: dials.map((dial, i) => wedge(dial, ...fresh(clocks[i]))).join(""),
    }),
    h("path", {
      class: c,
      d: dials.map((dial, i) => through([[dial.x, dial.y], tip(dial, clocks[i].angle)])).join(""),
    }),
  ];
}

// The small clocks, and what of them never changes
const small = remembering((y, columns, cell) => {
  const dials = plain.map((_, i) => ({
    x: ((i % columns) + 0.5) * cell,
    y: y + (Math.floor(i / columns) + 0.5) * cell,
    r: 0.4 * cell,
  }));
  return { dials, tree: h("g", {}, known(dials, hands("none", 1))) };
});

// The clocks that are new, framed as one: a broad line around each, and paper over what is inside
function frame(clocks, { board }) {
  const { cell } = board;
  const cells = clocks.map(({ fresh }, i) => {
    const [x, y] = corner(board, i);
    return fresh ? d`M${x} ${y}L${x + cell} ${y}L${x + cell} ${y + cell}L${x} ${y + cell}Z` : "";
  });
  return ["l-orange thick", "f-paper"].map((c) => h("path", { class: c, d: cells.join("") }));
}

export const scene = {
  kind: "text, score and clocks",
  label:
    "A text that grows, a score against the offset, and a clock for each pair with the arc that its " +
    "hand showed in training. Left and right arrow shorten and lengthen the text, up and down choose a pair.",
  controls: [
    {
      name: "length",
      label: "text",
      min: 0,
      max: (s) => whole(s) / 64,
      unit: "words",
      get: reached,
      value: (step) => 64 * step,
      step: (length) => length / 64,
      text: grouped,
    },
  ],
  settings: [
    {
      name: "factor",
      label: "factor s",
      min: 4,
      max: () => 64,
      value: (step) => step / 4,
      step: (s) => 4 * s,
      text: (s) => s.toFixed(2),
      when: scored,
    },
    { name: "pair", label: "pair", min: 0, max: () => PAIRS - 1 },
    { name: "method", label: "scaling", options: METHODS, menu: true, when: scored },
  ],
  height: (w, { score }) => (score.length ? (w < 560 ? 370 : 340) : w < 560 ? 256 : 210),
  draw(s, size) {
    const at = layout(size, s),
      { board, dial } = at,
      clocks = now(s),
      [x, y] = corner(board, s.pair),
      { cell } = board,
      { dials, tree } = small(board.y, board.columns, cell),
      before = Math.max(0, reached(s) - 1) * clocks[s.pair].w; // the word before
    return h(
      "g",
      {},
      h("g", {}, scored(s) ? plot(s, at) : []),
      ribbon(s, at),
      frame(clocks, at),
      tree,
      turned(dials, clocks, "l-ink"),
      h("rect", { class: "l-ink bar", x: x + 1.5, y: y + 1.5, width: cell - 3, height: cell - 3 }),
      hand(dial, before, "l-muted dash"),
      known([dial], [clocks[s.pair]]),
      turned([dial], [clocks[s.pair]], "l-ink bar"),
      knob(...tip(dial, clocks[s.pair].angle)),
      text(dial.x, dial.y + dial.r + 18, "mono mid f-ink", `pair ${s.pair}`),
    );
  },
  alt(s) {
    const count = now(s).filter(({ fresh }) => fresh).length,
      [inside, beyond] = largest(s);
    const read =
      `A head of 64 pairs, trained on 2,048 positions, has read ${grouped(reached(s))} of ${grouped(whole(s))}, ` +
      `${Object.fromEntries(METHODS)[s.method]}: ${count} ${count === 1 ? "pair has" : "pairs have"} been at new angles.`;
    if (!scored(s)) return read;
    const there = beyond < 0 ? "" : `, and up to ${size(beyond)} from there on`;
    return `${read} At the offsets drawn, the fitted score is up to ${size(inside)} in size below 2,048${there}.`;
  },
  reading(s) {
    const clocks = now(s),
      { seen, angle, fresh } = clocks[s.pair];
    const showed = seen === TURN ? "all angles" : `${significant(seen / TURN)}${fresh ? ": new" : ""}`;
    const angles =
      `**Pair ${s.pair}:** ${significant(angle / TURN)} turns; training showed ${showed}. ` +
      `**${clocks.filter((one) => one.fresh).length} of ${PAIRS}** clocks new.`;
    if (!scored(s)) return angles;
    const here = scoreAt(s.score, s.method, s.factor, reached(s)),
      [inside, beyond] = largest(s);
    const there = beyond < 0 ? "" : `, **${size(beyond)}** beyond`;
    return `${angles} Score **${signed(here)}**; largest drawn **${size(inside)}** below 2,048${there}.`;
  },
  // The end of the text is pulled, a small clock is chosen, and the large one is wound
  down(s, size, p) {
    const { dial, board } = layout(size, s);
    if (Math.hypot(p.x - dial.x, p.y - dial.y) <= dial.r + 8) return { ...s, hold: { at: reached(s) } };
    if (p.y < board.y - 12) return { ...s, hold: { text: true } };
    return p.x < board.w ? { ...s, hold: {} } : s;
  },
  move(s, size, p) {
    const { of, dial, board } = layout(size, s);
    if (s.hold.text) return grow(s, of(p.x));
    if (s.hold.at !== undefined) {
      const at = clamp(wound({ ...dial, frequency: now(s)[s.pair].w }, s.hold.at, p), 0, whole(s));
      return { ...grow(s, at), hold: { at } };
    }
    const [column, row] = [p.x, p.y - board.y].map((v) => Math.floor(v / board.cell));
    const inside = column >= 0 && column < board.columns && row >= 0 && row < PAIRS / board.columns;
    return inside ? choose(s, row * board.columns + column) : s;
  },
  up: (s) => ({ ...s, hold: undefined }),
  key(s, { right, up, end }) {
    if (up) return choose(s, s.pair + up);
    return grow(s, end ? end * whole(s) : reached(s) + 64 * right);
  },
  parts: {
    score: (s, size) => {
      const { left, right, score } = layout(size, s);
      return { x: left, y: score.y, w: right - left, h: score.h };
    },
    clocks: (s, size) => ({ x: 0, ...layout(size, s).board }),
    hand: (s, size) => around(layout(size, s).dial),
  },
};

export const done = {
  hands: ({ factor, length, pair }) => {
    const { seen, angle } = hands("none", factor, Math.min(length, factor * TRAINED))[pair];
    return seen < TURN && angle >= TURN
      ? `Found: pair ${pair}. It made ${significant(seen / TURN)} turns in training, and here ${significant(angle / TURN)}.`
      : "";
  },
  main: ({ method, factor, length, pair }) =>
    method === "ntk" && pair === 63 && factor > 1 && length >= factor * TRAINED
      ? "Found: pair 63, the slowest. NTK-aware divides only there by the whole factor; the 22 before it reach new angles."
      : "",
};

const fits = ({ score, factor }) =>
  [0, D_HEAD].includes(score.length) && score.every(Number.isFinite) && Number.isInteger(4 * factor);

// 8,192 words in eight seconds
export default stage(ABOUT, drawn(ABOUT, scene), {
  done,
  fits,
  play: { trait: "length", unit: 1, stride: 256, high: ({ factor }) => factor * TRAINED },
});
