// Draws the layers of a real model, and shows which layers see a distant word and which can tell its distance.
import { groupDigits } from "../frame/controls.mjs";
import { clamp } from "../maths.mjs";
import { logarithmic } from "../scene/chart.mjs";
import { gesturesFor } from "../scene/hold.mjs";
import { boxes, line, path, rect, ring, text, through, textWidth } from "../scene/svg.mjs";

// The bias with which ALiBi leaves a thousandth of the weight, and the distance at which the axis ends
const FAINT = Math.log(1000),
  FURTHEST = 10_000_000,
  AXIS = { 1: "1", 100: "100", 10000: "10,000", 1000000: "1 million" },
  TICK = { rotary: "half a turn", alibi: "takes off 6.9", t5: "a bucket begins" };
// Three models with different kinds of limits: windows, chunks, and buckets
const PRESETS = {
  "Gemma 3 1B": { query: 10_000, key: 5_000 },
  "Llama 4 Scout": { query: 8_192, key: 8_191 },
  "T5 small": { query: 300, key: 220 },
};
const COLUMN = 17,
  FOOT = 40; // pixels: the width of a kind's column of layers, and the height of the area below the columns

// The parts of a label that are left out, one after another, until the label fits
const SPARED = [
  [/ layers?|, \S+ scaling/g, ""],
  [/: turned,/, ":"], // the base already implies it
  [/ base \S+,|, base \S+$/, ""],
  [/ are one bucket$| of its own$|: hands .*|; none .*|; positions .*/, ""],
];
const fitting = (says, room) =>
  SPARED.reduce((left, [part, by]) => (textWidth(left) < room ? left : left.replace(part, by)), says);

const many = (count) => `${count} ${count === 1 ? "layer" : "layers"}`;
const layersOf = (name, { order }) => [...order].filter((one) => one === name).length;

// Returns a label that says what the layers of a kind do, and how many layers there are.
function label({ says, scaling, chunk, window, sides }, count) {
  const sees = chunk
    ? `chunks of ${groupDigits(chunk)}`
    : window && `sees ${sides === 1 ? groupDigits(window) : `±${groupDigits(window - 1)}`}`;
  return [`${many(count)}: ${says}`, scaling && `${scaling} scaling`, sees].filter(Boolean).join(", ");
}

// Returns the largest distance at which a query sees a key. A window of n positions includes the query's own position.
export const reach = ({ chunk, window }, query) =>
  chunk ? query % chunk : window ? Math.min(query, window - 1) : query;

// Returns the distances up to which each pair or head tells the distance, or at which each bucket begins.
export const marks = ({ scheme, values }) =>
  values.map((value) => (scheme === "rotary" ? Math.PI / value : scheme === "alibi" ? FAINT / value : value));

// Returns whether layers of a kind can tell the distance by themselves, and an explanation.
// The verdict is "tells", "roughly", "seen" (cannot tell), "unseen", or "apart" (has no scores).
export function verdict(kind, query, key) {
  const distance = query - key,
    { scheme } = kind;
  if (scheme === "recurrent") return ["apart", "compares no two tokens: hands on a state"];
  if (distance > reach(kind, query))
    return ["unseen", kind.chunk ? "does not see it: another chunk" : "does not see it"];
  if (scheme === "none") return ["seen", "sees it; no positions of its own"];
  if (scheme === "learned") return ["seen", "sees it; positions are in the input"];
  const ends = marks(kind);
  if (scheme === "t5") {
    const bucket = ends.filter((first) => first <= distance).length,
      [first, next] = [ends[bucket - 1], ends[bucket]];
    if (next === undefined) return ["seen", `sees it: ${groupDigits(first)} and more are one bucket`];
    if (next === first + 1) return ["tells", "tells it: a bucket of its own"];
    return ["roughly", `tells it roughly: ${groupDigits(first)} to ${groupDigits(next - 1)} are one bucket`];
  }
  const n = ends.filter((mark) => mark >= distance).length,
    of = `${ends.length} ${scheme === "rotary" ? "pairs" : "heads"}`;
  return n ? ["tells", `tells it: ${n} of ${of}`] : ["seen", `sees it; none of ${of} tells it alone`];
}

// Returns the number of layers with each verdict.
export function count({ order, kinds }, query, key) {
  const counted = { tells: 0, roughly: 0, seen: 0, unseen: 0, apart: 0 };
  for (const name of order) counted[verdict(kinds[name], query, key)[0]] += 1;
  return counted;
}

// Returns the number of layers that are needed to pass a word on over this distance.
export const steps = ({ kinds }, query, key) =>
  Math.ceil((query - key) / Math.max(...Object.values(kinds).map((kind) => reach(kind, query))));

// Returns the model and the positions, which may lie outside its limits while the model changes and are then moved.
function now(s) {
  const about = ABOUT.models[s.model],
    query = clamp(s.query, 1, about.length - 1),
    key = clamp(s.key, 0, query - 1);
  return { ...about, names: Object.keys(about.kinds), query, key, distance: query - key };
}
function apart(s, distance) {
  const { query } = now(s);
  return { ...s, query, key: query - clamp(Math.round(distance), 1, query) };
}

const tenths = (distance) => 10 * Math.log10(distance); // in tenths of a decade

// Returns the layout: columns of layers on the left, and a band for each kind on the right.
function layout(s, { w, h: high }) {
  const { names } = now(s),
    left = COLUMN * names.length + 24,
    floor = high - FOOT,
    tall = floor / names.length,
    { at, of } = logarithmic([1, FURTHEST], [left, w - 14]);
  return {
    ...{ left, floor, tall, of, room: w - 24 - left },
    x: (distance) => at(clamp(distance, 1, FURTHEST)),
    bands: names.map((_, n) => ({ y: n * tall, bar: n * tall + 20, thick: tall - 44, end: (n + 1) * tall })),
  };
}

const TELLING = ["tells", "roughly"];

// Draws each layer in the column of its kind: filled if it tells the distance, hollow if it only sees, else pale.
function stack({ order, names }, { floor }, verdicts) {
  const step = floor / order.length,
    high = Math.max(0.72 * step, step - 3);
  return [...order].map((name, n) => {
    const [verdict] = verdicts[name],
      part = { seen: 0, roughly: 0.5 }[verdict] ?? 1, // the filled part of the layer
      [x, y] = [COLUMN * names.indexOf(name) + 3, floor - (n + 1) * step + (step - high) / 2];
    return [
      part ? rect(x, y, part * (COLUMN - 4), high, TELLING.includes(verdict) ? "f-ink" : "f-grid") : [],
      part < 1 ? rect(x, y, COLUMN - 4, high, "l-ink thin") : [],
    ];
  });
}

// Draws the band of a kind: how far it sees, a tick for each pair, head or bucket, and its verdict on this distance.
function band(name, s, [verdict, words], { left, room, x }, { y, bar, thick, end }) {
  const kind = s.kinds[name],
    all = marks(kind),
    far = reach(kind, s.query),
    tells = TELLING.includes(verdict),
    says = label(kind, layersOf(name, s)),
    reachedFirsts = kind.scheme === "t5" ? all.filter((first) => first <= s.distance) : [],
    next = Math.min(all[reachedFirsts.length] ?? far, far);
  const frame = (from, to, c, inset) => rect(x(from), bar + inset, Math.max(x(to) - x(from), 2), thick - 2 * inset, c);
  const telling = (mark) => verdict === "tells" && mark >= s.distance,
    tick = (mark, inset) => through([bar + inset, bar + thick - inset].map((to) => [x(mark), to])),
    ticks = (c, inset, which) =>
      path(
        c,
        all.filter(which).map((mark) => tick(mark, inset)),
      );
  return [
    verdict !== "apart" && far ? frame(1, far, `l-muted thin ${kind.scheme === "none" ? "dash" : ""}`, 0) : [],
    reachedFirsts.length ? frame(reachedFirsts.at(-1), next, "f-grid", 1) : [],
    ticks("l-muted thin", 0.3 * thick, (mark) => !telling(mark)),
    ticks("l-ink", 1, telling),
    text(left, y + 14, "mono bold f-ink halo", name),
    text(left + 14, y + 14, "mono f-ink halo", fitting(says, room)),
    text(left, end - 10, `mono halo f-ink ${tells ? "bold" : ""}`, fitting(words, room + 14)),
    tells ? ring(x(s.distance), bar + thick / 2, 5, "f-purple knob") : [],
  ];
}

/** @type {(s: any) => Record<string, any>} */
const judgeKinds = ({ kinds, query, key }) =>
  Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, verdict(kind, query, key)]));

export const scene = {
  kind: "stack of layers",
  shows:
    "On the left each layer of the model, from below, in the column of its kind. On the right a bar for each kind, as " +
    "long as it sees, with a tick where each pair has made half a turn.",
  moves: "The left and right arrow keys move the key nearer and farther, up and down by one.",
  controls: [
    {
      label: "distance",
      min: 0,
      max: (s) => tenths(now(s).query),
      value: (n) => Math.round(10 ** (n / 10)),
      step: tenths,
      get: (s) => now(s).distance,
      set: apart,
      text: groupDigits,
      unit: "positions back",
    },
    {
      label: "model",
      options: Object.keys(PRESETS).map((model) => [model, model.replace(/ (1B|Scout|small)$/, "")]),
      get: ({ model }) => model,
      set: (s, model) => ({ ...s, model, ...PRESETS[model] }),
    },
  ],
  settings: [
    {
      name: "model",
      options: Object.keys(ABOUT.models).map((model) => [model, model]),
      menu: true,
      set: (s, model) => apart({ ...s, model }, now(s).distance),
    },
  ],
  height: (w) => (w < 500 ? 214 : 256),
  draw(state, size) {
    const s = now(state),
      at = layout(state, size),
      verdicts = judgeKinds(s),
      x = at.x(s.distance),
      tick = Object.values(s.kinds)
        .map(({ scheme }) => TICK[scheme])
        .find(Boolean),
      unit = tick ? `positions back · tick: ${tick}` : "positions back";
    return [
      stack(s, at, verdicts),
      s.names.map((name, n) => text(COLUMN * (n + 0.5) + 1, at.floor + 17, "mono mid bold f-ink", name)),
      Object.entries(AXIS).map(([distance, label]) => [
        line(at.x(distance), 0, at.x(distance), at.floor + 4, "l-grid thin"),
        text(at.x(distance), at.floor + 17, "mono mid f-muted", label),
      ]),
      text(size.w / 2, size.h - 5, "mono mid f-muted", unit),
      line(x, 0, x, at.floor + 4, "l-purple bar"),
      s.names.map((name, n) => band(name, s, verdicts[name], at, at.bands[n])),
    ];
  },
  reading(state) {
    const s = now(state),
      verdicts = judgeKinds(s),
      { tells, roughly, unseen } = count(s, s.query, s.key),
      all = s.order.length,
      who = tells === all ? `all ${all} layers` : tells ? `${tells} of ${all} layers` : "no layer",
      how = tells ? "by themselves" : roughly ? "exactly" : "by itself";
    const each = s.names.map((name) => `${name} (${many(layersOf(name, s))}) ${verdicts[name][1]}`);
    const handed = unseen === all ? ` Handed on from layer to layer, it takes ${steps(s, s.query, s.key)}.` : "";
    return `**${state.model}, ${groupDigits(s.distance)} back: ${who} can tell it ${how}.** ${each.join("; ")}.${handed}`;
  },
  ...gesturesFor((s, size) => [{ on: true, to: (now, q) => apart(now, layout(s, size).of(q.x)) }]),
  // Left and right move by a tenth of a decade, pages by a decade, and up and down by 1.
  key(s, { right, up, end, page = 0 }) {
    const { query, distance } = now(s),
      tens = right + 10 * page,
      far = Math.round(distance * 10 ** (tens / 10));
    if (end) return apart(s, end * query);
    return apart(s, up + (far === distance ? distance + Math.sign(tens) : far));
  },
  parts: boxes(layout, {
    stack: ({ left, floor }) => [0, 0, left - 20, floor],
    bands: ({ left }, { w, h: high }) => [left - 6, 0, w - left + 4, high - FOOT],
    last: ({ left, bands, tall }, { w }) => [left - 6, bands.at(-1).y, w - left + 4, tall],
  }),
  done: {
    main: ({ model, query, key }) =>
      model === "gpt-oss 20B" && query - key === 127
        ? "Found: 127. A window of 128 holds the query itself and the 127 positions before it."
        : "",
    stack({ model, query, key }) {
      const { A } = ABOUT.models["Llama 4 Scout"].kinds;
      return model === "Llama 4 Scout" && query - key > reach(A, query)
        ? "Found: in another chunk no layer that turns sees the word. What is there comes in without positions."
        : "";
    },
    longer: ({ model, query, key }) =>
      model === "gpt-oss 20B" && query - key > 127
        ? "Found: 128 and more are for half of the layers. The other half meets no longer distance in any text."
        : "",
  },
  fits: ({ model, query }) => query < ABOUT.models[model].length,
};
