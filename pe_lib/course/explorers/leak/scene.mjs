// Draws what an untrained network reveals of the order: shuffled letters keep their sums, or get new sums.
import { decimals } from "../frame/controls.mjs";
import { clamp, range, rememberLast } from "../maths.mjs";
import { clock } from "../scene/clocks.mjs";
import { at, glideTo, groups } from "../scene/glide.mjs";
import { part } from "../scene/reveal.mjs";
import { boxes, d, path, rect } from "../scene/svg.mjs";
import { cells, change, wordGestures, moveWord, tile } from "../words.mjs";
import { reading, SENTENCE, shuffled } from "./network.mjs";

const LETTERS = [0, 1, 2, 3, 4, 5],
  LAST = LETTERS.length - 1, // the last letter, which never moves
  CELL = 4, // pixels per number in a column of eight numbers
  STRIP = 8 * CELL,
  TILES = 16; // height of the middle of the letters' tiles

// Return the letter at each place, after the shuffle and after the moves by hand.
const ordered = rememberLast((shuffle, order) => {
  const base = shuffled(shuffle, LETTERS.length);
  return order.map((place) => base[place]);
});
export const standing = ({ shuffle, order }) => ordered(shuffle, order);
function placeWord(s, word, place) {
  const now = standing(s),
    next = moveWord(now, word, Math.round(place)),
    base = shuffled(s.shuffle, LETTERS.length);
  return { ...s, word, order: next === now ? s.order : next.map((k) => base.indexOf(k)) };
}
const isShuffled = (s) => standing(s).some((k, t) => k !== t);

const read = (s) => reading(standing(s), s.causal, s.layers, s.encoded);
const lastChange = (s) => read(s).at(-1).change[LAST];

// Return the places of the letters, followed by the weights that each letter gives in each layer.
const { current, tick } = glideTo((s) => {
  const order = standing(s),
    places = order.map((_, k) => (s.hold?.word === k ? s.hold.place : order.indexOf(k)));
  return [...places, ...read(s).flatMap(({ weights }) => weights.flat())];
}, 240);

// Return the layout of the tiles and of the layers.
function layout({ layers, encoded }, { w, h: high }) {
  const slot = w / LETTERS.length,
    face = Math.min(slot / 2 - 7, 26), // the radius of a clock
    top = encoded ? 44 + 2 * face : 36,
    foot = high - 46,
    step = (foot - STRIP - top) / layers;
  return {
    left: 0,
    face,
    slot,
    middle: TILES,
    top,
    foot,
    tile: { w: Math.min(slot - 2, 64), h: 28, size: "large" },
    bar: Math.min(0.7 * slot, 44),
    thick: Math.min(20, 0.4 * slot),
    sums: range(layers, (n) => top + step * (n + 1)),
    x: (place) => (place + 0.5) * slot,
  };
}

function draw(s, size) {
  const to = layout(s, size),
    layers = read(s),
    now = current(s),
    xs = LETTERS.map((k) => to.x(now[k])),
    final = layers.length - 1;
  const isChosen = (layer, k) => k === LAST && layer === final;
  const drawRibbons = (chosen) =>
    layers.map((_, layer) => LETTERS.map((k) => (isChosen(layer, k) === chosen ? ribbons(layer, k) : [])));
  // Draw the ribbons to word k in a layer, each as wide as its weight.
  const ribbons = (layer, k) => {
    const from = layer ? to.sums[layer - 1] + STRIP + 2 : to.top,
      end = to.sums[layer] - 2,
      middle = (from + end) / 2,
      shares = now.slice(LETTERS.length * (1 + layer * LETTERS.length + k));
    // A ribbon keeps its width where it runs sideways, because one of its edges bends earlier than the other edge.
    // The bend is divided by 3/4, because a Bézier curve goes only 3/4 of the way to its control points.
    const ribbon = (j) => {
      const half = (to.thick * shares[j]) / 2,
        [a, b, c, e] = [xs[j] - half, xs[k] - half, xs[k] + half, xs[j] + half],
        bend = (half / 0.75) * clamp((xs[k] - xs[j]) / to.thick, -1, 1),
        [late, soon] = [middle + bend, middle - bend];
      return d`M${a} ${from}C${a} ${late} ${b} ${late} ${b} ${end}L${c} ${end}C${c} ${soon} ${e} ${soon} ${e} ${from}Z`;
    };
    const [look, opacity] = isChosen(layer, k) ? ["f-purple", 0.8] : ["f-muted", 0.2];
    return path(look, LETTERS.filter((j) => shares[j] >= 0.03).map(ribbon), { "fill-opacity": opacity });
  };
  // Draw a frame around a sum that has changed.
  const frameChanged = (layer, k) =>
    isShuffled(s) && layers[layer].change[k]
      ? rect(-to.bar / 2 - 1.5, to.sums[layer] - 1.5, to.bar + 3, STRIP + 3, "l-ink")
      : [];
  const looks = (k) => (k === LAST ? "l-purple bar" : k === s.word ? "l-ink bar" : "l-grid");
  const column = (k) =>
    at(
      xs[k],
      0,
      tile("abcdefghijkl"[SENTENCE[k]], TILES, to.tile, looks(k)),
      part(s, "sums", () =>
        layers.map(({ sums }, layer) => cells(sums[k], 3, -to.bar / 2, to.sums[layer], to.bar, CELL, 0, CELL)),
      ),
      part(s, "bars", () => (isShuffled(s) ? change(layers[final].change[k], to.foot + 6, to.bar) : [])),
      part(s, "ribbons", () => layers.map((_, layer) => frameChanged(layer, k))),
    );
  return [
    part(s, "ribbons", () => drawRibbons(false)),
    part(s, "last", () => drawRibbons(true)),
    part(s, "clocks", () =>
      s.encoded ? LETTERS.map((k) => clock({ x: to.x(k), y: 37 + to.face, r: to.face }, k)) : [],
    ),
    groups(LETTERS, s.hold?.word ?? LAST, column),
  ];
}

export const scene = () => ({
  kind: "network",
  shows:
    "Six letters, and below each letter the sums that the layers compute for it, with their change after a shuffle.",
  moves: "Left and right arrow move the chosen letter, up and down choose another one.",
  controls: [
    { name: "shuffle", text: (n) => (n ? `no. ${n}` : "none") },
    { name: "layers", options: [1, 2, 3].map((n) => [n, n]) },
    { name: "causal", label: "mask" },
    { name: "encoded", label: "positions" },
  ],
  reveals: true,
  height: (w) => (w < 500 ? 316 : 352),
  draw,
  reading(s) {
    const net = `${s.layers === 1 ? "One layer" : `${s.layers} layers`}, ${s.causal ? "mask" : "no mask"}:`;
    if (!isShuffled(s)) return `**${net} the letters stand in their first order.** There is nothing to notice yet.`;
    const many = read(s)
      .at(-1)
      .change.filter((much) => much).length;
    const much = lastChange(s)
      ? `changes by ${decimals(lastChange(s), 2)} as letters before it change places`
      : "does not notice that letters before it changed places";
    return `**${net} the last output** ${much}. Of all ${LETTERS.length} outputs, ${many || "none"} changed.`;
  },
  ...wordGestures({ order: standing, placeWord, end: () => LAST, layout }),
  tick,
  parts: boxes(layout, {
    clocks: ({ face }, { w }) => [0, 34, w, 2 * face + 6],
    ribbons: ({ top, foot }, { w }) => [0, top, w, foot - top],
    sums: ({ sums }, { w }) => [0, sums[0] - 3, w, STRIP + 6],
    last: ({ foot, slot }, { w }) => [w - slot, 2, slot, foot],
    bars: ({ foot }, { w }) => [0, foot + 2, w, 42],
  }),
  done: {
    main: (s) =>
      s.layers > 1 && !s.encoded && !s.causal && isShuffled(s) && !lastChange(s)
        ? "Found: without a mask, every sum moves with its letter and stays the same, however many layers there are."
        : "",
  },
  fits: ({ order }) => [...order].sort().join() === LETTERS.join() && order[LAST] === LAST,
  play: { trait: "shuffle", unit: 1500 },
});
