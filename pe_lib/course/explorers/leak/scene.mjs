// What an untrained network knows of the order: letters are shuffled, and the sums below them run along.
/* global ABOUT */
import { decimals } from "../frame/controls.mjs";
import { clamp, last } from "../maths.mjs";
import { clock } from "../scene/clocks.mjs";
import { drawn } from "../scene/drawn.mjs";
import { boxes, d, h, line, rect, shade, table, text, through, toward } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";
import { heldAt, moved, tiles, touched } from "../words.mjs";
import {
  counted,
  DEEPEST,
  explained,
  LENGTH,
  NOTHING,
  probe,
  reading,
  run,
  sequences,
  shuffled,
  spread,
  standing,
  variance,
} from "./network.mjs";

const LETTERS = "abcdefghijkl",
  ALL = Array.from({ length: LENGTH }, (_, k) => k),
  CELL = 4, // pixels of a number in a column of eight
  FAR = 3.3; // the ends of the other meter's axis

const read = (s) => reading(s.causal, s.layers, s.encoded, ...standing(s));

// The other meter: what is added at each position, and how often which size of it
const cloud = last((causal, layers, encoded) => {
  const { dots, means } = spread(causal, layers, encoded),
    rows = Math.round(20 * FAR),
    counts = new Float64Array(rows * LENGTH);
  dots.forEach((values, t) => {
    for (const v of values) counts[clamp(Math.floor(10 * (FAR - v)), 0, rows - 1) * LENGTH + t]++;
  });
  const most = Math.max(...counts);
  return { means, varied: variance({ dots }), counts: counts.map((count) => count / most) };
});
const network = ({ causal, layers, encoded }) => cloud(causal, layers, encoded);

// What is drawn where
function layout(s, { w, h: high }) {
  const { layers, encoded } = s,
    n = counted(s),
    slot = w / n,
    top = encoded ? 62 : 36,
    foot = high - 46,
    strip = 8 * CELL,
    step = (foot - strip - top) / layers;
  return {
    n,
    slot,
    top,
    foot,
    strip,
    tile: { w: Math.min(slot - 2, 64), h: 28 },
    bar: Math.min(0.7 * slot, 44),
    thick: Math.min(20, 0.4 * slot),
    sums: ALL.slice(0, layers).map((n) => top + step * (n + 1)),
    x: (place) => (place + 0.5) * slot,
  };
}
const TILES = 16; // the middle of the letters' tiles

const goals = (s) => {
  const order = standing(s),
    places = order.map((_, k) => (s.hold?.k === k ? s.hold.place : order.indexOf(k)));
  return [...places, ...read(s).flatMap(({ weights }) => weights.flat())];
};

function sums(s, size) {
  const at = layout(s, size),
    { n } = at,
    layers = read(s),
    final = layers.length - 1,
    shown = s.gliding?.length === n + n * n * layers.length ? s.gliding : goals(s),
    all = ALL.slice(0, n),
    xs = all.map((k) => at.x(shown[k])),
    moves = standing(s).some((k, t) => k !== t),
    [first] = sequences();
  const ribbons = (layer, k) => {
    const from = layer ? at.sums[layer - 1] + at.strip + 2 : at.top,
      to = at.sums[layer] - 2,
      middle = (from + to) / 2;
    const weight = (j) => shown[n + (layer * n + k) * n + j];
    return all
      .filter((j) => weight(j) >= 0.03)
      .map((j) =>
        h("path", {
          d: d`M${xs[j]} ${from}C${xs[j]} ${middle} ${xs[k]} ${middle} ${xs[k]} ${to}`,
          "stroke-width": at.thick * weight(j),
        }),
      );
  };
  const sum = (layer, k) => {
    const x = xs[k] - at.bar / 2,
      y = at.sums[layer];
    return [
      layers[layer].sums[k].map((v, c) =>
        rect(x, y + c * CELL, at.bar, CELL, "", shade(clamp(v / 3, -1, 1), "signed")),
      ),
      // framed: not what it was
      rect(x - 1.5, y - 1.5, at.bar + 3, at.strip + 3, "l-ink", {
        opacity: moves && layers[layer].change[k] >= NOTHING ? 1 : 0,
      }),
    ];
  };
  const much = (k) => {
    const change = layers[final].change[k];
    return change < NOTHING ? 0 : change;
  };
  const mark = s.word < n - 1 ? s.word : -1;
  return h(
    "g",
    {},
    layers.map((_, layer) =>
      all.map((k) => {
        const own = k === n - 1 && layer === final;
        return h("g", { class: own ? "l-purple" : "l-muted", opacity: own ? 0.8 : 0.2 }, ribbons(layer, k));
      }),
    ),
    layers.map((_, layer) => all.map((k) => sum(layer, k))),
    moves
      ? [
          all.map((k) =>
            rect(xs[k] - at.bar / 2, at.foot + 6, at.bar, 22 * Math.min(1, much(k)), k === n - 1 ? "f-ink" : "f-muted"),
          ),
          text(
            size.w - 2,
            size.h - 4,
            `mono end bold ${much(n - 1) ? "f-ink" : "f-green"}`,
            `change ${much(n - 1) ? decimals(much(n - 1), 2) : "0"}`,
          ),
        ]
      : [],
    s.encoded ? all.map((k) => clock({ x: at.x(k), y: 45, r: Math.min(11, at.slot / 2 - 3) }, k)) : [],
    tiles(
      all.map((k) => LETTERS[first[k]]),
      xs,
      TILES,
      at.tile,
      n - 1,
      (k) => (k === mark ? rect(xs[k] - at.tile.w / 2, TILES - 14, at.tile.w, 28, "l-ink bar", { rx: 7 }) : []),
    ),
  );
}

function variances(s, { w, h: high }) {
  const { counts, means, varied } = network(s),
    [left, top, wide, tall] = [30, 8, w - 38, high - 44],
    x = (t) => left + ((t + 0.5) / LENGTH) * wide,
    y = (v) => top + tall / 2 - (v / FAR) * (tall / 2),
    curve = (c, values) => h("path", { class: c, d: through(values.map((v, t) => [x(t), y(v)])) });
  // one sentence among them: the first, in the order in which it stands
  const [first] = sequences(),
    order = standing({ ...s, letters: LENGTH }),
    own = run([order.map((k) => first[k])], s.causal, s.layers, s.encoded).added;
  return h(
    "g",
    {},
    [-3, -2, -1, 0, 1, 2, 3].map((v) => [
      line(left, y(v), left + wide, y(v), "l-grid", { "stroke-width": v ? 0.5 : 1.5 }),
      text(left - 6, y(v) + 4.5, "mono end f-muted", decimals(v, 0)),
    ]),
    table(left, top, wide, tall, LENGTH, counts, "counts"),
    [1, -1].map((sign) => [
      curve(
        "l-ink dash",
        varied.map((_, t) => sign * Math.sqrt(varied[0] / (t + 1))),
      ),
      curve(
        "l-purple thick",
        varied.map((v) => sign * Math.sqrt(v)),
      ),
    ]),
    curve(
      "l-ink",
      own.map((row, t) => row[0] - means[t][0]),
    ),
    [0, 5, 10, 15].map((t) => text(x(t), top + tall + 16, "mono mid f-muted", t)),
    text(left + wide / 2, top + tall + 32, "mono mid f-muted", "position"),
  );
}

// Letter k stands at this place now, and the others make room
function put(s, k, place) {
  const count = counted(s),
    base = shuffled(s.shuffle, count),
    order = [...moved(standing(s), k, Math.round(place)).map((word) => base.indexOf(word)), ...ALL.slice(count)];
  return order.join() === s.order.join() ? s : { ...s, order };
}
const named = ({ causal, layers, encoded }) =>
  `An untrained network of ${layers} attention ${layers === 1 ? "layer" : "layers"} with ` +
  `${causal ? "causal mask" : "no mask"} and ${encoded ? "sinusoidal encodings" : "no positions"}`;

export const scene = {
  kind: "network",
  label:
    "Letters, and below each the sums that the layers make of it, with the change after a shuffle; or the spread of what " +
    "attention adds. Left and right arrow take another shuffle, up and down another number of layers; with Shift they " +
    "move a letter and choose another.",
  controls: [
    { name: "shuffle", label: "shuffle", min: 0, max: () => 99, text: (n) => (n ? `no. ${n}` : "none") },
    { name: "layers", label: "layers", options: [1, 2, 3].map((n) => [n, n]) },
    { name: "causal", label: "mask" },
    { name: "encoded", label: "positions" },
  ],
  settings: [
    {
      name: "letters",
      label: "letters",
      min: 3,
      max: () => LENGTH,
      get: counted,
      set: (s, letters) => ({ ...s, letters, order: ALL }),
    },
    {
      name: "meter",
      label: "look at",
      options: [
        ["shuffle", "a shuffle"],
        ["variance", "the variance"],
      ],
    },
  ],
  height: (w) => (w < 500 ? 336 : 352),
  draw: (s, size) => (s.meter === "shuffle" ? sums : variances)(s, size),
  alt(s) {
    if (s.meter === "variance")
      return (
        `${named(s)}: the logarithm of the variance of what attention adds at a position ` +
        `explains ${probe(network(s).varied).toFixed(2)} of the variation of log(position + 1).`
      );
    if (standing(s).every((k, t) => k === t)) return `${named(s)} reads ${counted(s)} letters in their original order.`;
    const change = read(s).at(-1).change.at(-1);
    return (
      `${named(s)}: when the letters before it are shuffled, the last output ` +
      `${change < NOTHING ? "does not change" : `changes by ${decimals(change, 2)}`}.`
    );
  },
  reading(s) {
    if (s.meter === "variance") {
      const share = probe(network(s).varied);
      const told = share > 0.8 ? "It tells the position from 32 sentences together, not from one." : "";
      return `**Variance:** ${explained(share)} ${share < 0.2 ? "It says next to nothing about the position." : told}`;
    }
    if (standing(s).every((k, t) => k === t))
      return "**The last output** has nothing to notice: shuffle the letters, or drag one.";
    const { change } = read(s).at(-1),
      many = change.filter((much) => much >= NOTHING).length,
      noticed =
        change.at(-1) < NOTHING
          ? "does not notice that letters before it changed places"
          : `changes by ${decimals(change.at(-1), 2)} as letters before it change places`;
    return `**The last output** ${noticed}. Of all ${change.length} outputs, ${many || "none"} changed.`;
  },
  down(s, size, p) {
    if (s.meter !== "shuffle") return s;
    const { slot, x, n } = layout(s, size),
      order = standing(s),
      k = touched(
        order.map((_, k) => x(order.indexOf(k))),
        TILES,
        slot,
        p,
      );
    const place = order.indexOf(k);
    return k < 0 || k === n - 1 ? s : { ...s, word: k, hold: { k, off: p.x - x(place), place } };
  },
  move(s, size, p) {
    const { slot, n } = layout(s, size),
      place = heldAt(s.hold, p, 0, slot, n - 2);
    return { ...put(s, s.hold.k, place), hold: { ...s.hold, place } };
  },
  up: (s) => ({ ...s, hold: undefined }),
  key(s, { right, up, shift }) {
    const order = standing(s),
      most = order.length - 2,
      word = Math.min(s.word ?? 0, most),
      at = order.indexOf(word);
    if (shift && right) return { ...put(s, word, clamp(at + right, 0, most)), word };
    if (shift && up) return { ...s, word: order[clamp(at - up, 0, most)] };
    if (!right && !up) return s;
    return { ...s, shuffle: clamp(s.shuffle + right, 0, 99), layers: clamp(s.layers + up, 1, DEEPEST) };
  },
  tick(s, ms) {
    if (s.meter !== "shuffle") return s;
    const gliding = toward(s.gliding, goals(s), ms, { pace: 240, held: s.hold ? s.hold.k : -1 });
    return gliding === s.gliding ? s : { ...s, gliding };
  },
  parts: boxes(layout, {
    sums: ({ sums, strip }, { w }) => [0, sums[0] - 3, w, strip + 6],
    last: ({ foot, slot }, { w }) => [w - slot, 2, slot, foot],
    bars: ({ foot }, { w }) => [0, foot + 2, w, 42],
    dots: (_, { w, h }) => [0, 0, w, h],
  }),
};

export const done = {
  main: (s) =>
    s.layers > 1 &&
    !s.encoded &&
    !s.causal &&
    standing(s).some((k, t) => k !== t) &&
    read(s).at(-1).change.at(-1) < NOTHING
      ? "Found: without a mask every sum runs along with its letter, however deep, and none changes."
      : "",
  variance(s) {
    const share = probe(network(s).varied);
    return share < 0.05
      ? `Found: ${share.toFixed(2)}. Each position sees the same words, so no mean is of more than another.`
      : "";
  },
};

const fits = ({ order }) => [...order].sort((a, b) => a - b).join() === ALL.join() && order.at(-1) === LENGTH - 1;

export default stage(ABOUT, drawn(ABOUT, scene), { done, fits, play: { trait: "shuffle", unit: 1500 } });
