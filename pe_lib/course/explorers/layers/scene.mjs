// The layers of a real model: which see a word so far back, and which can tell how far that is.
/* global ABOUT */
import { grouped } from "../frame/controls.mjs";
import { clamp } from "../maths.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, line, text, through, wide } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";

// What a head of ALiBi takes off when a thousandth of the weight is left; where the axis ends
const FAINT = Math.log(1000),
  FURTHEST = 10_000_000,
  DECADES = Math.log10(FURTHEST);
/** @type {[number, string][]} */
const AXIS = [
  [1, "1"],
  [100, "100"],
  [10_000, "10,000"],
  [1_000_000, "1 million"],
];
const TICK = { rotary: "half a turn of a pair", alibi: "a head takes off 6.9", t5: "a bucket begins" };
// Three that differ: windows, chunks, buckets
const PRESETS = {
  "Gemma 3 1B": { query: 10_000, key: 5_000 },
  "Llama 4 Scout": { query: 8_192, key: 8_191 },
  "T5 small": { query: 300, key: 220 },
};
const COLUMN = 17,
  FOOT = 40; // pixels: a kind's column of layers, and what is below them

const listed = (...words) => words.filter(Boolean).join(", ");

// How far a layer sees, if not all
const seeing = ({ chunk, window, sides }) => {
  if (chunk) return `chunks of ${grouped(chunk)}`;
  if (!window) return "";
  return sides === 1 ? `sees ${grouped(window)}` : `sees ±${grouped(window - 1)}`;
};
const said = (kind) => listed(kind.says, kind.scaling && `${kind.scaling} scaling`, seeing(kind));
const many = (count) => `${count} ${count === 1 ? "layer" : "layers"}`;

// What so many layers of a kind do, in fewer words each time
const labels = (kind, count) => [
  `${many(count)}: ${said(kind)}`,
  `${count}: ${said(kind)}`,
  `${count}: ${listed(kind.says, seeing(kind))}`,
];

// The largest distance at which a key is seen: of n positions the last is the query's own
export const reach = ({ chunk, window }, query) =>
  chunk ? query % chunk : window ? Math.min(query, window - 1) : query;

// Up to which distance each pair or head tells, or where each bucket begins
export const marks = ({ scheme, values }) =>
  values.map((value) => (scheme === "rotary" ? Math.PI / value : scheme === "alibi" ? FAINT / value : value));

// Whether layers of a kind can tell the distance by themselves, and why in words: "tells", "roughly",
// "seen" but not told, "unseen", or "apart" where there are no scores
export function verdict(kind, query, key) {
  const distance = query - key,
    { scheme } = kind;
  if (scheme === "recurrent") return ["apart", "compares no two tokens: hands on a state"];
  if (distance > reach(kind, query))
    return ["unseen", kind.chunk ? "does not see it: another chunk" : "does not see it"];
  if (scheme === "none") return ["seen", "sees it; no positions of its own"];
  if (scheme === "learned") return ["seen", "sees it; positions are in the input"];
  const found = marks(kind);
  if (scheme === "t5") {
    const bucket = found.filter((first) => first <= distance).length;
    if (bucket === found.length) return ["seen", `sees it: ${grouped(found.at(-1))} and more are one bucket`];
    const first = found[bucket - 1],
      last = found[bucket] - 1;
    return first === last
      ? ["tells", "tells it: a bucket of its own"]
      : ["roughly", `roughly: ${grouped(first)} to ${grouped(last)} are one bucket`];
  }
  const n = found.filter((mark) => mark >= distance).length,
    of = `${found.length} ${scheme === "rotary" ? "pairs" : "heads"}`;
  return n ? ["tells", `tells it: ${n} of ${of}`] : ["seen", `sees it; none of ${of} tells it alone`];
}

// How many layers there are of each verdict
export function count({ order, kinds }, query, key) {
  const counted = { tells: 0, roughly: 0, seen: 0, unseen: 0, apart: 0 };
  for (const name of order) counted[verdict(kinds[name], query, key)[0]] += 1;
  return counted;
}

// Through how many layers, one after another, a word so far back is handed on: 1 if one sees it
export const steps = ({ kinds }, query, key) =>
  Math.ceil((query - key) / Math.max(...Object.values(kinds).map((kind) => reach(kind, query))));

// Positions that a model of this length has, the nearest to those wanted
export function inside(query, key, length) {
  const t = clamp(Math.round(query) || 1, 1, length - 1);
  return { query: t, key: clamp(Math.round(key) || 0, 0, t - 1) };
}

// On the way from one model to another, query and key may not yet fit
const now = ({ model, query, key }) => ({ ...ABOUT.models[model], ...inside(query, key, ABOUT.models[model].length) });
const put = (s, query, key) => ({ ...s, ...inside(query, key, ABOUT.models[s.model].length) });
const apart = (s, distance) => {
  const { query } = now(s);
  return put(s, query, query - clamp(Math.round(distance), 1, query));
};

// Another model: as far from each other, if they fit
export function other(s, model) {
  const { query, key } = now(s),
    { length } = ABOUT.models[model],
    t = Math.min(query, length - 1);
  return { ...s, model, ...inside(t, t - (query - key), length) };
}

// Distances in tenths of a decade; as shares of the axis, and back
const tenths = (distance) => 10 * Math.log10(distance);
const along = (distance) => Math.log10(clamp(distance, 1, FURTHEST)) / DECADES;
const back = (share) => FURTHEST ** clamp(share, 0, 1);

// Where things stand: columns of layers on the left, on the right a band for each kind
function layout({ kinds }, { w, h: high }) {
  const names = Object.keys(kinds),
    left = COLUMN * names.length + 24,
    floor = high - FOOT,
    tall = floor / names.length,
    across = w - 14 - left;
  return {
    names,
    left,
    floor,
    across,
    x: (distance) => left + along(distance) * across,
    bands: names.map((_, n) => ({ y: n * tall, bar: n * tall + 20, thick: tall - 44, end: (n + 1) * tall })),
  };
}

// Each layer, from below, in the column of its kind: filled if it tells, hollow if it only sees, else pale
function stack({ order }, { names, floor }, verdicts) {
  const step = floor / order.length,
    height = Math.max(0.72 * step, step - 3);
  return [...order].map((name, n) => {
    const found = verdicts[name][0],
      part = { seen: 0, roughly: 0.5 }[found] ?? 1,
      place = { x: COLUMN * names.indexOf(name) + 3, y: floor - (n + 1) * step + (step - height) / 2, height };
    const tells = ["tells", "roughly"].includes(found);
    return [
      part ? h("rect", { class: tells ? "f-ink" : "f-grid", ...place, width: part * (COLUMN - 4) }) : [],
      part < 1 ? h("rect", { class: "l-ink thin", ...place, width: COLUMN - 4 }) : [],
    ];
  });
}

// A kind of layers: how far it sees, a tick for each pair, head or bucket, and what becomes of this distance
function band(name, kind, layers, [found, words], s, at, { y, bar, thick, end }) {
  const distance = s.query - s.key,
    far = reach(kind, s.query),
    told = ["tells", "roughly"].includes(found),
    fitting = (label) => wide(label) < at.across - 10;
  const begun = kind.scheme === "t5" ? marks(kind).filter((first) => first <= distance) : [],
    next = Math.min(marks(kind)[begun.length] ?? far, far);
  const ticks = (on, c, inset) => {
    const some = marks(kind).filter((mark) => (found === "tells" && mark >= distance) === on),
      ends = [bar + inset, bar + thick - inset];
    const each = some.map((mark) => through(ends.map((y) => [at.x(mark), y])));
    return each.length ? h("path", { class: c, d: each.join("") }) : [];
  };
  return [
    found !== "apart" && far
      ? h("rect", {
          class: kind.scheme === "none" ? "l-muted thin dash" : "l-muted thin",
          x: at.left,
          y: bar,
          width: Math.max(at.x(far) - at.left, 2),
          height: thick,
        })
      : [],
    begun.length
      ? h("rect", {
          class: "f-grid",
          x: at.x(begun.at(-1)),
          y: bar + 1,
          width: Math.max(at.x(next) - at.x(begun.at(-1)), 2),
          height: thick - 2,
        })
      : [],
    ticks(false, "l-muted thin", 0.3 * thick),
    ticks(true, "l-ink", 1),
    text(at.left, y + 14, "mono bold f-ink halo", name),
    text(at.left + 14, y + 14, "mono f-ink halo", labels(kind, layers).find(fitting) ?? labels(kind, layers)[2]),
    text(at.left, end - 10, `mono halo f-ink ${told ? "bold" : ""}`, words),
    told ? h("circle", { class: "f-purple knob", cx: at.x(distance), cy: bar + thick / 2, r: 5 }) : [],
  ];
}

/** @type {(s: any) => Record<string, any>} */
const judged = ({ kinds, query, key }) =>
  Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, verdict(kind, query, key)]));
const layersOf = (name, { order }) => [...order].filter((one) => one === name).length;

export const scene = {
  kind: "stack of layers",
  label:
    "On the left each layer of the model, from below, in the column of its kind. On the right a bar for each kind, as " +
    "long as it sees, with a tick where each pair has made half a turn. The left and right arrow keys move the key " +
    "nearer and farther, up and down by one.",
  controls: [
    {
      name: "distance",
      label: "distance",
      min: 0,
      max: (s) => tenths(now(s).query),
      value: (n) => Math.round(10 ** (n / 10)),
      step: tenths,
      get: (s) => now(s).query - now(s).key,
      set: apart,
      text: grouped,
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
      label: "model",
      options: Object.keys(ABOUT.models).map((model) => [model, model]),
      menu: true,
      get: ({ model }) => model,
      set: other,
    },
    {
      name: "query",
      label: "query at",
      min: 1,
      max: (s) => Math.floor(tenths(now(s).length - 1)),
      value: (n) => Math.round(10 ** (n / 10)),
      step: tenths,
      set: (s, query) => put(s, query, query - (now(s).query - now(s).key)),
      text: grouped,
    },
  ],
  height: (w) => (w < 500 ? 214 : 256),
  draw(state, size) {
    const s = now(state),
      at = layout(s, size),
      verdicts = judged(s),
      x = at.x(s.query - s.key);
    const tick = Object.values(s.kinds)
      .map(({ scheme }) => TICK[scheme])
      .find(Boolean);
    return h(
      "g",
      {},
      stack(s, at, verdicts),
      at.names.map((name, n) => text(COLUMN * (n + 0.5) + 1, at.floor + 17, "mono mid bold f-ink", name)),
      AXIS.map(([distance, label]) => [
        line(at.x(distance), 0, at.x(distance), at.floor + 4, "l-grid thin"),
        text(at.x(distance), at.floor + 17, "mono mid f-muted", label),
      ]),
      text(
        (at.left + size.w) / 2,
        size.h - 5,
        "mono mid f-muted",
        tick ? `positions back · tick: ${tick}` : "positions back",
      ),
      line(x, 0, x, at.floor + 4, "l-purple bar"),
      at.names.map((name, n) => band(name, s.kinds[name], layersOf(name, s), verdicts[name], s, at, at.bands[n])),
    );
  },
  alt(state) {
    const s = now(state),
      verdicts = judged(s);
    const each = (name) => `${name}, ${many(layersOf(name, s))} (${said(s.kinds[name])}): ${verdicts[name][1]}`;
    return `${state.model}, a key ${grouped(s.query - s.key)} positions back. ${Object.keys(s.kinds).map(each).join("; ")}.`;
  },
  reading(state) {
    const s = now(state),
      { tells, roughly, seen, unseen, apart: none } = count(s, s.query, s.key),
      all = s.order.length;
    const first =
      tells === all
        ? `all ${all} layers can tell it by themselves.`
        : tells
          ? `${tells} of ${all} layers can tell it by themselves.`
          : roughly
            ? "no layer can tell it exactly."
            : "no layer can tell it by itself.";
    const rest = listed(
      roughly && `${roughly} roughly`,
      seen && `${seen} only see it`,
      unseen && `${unseen} do not see it`,
      none && `${none} compare no two words`,
    );
    const handed = unseen === all ? ` Handed on from layer to layer, it takes ${steps(s, s.query, s.key)}.` : "";
    return `**${grouped(s.query - s.key)} back: ${first}** ${rest && `${rest}.`}${handed}`;
  },
  down: (s) => ({ ...s, hold: true }),
  move(s, size, p) {
    const at = layout(now(s), size);
    return apart(s, back((p.x - at.left) / at.across));
  },
  up: (s) => ({ ...s, hold: undefined }),
  // left and right by a tenth of a decade and one at least, a page by ten of them, up and down by one
  key(s, { right, up, end, page = 0 }) {
    const { query, key } = now(s),
      distance = query - key;
    if (end) return apart(s, end > 0 ? query : 1);
    const tens = right + 10 * page,
      far = Math.round(distance * 10 ** (tens / 10));
    return apart(s, up + (tens > 0 ? Math.max(far, distance + 1) : tens ? Math.min(far, distance - 1) : distance));
  },
  parts: {
    stack: (s, size) => ({ x: 0, y: 0, w: layout(now(s), size).left - 20, h: size.h - FOOT }),
    bands(s, size) {
      const { left } = layout(now(s), size);
      return { x: left - 6, y: 0, w: size.w - left + 4, h: size.h - FOOT };
    },
    last(s, size) {
      const { left, bands } = layout(now(s), size),
        { y, end } = bands.at(-1);
      return { x: left - 6, y, w: size.w - left + 4, h: end - y };
    },
  },
};

export const done = {
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
};

const fits = ({ model, query, key }) => key < query && query < ABOUT.models[model].length;

export default stage(ABOUT, drawn(ABOUT, scene), { done, fits });
