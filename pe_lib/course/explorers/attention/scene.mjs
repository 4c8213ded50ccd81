// Words as arrows: drag one, and see the weights and the outputs of attention follow.
/* global ABOUT */
import { decimals } from "../frame/controls.mjs";
import { clamp, clocked, mixed } from "../maths.mjs";
import { clock } from "../scene/clocks.mjs";
import { at, gliding } from "../scene/glide.mjs";
import { boxes, d, h, line, rect, text, wide } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";

const FARTHEST = 2.5,
  STEP = 0.05,
  BAND = 46, // pixels of the sentence below the plane
  ROW = 36; // and of a word's weights

// Where word k of n stands, with the sentence turned round from 0, forwards, to 1
const placed = (k, n, from) => k + from * (n - 1 - 2 * k);

// Inputs, weights and outputs with that much of the clocks' `hand`
export const attend = (vectors, hand, from) =>
  mixed(
    clocked(
      vectors,
      vectors.map((_, k) => placed(k, vectors.length, from)),
      Number(hand),
    ),
  );
const now = ({ vectors, positions, backwards }) => attend(vectors, positions, Number(backwards));

// Short vectors are seen from nearer. Above there is room for a clock's hand, and below as much as is used.
const reach = ({ vectors }) => (Math.max(...vectors.flat().map(Math.abs)) > 1.2 ? FARTHEST : 1.2);
const lowest = (s) => (s.hold?.low || now(s).rows.some(([, y]) => y < -1) ? -reach(s) - 0.2 : -1.2);
const { shown, tick } = gliding((s) => [Number(s.positions), Number(s.backwards), lowest(s)], 180);

// What is drawn where: the plane, the sentence below it, and the weights beside or below both
function layout(s, { w, h: high }) {
  const n = s.words.length,
    below = w < 560,
    [hand, from, low] = shown(s),
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
    x: (place) => width / 2 + (place - (n - 1) / 2) * slot,
    table: below ? { x: 0, y: foot + 8, w } : { x: width + 8, y: (foot - BAND - n * ROW) / 2, w: w - width - 8 },
  };
}

const put = (s, k, vector) => {
  const limit = reach(s),
    rounded = (v) => Number((Math.round(clamp(v, -limit, limit) / STEP) * STEP).toFixed(2));
  return { ...s, chosen: k, vectors: s.vectors.map((old, j) => (j === k ? vector.map(rounded) : old)) };
};
const pair = ([x, y]) => `(${decimals(x, 2)}, ${decimals(y, 2)})`;

function arrow([x, y], [a, b], thick) {
  const along = Math.atan2(b - y, a - x),
    head = Math.min(thick + 11, Math.hypot(a - x, b - y)),
    [left, right] = [0.45, -0.45].map((turn) => [a - head * Math.cos(along + turn), b - head * Math.sin(along + turn)]);
  return [
    line(x, y, a - head * 0.6 * Math.cos(along), b - head * 0.6 * Math.sin(along), "l-ink", { "stroke-width": thick }),
    h("path", { class: "f-ink", d: d`M${a} ${b}L${left[0]} ${left[1]}L${right[0]} ${right[1]}Z` }),
  ];
}

const around = ([x, y], r) => [x - r, y - r, 2 * r, 2 * r];

// A word's weights as shares of its row, each as wide as it is large
function row(s, k, shares, { x, y, w }) {
  const bold = k === s.chosen ? "bold" : "",
    name = clamp(Math.max(...s.words.map((word) => wide(word))) + 10, 48, 120);
  let end = name;
  const cell = (share, j) => {
    const room = share * (w - name),
      fits = (says) => (wide(says, 12) < room - 4 ? says : "");
    end += room;
    return at(
      end - room / 2 - 1,
      0,
      rect(-room / 2 + 1, 0, Math.max(room - 2, 0), ROW - 4, "f-purple", { "fill-opacity": bold ? 0.35 : 0.14 }),
      text(0, 13, "mono small mid f-ink", fits(s.words[j])),
      text(0, 27, `mono small mid f-ink ${bold}`, fits(share.toFixed(2))),
    );
  };
  return at(x, y + k * ROW, text(0, ROW / 2 + 3, `mono f-ink ${bold}`, s.words[k]), shares.map(cell));
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
      n = words.length,
      { hand, from, low, limit, scale, pixel, foot, x, table, width } = layout(s, size),
      { rows, weights, outputs } = attend(vectors, hand, from),
      [tips, rings] = [rows, outputs].map((all) => all.map(pixel)),
      ends = Math.floor(limit + 0.9),
      lines = Array.from({ length: 2 * ends + 1 }, (_, v) => v - ends),
      side = limit + 0.9,
      bold = (k) => (k === chosen ? "bold" : "");
    const across = (v, one, other) =>
      line(...pixel(one), ...pixel(other), "l-grid", { "stroke-width": v === 0 ? 1.5 : 0.5 });
    return h(
      "g",
      {},
      lines.map((v) => across(v, [v, low], [v, limit + 1])),
      lines.filter((v) => v > low).map((v) => across(v, [-side, v], [side, v])),
      // the chosen word's output hangs on strings as thick as its weights
      h(
        "g",
        { class: "l-purple", opacity: 0.55, "stroke-linecap": "round" },
        weights[chosen].map((share, j) =>
          line(...rings[chosen], ...tips[j], undefined, { "stroke-width": 14 * share }),
        ),
      ),
      words.map((_, k) => {
        const [zero, own] = [[0, 0], vectors[k]].map(pixel),
          dial = { x: own[0], y: own[1], r: scale * hand };
        return [
          hand > 0.01 ? [line(...zero, ...own, "l-muted dash"), clock(dial, placed(k, n, from))] : [],
          arrow(zero, tips[k], k === chosen ? 5 : 3),
        ];
      }),
      rings.map(([cx, cy], k) => {
        const [r, thick, opacity] = k === chosen ? [8, 3.5, 1] : [5, 2, 0.6];
        return h("circle", { class: "l-purple hollow", cx, cy, r, "stroke-width": thick, opacity });
      }),
      // its name beyond the tip
      words.map((word, k) => {
        const [right, up] = rows[k],
          long = Math.hypot(right, up) || 1,
          half = wide(word, 16) / 2 + 3,
          beyond = clamp(tips[k][0] + ((half + 5) * right) / long, half, width - half);
        return text(beyond, tips[k][1] - (18 * up) / long + 5, `mono mid large halo f-ink ${bold(k)}`, word);
      }),
      // the sentence as it is read: its words change places, their arrows need not
      words.map((word, k) => {
        const rise = 10 * Math.sin(Math.PI * from) * (k < (n - 1) / 2 ? 1 : -1);
        return [
          text(x(placed(k, n, from)), foot - 25 - rise, `mono mid large f-ink ${bold(k)}`, word),
          text(x(k), foot - 6, "mono mid f-muted", k),
        ];
      }),
      weights.map((shares, k) => row(s, k, shares, table)),
    );
  },
  reading(s) {
    const { words, vectors, positions, backwards, chosen } = s,
      { rows, weights, outputs } = now(s),
      place = placed(chosen, words.length, Number(backwards)),
      added = positions ? `, with clock ${place} ${pair(rows[chosen])}` : "",
      shares = words.map((word, j) => `${weights[chosen][j].toFixed(2)} to ${word}`);
    return (
      `**“${(backwards ? words.toReversed() : words).join(" ")}”:** ${words[chosen]} is ${pair(vectors[chosen])}${added}.\n` +
      `It gives ${shares.join(", ")}. Its output is **${pair(outputs[chosen])}**.`
    );
  },
  // A row of weights or a word below the plane is chosen, a tip is taken hold of
  down(s, size, p) {
    const { pixel, x, slot, foot, table, from } = layout(s, size),
      n = s.words.length,
      tips = now(s).rows.map(pixel),
      far = tips.map(([x, y]) => Math.hypot(p.x - x, p.y - y)),
      k = far.indexOf(Math.min(...far)),
      inRow = p.x >= table.x ? Math.floor((p.y - table.y) / ROW) : -1,
      inText = s.words.findIndex((_, k) => Math.abs(p.x - x(placed(k, n, from))) < slot / 2);
    if (s.words[inRow]) return { ...s, chosen: inRow };
    if (p.y > foot - BAND && p.y < foot) return inText < 0 ? s : { ...s, chosen: inText };
    return far[k] > 30 ? s : { ...s, chosen: k, hold: { off: [p.x - tips[k][0], p.y - tips[k][1]] } };
  },
  move(s, size, p) {
    const { middle, scale, low } = layout(s, size),
      { off } = s.hold,
      [own, input] = [s.vectors[s.chosen], now(s).rows[s.chosen]],
      to = [(p.x - off[0] - middle.x) / scale, (middle.y - p.y + off[1]) / scale],
      vector = to.map((v, c) => v - (input[c] - own[c]));
    // while it is held, what came into view stays there
    return { ...put(s, s.chosen, vector), hold: { off, low: low < -1.2 } };
  },
  up: (s) => ({ ...s, hold: undefined }),
  key(s, { right, up }) {
    const [x, y] = s.vectors[s.chosen];
    return right || up ? put(s, s.chosen, [x + 2 * STEP * right, y + 2 * STEP * up]) : s;
  },
  tick,
  parts: boxes(layout, {
    plane: ({ width, foot }) => [0, 0, width, foot - BAND],
    sentence: ({ x, slot, foot }, _, { words }) => [x(0) - slot / 2, foot - BAND, words.length * slot, BAND],
    arrow: ({ pixel }, _, s) => around(pixel(now(s).rows[s.chosen]), 26),
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

export default stage(ABOUT, scene, { done, fits });
