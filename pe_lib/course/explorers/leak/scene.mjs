// What an untrained network knows of the order: letters are shuffled, and the sums below them run along.
/* global ABOUT */
import { decimals } from "../frame/controls.mjs";
import { clamp, remembering } from "../maths.mjs";
import { curve } from "../scene/chart.mjs";
import { clock } from "../scene/clocks.mjs";
import { at, gliding, groups } from "../scene/glide.mjs";
import { boxes, d, h, line, plain, rect, table, text } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";
import { cells, change, hands, moved, tile } from "../words.mjs";
import { LENGTH, own, reading, SENTENCES, shuffled, spread } from "./network.mjs";

const LETTERS = [0, 1, 2, 3, 4, 5],
  LAST = LETTERS.length - 1, // which stays where it is
  CELL = 4, // pixels of a number in a column of eight
  STRIP = 8 * CELL,
  TILES = 16, // the middle of the letters' tiles
  FAR = 3.3; // the ends of the other meter's axis

// The word of the first sentence at each place: shuffled, and then moved by hand
const ordered = remembering((shuffle, order) => {
  const base = shuffled(shuffle, LETTERS.length);
  return order.slice(0, LETTERS.length).map((place) => base[place]);
});
export const standing = ({ shuffle, order }) => ordered(shuffle, order);
function put(s, word, place) {
  const now = standing(s),
    next = moved(now, word, Math.round(place)),
    base = shuffled(s.shuffle, LETTERS.length);
  return { ...s, word, order: next === now ? s.order : next.map((k) => base.indexOf(k)) };
}
const isShuffled = (s) => standing(s).some((k, t) => k !== t);

const choices = ({ causal, layers, encoded }) => [causal, layers, encoded];
const read = (s) => reading(standing(s), ...choices(s));
const told = (s) => spread(...choices(s));
const noticed = (s) => read(s).at(-1).change[LAST];

// Where letters stand, and the weights that each gives in each layer
const { shown, tick } = gliding((s) => {
  const order = standing(s),
    places = order.map((_, k) => (s.hold?.word === k ? s.hold.place : order.indexOf(k)));
  return [...places, ...read(s).flatMap(({ weights }) => weights.flat())];
}, 240);

// What is drawn where
function layout({ layers, encoded }, { w, h: high }) {
  const slot = w / LETTERS.length,
    top = encoded ? 62 : 36,
    foot = high - 46,
    step = (foot - STRIP - top) / layers;
  return {
    left: 0,
    slot,
    middle: TILES,
    top,
    foot,
    tile: { w: Math.min(slot - 2, 64), h: 28, size: "large" },
    bar: Math.min(0.7 * slot, 44),
    thick: Math.min(20, 0.4 * slot),
    sums: Array.from({ length: layers }, (_, n) => top + step * (n + 1)),
    x: (place) => (place + 0.5) * slot,
  };
}

function sums(s, size) {
  const to = layout(s, size),
    layers = read(s),
    now = shown(s),
    xs = LETTERS.map((k) => to.x(now[k])),
    final = layers.length - 1;
  // What word k is given in a layer, each ribbon as wide as its weight
  const ribbons = (layer, k) => {
    const from = layer ? to.sums[layer - 1] + STRIP + 2 : to.top,
      end = to.sums[layer] - 2,
      middle = (from + end) / 2,
      given = now.slice(LETTERS.length * (1 + layer * LETTERS.length + k));
    // also where it runs aside: one edge bends sooner than the other; a Bézier curve goes 3/4 of the way
    const ribbon = (j) => {
      const half = (to.thick * given[j]) / 2,
        [a, b, c, e] = [xs[j] - half, xs[k] - half, xs[k] + half, xs[j] + half],
        bend = (half / 0.75) * clamp((xs[k] - xs[j]) / to.thick, -1, 1),
        [late, soon] = [middle + bend, middle - bend];
      return d`M${a} ${from}C${a} ${late} ${b} ${late} ${b} ${end}L${c} ${end}C${c} ${soon} ${e} ${soon} ${e} ${from}Z`;
    };
    const look = k === LAST && layer === final ? ["f-purple", 0.8] : ["f-muted", 0.2];
    const seen = LETTERS.filter((j) => given[j] >= 0.03);
    return h("path", { class: look[0], "fill-opacity": look[1], d: seen.map(ribbon).join("") });
  };
  // framed: not what it was
  const framed = (layer, k) =>
    isShuffled(s) && layers[layer].change[k]
      ? rect(-to.bar / 2 - 1.5, to.sums[layer] - 1.5, to.bar + 3, STRIP + 3, "l-ink")
      : [];
  const looks = (k) => (k === LAST ? "l-purple bar" : k === s.word ? "l-ink bar" : "l-grid");
  const column = (k) =>
    at(
      xs[k],
      0,
      tile("abcdefghijkl"[SENTENCES[0][k]], TILES, to.tile, looks(k)),
      layers.map(({ sums }, layer) => cells(sums[k], 3, -to.bar / 2, to.sums[layer], to.bar, CELL, 0, CELL)),
      isShuffled(s) ? change(layers[final].change[k], to.foot + 6, to.bar) : [],
      layers.map((_, layer) => framed(layer, k)),
    );
  return h(
    "g",
    {},
    layers.map((_, layer) => LETTERS.map((k) => ribbons(layer, k))),
    s.encoded ? LETTERS.map((k) => clock({ x: to.x(k), y: 45, r: 11 }, k)) : [],
    groups(LETTERS, s.hold?.word ?? LAST, column),
  );
}

// How often attention adds which number at each position: the darker, the more often
const shares = remembering((dots) => {
  const rows = Math.round(20 * FAR),
    counts = new Float64Array(rows * LENGTH);
  dots.forEach((values, t) => {
    for (const v of values) counts[clamp(Math.floor(10 * (FAR - v)), 0, rows - 1) * LENGTH + t]++;
  });
  const most = Math.max(...counts);
  return counts.map((count) => count / most);
});

function variance(s, { w, h: high }) {
  const { dots, means, variances } = told(s),
    [left, top, wide, tall] = [30, 8, w - 38, high - 44],
    x = (t) => left + ((t + 0.5) / LENGTH) * wide,
    y = (v) => top + tall / 2 - (v / FAR) * (tall / 2),
    along = (c, values) =>
      curve(
        c,
        [...values].map((v, t) => [x(t), y(v)]),
      );
  return h(
    "g",
    {},
    [-3, -2, -1, 0, 1, 2, 3].map((v) => [
      line(left, y(v), left + wide, y(v), "l-grid", { "stroke-width": v ? 0.5 : 1.5 }),
      text(left - 6, y(v) + 4.5, "mono end f-muted", decimals(v, 0)),
    ]),
    table(left, top, wide, tall, LENGTH, shares(dots), "counts"),
    [1, -1].map((sign) => [
      along(
        "l-ink dash",
        variances.map((_, t) => sign * Math.sqrt(variances[0] / (t + 1))),
      ),
      along(
        "l-purple thick",
        variances.map((v) => sign * Math.sqrt(v)),
      ),
    ]),
    // one sentence among them: the first, in the order of this shuffle
    along(
      "l-ink",
      own(shuffled(s.shuffle, LENGTH), ...choices(s)).map((row, t) => row[0] - means[t][0]),
    ),
    [0, 5, 10, 15].map((t) => text(x(t), top + tall + 16, "mono mid f-muted", t)),
    text(left + wide / 2, top + tall + 32, "mono mid f-muted", "position"),
  );
}

const held = hands({ order: standing, put, end: () => LAST, layout });

export const scene = {
  kind: "network",
  label:
    "Letters, and below each the sums that the layers make of it, with the change after a shuffle; or the spread of what " +
    "attention adds. Left and right arrow move the chosen letter, up and down choose another one; over the spread left " +
    "and right take another shuffle.",
  controls: [
    { name: "shuffle", label: "shuffle", min: 0, max: () => 99, text: (n) => (n ? `no. ${n}` : "none") },
    { name: "layers", label: "layers", options: [1, 2, 3].map((n) => [n, n]) },
    { name: "causal", label: "mask" },
    { name: "encoded", label: "positions" },
  ],
  height: (w) => (w < 500 ? 336 : 352),
  draw: (s, size) => (s.meter === "shuffle" ? sums : variance)(s, size),
  alt(s) {
    const { layers, causal, encoded, meter } = s;
    return (
      `An untrained network of ${layers} attention ${layers === 1 ? "layer" : "layers"} with ` +
      `${causal ? "causal mask" : "no mask"} and ${encoded ? "sinusoidal encodings" : "no positions"}` +
      `${meter === "variance" ? ", and how much attention adds at each position" : ""}. ${plain(scene.reading(s))}`
    );
  },
  reading(s) {
    if (s.meter === "variance") {
      const share = told(s).explained,
        says = share > 0.8 ? "It tells the position from 32 sentences together, not from one." : "";
      return (
        `**Variance:** its logarithm explains ${share.toFixed(2)} of the variation of log(position + 1). ` +
        (share < 0.2 ? "It says next to nothing about the position." : says)
      );
    }
    if (!isShuffled(s)) return "**The letters stand in their first order.** The last output has nothing to notice yet.";
    const many = read(s)
      .at(-1)
      .change.filter((much) => much).length;
    const much = noticed(s)
      ? `changes by ${decimals(noticed(s), 2)} as letters before it change places`
      : "does not notice that letters before it changed places";
    return `**The last output** ${much}. Of all ${LETTERS.length} outputs, ${many || "none"} changed.`;
  },
  ...held,
  down: (s, size, p) => (s.meter === "shuffle" ? held.down(s, size, p) : s),
  key(s, keys) {
    if (s.meter === "shuffle") return held.key(s, keys);
    return keys.right ? { ...s, shuffle: clamp(s.shuffle + keys.right, 0, 99) } : s;
  },
  tick: (s, ms) => (s.meter === "shuffle" ? tick(s, ms) : s),
  parts: boxes(layout, {
    sums: ({ sums }, { w }) => [0, sums[0] - 3, w, STRIP + 6],
    last: ({ foot, slot }, { w }) => [w - slot, 2, slot, foot],
    bars: ({ foot }, { w }) => [0, foot + 2, w, 42],
    dots: (_, { w, h }) => [0, 0, w, h],
  }),
};

export const done = {
  main: (s) =>
    s.layers > 1 && !s.encoded && !s.causal && isShuffled(s) && !noticed(s)
      ? "Found: without a mask every sum runs along with its letter, however deep, and none changes."
      : "",
  variance(s) {
    const share = told(s).explained;
    return share < 0.05
      ? `Found: ${share.toFixed(2)}. Each position sees the same words, so no mean is of more than another.`
      : "";
  },
};

const fits = ({ order }) => order.slice(0, LETTERS.length).sort().join() === LETTERS.join() && order[LAST] === LAST;

export default stage(ABOUT, scene, { done, fits, play: { trait: "shuffle", unit: 1500 } });
