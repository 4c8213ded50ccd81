// Words as arrows: drag one, and see the weights and the outputs of attention follow.
/* global ABOUT */
import { decimals } from "../frame/controls.mjs";
import { attention, clamp, entry } from "../maths.mjs";
import { clock } from "../scene/clocks.mjs";
import { drawn } from "../scene/drawn.mjs";
import { boxes, d, h, line, rect, text, toward, wide } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";

const FARTHEST = 2.5,
  STEP = 0.05,
  BAND = 46, // pixels of the sentence below the plane
  ROW = 36; // and of a word's weights

// The weights each word gives, and the outputs
function mixed(inputs) {
  const identity = inputs.map((_, k) => inputs.map((_, j) => Number(j === k)));
  return { inputs, weights: attention(inputs, inputs, identity), outputs: attention(inputs, inputs, inputs) };
}

// Where word k of n stands, with the sentence turned round from 0, forwards, to 1
const placed = (k, n, from) => k + from * (n - 1 - 2 * k);

// The words' vectors with that much of their clocks' `hand`
const moved = (vectors, hand, from) =>
  vectors.map((vector, k) => vector.map((v, c) => v + hand * entry(placed(k, vectors.length, from), c, 2, 10_000)));

// What attention gets, the weights each word gives, and the outputs
export const attend = (vectors, positions, backwards) => mixed(moved(vectors, Number(positions), Number(backwards)));
const now = ({ vectors, positions, backwards }) => attend(vectors, positions, backwards);

// Short vectors are seen from nearer. Above there is room for a clock's hand, and below as much as is used.
const reach = ({ vectors }) => (Math.max(...vectors.flat().map(Math.abs)) > 1.2 ? FARTHEST : 1.2);
const lowest = (s) => (s.hold?.low || now(s).inputs.some(([, y]) => y < -1) ? -reach(s) - 0.2 : -1.2);
const goals = (s) => [Number(s.positions), Number(s.backwards), lowest(s)];

// What is drawn where: the plane, the sentence below it, and the weights beside or below both
function layout(s, { w, h: high }) {
  const n = s.words.length,
    below = w < 560,
    [hand, from, low] = s.gliding ?? goals(s),
    width = below ? w : w - 256,
    foot = high - (below ? n * ROW + 8 : 0),
    limit = reach(s),
    scale = Math.min(width / (2 * limit + 1.8), (foot - BAND) / (limit + 1 - low)),
    middle = { x: width / 2, y: (limit + 1) * scale },
    slot = Math.min(110, width / n);
  return {
    hand,
    from,
    low,
    width,
    foot,
    limit,
    scale,
    middle,
    slot,
    /** @type {(point: number[]) => any} */
    pixel: ([x, y]) => [middle.x + x * scale, middle.y - y * scale],
    at: (place) => width / 2 + (place - (n - 1) / 2) * slot,
    table: below ? { x: 0, y: foot + 8, w } : { x: width + 8, y: (foot - BAND - n * ROW) / 2, w: w - width - 8 },
  };
}

const put = (s, k, vector) => {
  const limit = reach(s),
    rounded = (v) => Number((Math.round(clamp(v, -limit, limit) / STEP) * STEP).toFixed(2));
  return { ...s, chosen: k, vectors: s.vectors.map((old, j) => (j === k ? vector.map(rounded) : old)) };
};
const pair = ([x, y]) => `(${decimals(x, 2)}, ${decimals(y, 2)})`;
const shares = ({ words, chosen }, weights) =>
  words.map((word, j) => `${weights[chosen][j].toFixed(2)} to ${word}`).join(", ");
const sentence = ({ words, backwards }) => (backwards ? words.toReversed() : words).join(" ");

function arrow([x, y], [a, b], thick) {
  const along = Math.atan2(b - y, a - x),
    head = Math.min(thick + 11, Math.hypot(a - x, b - y)),
    back = (turn) => [a - head * Math.cos(along + turn), b - head * Math.sin(along + turn)];
  return [
    line(x, y, a - head * 0.6 * Math.cos(along), b - head * 0.6 * Math.sin(along), "l-ink", { "stroke-width": thick }),
    h("path", {
      class: "f-ink",
      d: d`M${a} ${b}L${back(0.45)[0]} ${back(0.45)[1]}L${back(-0.45)[0]} ${back(-0.45)[1]}Z`,
    }),
  ];
}

const around = ([x, y], r) => [x - r, y - r, 2 * r, 2 * r];

// A word's weights as shares of its row, each as wide as it is large
function row(s, k, weights, { x, y, w }) {
  const own = k === s.chosen,
    top = y + k * ROW,
    name = clamp(Math.max(...s.words.map((word) => wide(word))) + 10, 48, 120),
    long = w - name;
  let at = x + name;
  return [
    text(x, top + ROW / 2 + 3, `mono f-ink ${own ? "bold" : ""}`, s.words[k]),
    weights[k].map((share, j) => {
      const room = share * long,
        middle = (at += room) - room / 2 - 1,
        fits = (says) => (wide(says, 12) < room - 4 ? says : "");
      return [
        rect(at - room, top, Math.max(room - 2, 0), ROW - 4, "f-purple", { "fill-opacity": own ? 0.35 : 0.14 }),
        text(middle, top + 13, "mono small mid f-ink", fits(s.words[j])),
        text(middle, top + 27, `mono small mid f-ink ${own ? "bold" : ""}`, fits(share.toFixed(2))),
      ];
    }),
  ];
}

export const scene = {
  kind: "plane with arrows",
  label: "The words' vectors as arrows, their outputs as rings. The arrow keys move the chosen word's arrow.",
  controls: [
    { name: "chosen", label: "word", options: ({ words }) => words.map((word, k) => [k, word]) },
    { name: "positions", label: "positions" },
    { name: "backwards", label: "backwards" },
  ],
  height: (w, { words }) => (w < 560 ? 0.72 * w + BAND + words.length * ROW + 8 : 372),
  draw(s, size) {
    const { words, vectors, chosen } = s,
      at = layout(s, size),
      { hand, from, low, limit, scale, pixel, foot } = at,
      { inputs, weights, outputs } = mixed(moved(vectors, hand, from)),
      all = words.map((_, k) => k),
      lines = Array.from({ length: 2 * Math.floor(limit + 0.9) + 1 }, (_, v) => v - Math.floor(limit + 0.9)),
      side = limit + 0.9;
    const across = ([[x, y], [a, b]], zero) => line(x, y, a, b, "l-grid", { "stroke-width": zero ? 1.5 : 0.5 });
    return h(
      "g",
      {},
      lines.map((v) => across([pixel([v, low]), pixel([v, limit + 1])], v === 0)),
      lines.filter((v) => v > low).map((v) => across([pixel([-side, v]), pixel([side, v])], v === 0)),
      // the chosen word's output hangs on strings as thick as its weights
      h(
        "g",
        { class: "l-purple", opacity: 0.55, "stroke-linecap": "round" },
        weights[chosen].map((weight, j) => {
          const [[x, y], [a, b]] = [outputs[chosen], inputs[j]].map(pixel);
          return line(x, y, a, b, undefined, { "stroke-width": 14 * weight });
        }),
      ),
      all.map((k) => {
        const [zero, own, tip] = [[0, 0], vectors[k], inputs[k]].map(pixel);
        return [
          hand > 0.01
            ? [
                line(...zero, ...own, "l-muted dash"),
                clock({ x: own[0], y: own[1], r: scale * hand }, placed(k, words.length, from)),
              ]
            : [],
          arrow(zero, tip, k === chosen ? 5 : 3),
        ];
      }),
      all.map((k) => {
        const [cx, cy] = pixel(outputs[k]),
          own = k === chosen;
        return h("circle", {
          class: "l-purple hollow",
          cx,
          cy,
          r: own ? 8 : 5,
          "stroke-width": own ? 3.5 : 2,
          opacity: own ? 1 : 0.6,
        });
      }),
      // its name beyond the tip
      all.map((k) => {
        const [x, y] = inputs[k],
          long = Math.hypot(x, y) || 1,
          [a, b] = pixel(inputs[k]),
          half = wide(words[k], 16) / 2 + 3;
        return text(
          clamp(a + ((half + 5) * x) / long, half, at.width - half),
          b - (18 * y) / long + 5,
          `mono mid large halo f-ink ${k === chosen ? "bold" : ""}`,
          words[k],
        );
      }),
      // the sentence as it is read: its words change places, their arrows need not
      all.map((k) => {
        const rise = 10 * Math.sin(Math.PI * from) * (k < (words.length - 1) / 2 ? 1 : -1);
        return [
          text(
            at.at(placed(k, words.length, from)),
            foot - 25 - rise,
            `mono mid large f-ink ${k === chosen ? "bold" : ""}`,
            words[k],
          ),
          text(at.at(k), foot - 6, "mono mid f-muted", k),
        ];
      }),
      all.map((k) => row(s, k, weights, at.table)),
    );
  },
  alt(s) {
    const { weights, outputs } = now(s);
    return (
      `“${sentence(s)}”, ${s.positions ? "with positions added" : "without positions"}: the word ${s.words[s.chosen]} ` +
      `gives the weights ${shares(s, weights)}, and its output is ${pair(outputs[s.chosen])}.`
    );
  },
  reading(s) {
    const { words, vectors, positions, backwards, chosen } = s,
      { inputs, weights, outputs } = now(s),
      place = placed(chosen, words.length, Number(backwards)),
      added = positions ? `, with clock ${place} ${pair(inputs[chosen])}` : "";
    return (
      `**“${sentence(s)}”:** ${words[chosen]} is ${pair(vectors[chosen])}${added}.\n` +
      `It gives ${shares(s, weights)}. Its output is **${pair(outputs[chosen])}**.`
    );
  },
  down(s, size, p) {
    const { pixel, at, slot, foot, table, from } = layout(s, size),
      n = s.words.length,
      tips = now(s).inputs.map(pixel),
      far = tips.map(([x, y]) => Math.hypot(p.x - x, p.y - y)),
      k = far.indexOf(Math.min(...far)),
      inRow = p.x >= table.x ? Math.floor((p.y - table.y) / ROW) : -1,
      inText = s.words.findIndex((_, k) => Math.abs(p.x - at(placed(k, n, from))) < slot / 2);
    if (s.words[inRow]) return { ...s, chosen: inRow };
    if (p.y > foot - BAND && p.y < foot) return inText < 0 ? s : { ...s, chosen: inText };
    return far[k] > 30 ? s : { ...s, chosen: k, hold: { off: [p.x - tips[k][0], p.y - tips[k][1]] } };
  },
  move(s, size, p) {
    const { middle, scale, low } = layout(s, size),
      { off } = s.hold,
      [own, input] = [s.vectors[s.chosen], now(s).inputs[s.chosen]],
      to = [(p.x - off[0] - middle.x) / scale, (middle.y - p.y + off[1]) / scale];
    // while it is held, what came into view stays there
    return {
      ...put(
        s,
        s.chosen,
        to.map((v, c) => v - (input[c] - own[c])),
      ),
      hold: { off, low: low < -1.2 },
    };
  },
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up }) =>
    right || up
      ? put(
          s,
          s.chosen,
          s.vectors[s.chosen].map((v, c) => v + 2 * STEP * [right, up][c]),
        )
      : s,
  tick(s, ms) {
    const gliding = toward(s.gliding, goals(s), ms, { pace: 180 });
    return gliding === s.gliding ? s : { ...s, gliding };
  },
  parts: boxes(layout, {
    plane: ({ width, foot }) => [0, 0, width, foot - BAND],
    sentence: ({ at, slot, foot }, _, { words }) => [at(0) - slot / 2, foot - BAND, words.length * slot, BAND],
    arrow: ({ pixel }, _, s) => around(pixel(now(s).inputs[s.chosen]), 26),
    ring: ({ pixel }, _, s) => around(pixel(now(s).outputs[s.chosen]), 14),
    weights: ({ table: { x, y, w } }, _, { chosen }) => [x, y + chosen * ROW, w, ROW - 4],
  }),
};

export const done = {
  main(s) {
    const [good, self] = now(s).weights[1];
    return !s.positions && good > self
      ? `Found: not gives good ${good.toFixed(2)} and itself ${self.toFixed(2)}. A longer arrow has the larger dot product.`
      : "";
  },
  three(s) {
    const [dog, bites, man] = now(s).weights[0];
    return !s.positions && man > Math.max(dog, bites)
      ? `Found: dog gives man ${man.toFixed(2)}. It leans away from bites, and is short: a long arrow looks at itself.`
      : "";
  },
};

const fits = ({ words, vectors, chosen }) =>
  chosen < words.length &&
  vectors.length === words.length &&
  vectors.every((vector) => vector.length === 2 && vector.every((v) => Math.abs(v) <= FARTHEST));

export default stage(ABOUT, drawn(ABOUT, scene), { done, fits });
