// Draws the layers of a real model, and shows which layers see a distant word and which can tell its distance.
import { decimals, groupDigits } from "../frame/controls.mjs";
import { clamp, range } from "../maths.mjs";
import { logarithmic } from "../scene/chart.mjs";
import { gesturesFor } from "../scene/hold.mjs";
import { part } from "../scene/reveal.mjs";
import { boxes, d, h, line, path, rect, text, textWidth } from "../scene/svg.mjs";
import models from "./layers.json" with { type: "json" };
// Maps a distance to the word of Alice in Wonderland that is this far from the book's last word, with three words on
// either side of this word. The book is in the public domain.
import passages from "./passages.json" with { type: "json" };

const FAINT = Math.log(1000), // the bias with which ALiBi leaves a thousandth of the weight
  BOOK = 26_546, // the number of words of Alice in Wonderland before its last word
  GAP = 9, // pixels between a word in its frame and the next one
  USUAL = 10_000; // the query's position after a choice of a model with a longer context
// Models in which a particular distance shows a limit: windows, chunks, and buckets
const PRESETS = {
  "Gemma 3 1B": { query: 10_000, key: 5_000 },
  "Llama 4 Scout": { query: 8_192, key: 8_191 },
  "T5 small": { query: 300, key: 220 },
};

// The parts of a label that are left out, one after another, until the label fits
const SPARED = [
  [/ layers?|, \S+ scaling/g, ""],
  [/: turned,/, ":"], // the base already implies it
  [/ base \S+,|, base \S+$/, ""],
];
const fitting = (says, room) =>
  SPARED.reduce((left, [part, by]) => (textWidth(left) < room ? left : left.replace(part, by)), says);

const many = (count) => `${count} ${count === 1 ? "layer" : "layers"}`;
const layersOf = (name, { order }) => [...order].filter((one) => one === name).length;

// Return a label that says what the layers of a kind do, and how many layers there are.
function label({ says, scaling, chunk, window, sides }, count) {
  const sees = chunk
    ? `chunks of ${groupDigits(chunk)}`
    : window && `sees ${sides === 1 ? groupDigits(window) : `±${groupDigits(window - 1)}`}`;
  return [`${many(count)}: ${says}`, scaling && `${scaling} scaling`, sees].filter(Boolean).join(", ");
}

// Return the largest distance at which a query sees a key. A window of n positions includes the query's own position.
export const reach = ({ chunk, window }, query) =>
  chunk ? query % chunk : window ? Math.min(query, window - 1) : query;

// Return the distances up to which each pair or head tells the distance, or at which each bucket begins.
export const marks = ({ scheme, values }) =>
  values.map((value) => (scheme === "rotary" ? Math.PI / value : scheme === "alibi" ? FAINT / value : value));

// Return whether layers of a kind can tell the distance by themselves, and an explanation.
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

// Return the number of layers with each verdict.
export function count({ order, kinds }, query, key) {
  const counted = { tells: 0, roughly: 0, seen: 0, unseen: 0, apart: 0 };
  for (const name of order) counted[verdict(kinds[name], query, key)[0]] += 1;
  return counted;
}

// Return how many layers it takes to pass a word on over this distance.
export const steps = ({ kinds }, query, key) =>
  Math.ceil((query - key) / Math.max(...Object.values(kinds).map((kind) => reach(kind, query))));

// Return the model and the positions. While the model changes, positions outside its limits are moved inside.
function now(s) {
  const about = models[s.model],
    query = clamp(s.query, 1, about.length - 1),
    key = clamp(s.key, 0, query - 1);
  return { ...s, ...about, names: Object.keys(about.kinds), query, key, distance: query - key };
}
function apart(s, distance) {
  const { query } = now(s);
  return { ...s, query, key: query - clamp(Math.round(distance), 1, query) };
}

// Return the state after the choice of a model.
function choose(s, model) {
  if (PRESETS[model]) return { ...s, model, ...PRESETS[model] };
  return apart({ ...s, model, query: Math.min(USUAL, models[model].length - 1) }, now(s).distance);
}

const tenths = (distance) => 10 * Math.log10(distance); // in tenths of a decade

// Return the layout: two lines of the text, a bar for each layer below them, then the axis, and a line for each kind.
// The query is at the right edge, and the text begins at the left edge, on a logarithmic scale.
function layout(s, { w, h: high }) {
  const { names, order, query } = now(s),
    [left, right, top] = [4, w - 4, 62],
    floor = high - 58 - 18 * names.length,
    step = (floor - top) / order.length,
    { at, of } = logarithmic([Math.max(query, 10), 1], [left, right]);
  return {
    ...{ left, right, top, floor, step, of },
    thick: Math.min(Math.max(0.74 * step, step - 3), 18),
    x: (distance) => at(clamp(distance, 1, Math.max(query, 10))),
    foot: (n) => floor + 52 + 18 * n,
  };
}

// Return the zones of a kind's bar as [verdict, from, to], in distances from the query.
function zones(kind, query) {
  const far = reach(kind, query),
    all = marks(kind);
  if (kind.scheme === "recurrent" || far < 1) return [];
  if (kind.scheme !== "t5") {
    const end = clamp(Math.max(0, ...all), 0, far);
    return [
      ["tells", 1, end],
      ["seen", end, far],
    ].filter(([, from, to]) => to > from);
  }
  const single = all.findIndex((first, n) => all[n + 1] !== first + 1), // the first bucket with several distances
    ends = [1, all[single], all.at(-1), far].map((end) => Math.min(end, far));
  return ["tells", "roughly", "seen"].map((name, n) => [name, ends[n], ends[n + 1]]);
}

const LOOKS = { tells: "f-ink", roughly: "f-muted", seen: "f-grid" };

// Draw the bars of a kind in all its layers, the first layer at the bottom. Bars that end before the key are paler.
function bars(name, s, { x, floor, step, thick, right }, [verdict]) {
  const kind = s.kinds[name],
    rows = [...s.order].flatMap((one, n) => (one === name ? [floor - (n + 0.5) * step - thick / 2] : [])),
    box = (from, to) =>
      rows.map((y) => d`M${x(to)} ${y}L${x(from)} ${y}L${x(from)} ${y + thick}L${x(to)} ${y + thick}Z`);
  if (kind.scheme === "recurrent") return path("l-grid dash", box(1, s.query));
  const pale = verdict === "unseen" ? { opacity: 0.35 } : {};
  const edges = kind.scheme === "t5" ? marks(kind).filter((first) => first > 1 && first < s.query) : [];
  const shades = zones(kind, s.query).map(([zone, from, to]) => path(LOOKS[zone], box(from, to))),
    cuts = edges.flatMap((first) => rows.map((y) => d`M${x(first)} ${y}L${x(first)} ${y + thick}`));
  return [
    h("g", pale, shades, cuts.length ? path("l-paper thin", cuts) : []),
    path(
      "l-purple bar",
      rows.map((y) => d`M${right + 2} ${y}L${right + 2} ${y + thick}`),
    ), // the query itself
  ];
}

// Return the passage around the key, and whether its middle word is the key itself.
// Passages are stored for some distances, so that for other distances the nearest of them is shown.
function passage(distance) {
  const stored = Object.keys(passages).map(Number),
    nearest = stored.reduce((best, one) => (Math.abs(one - distance) < Math.abs(best - distance) ? one : best));
  if (distance > BOOK) return [["", "… a book before Alice in Wonderland …", ""], false];
  return [passages[nearest], nearest === distance];
}

// Draw the two lines of text: the key above its line, with the words around it as far as they fit, and the words that
// end with the query.
function drawText(s, { x, left, right }) {
  const [[before, word, after], isKey] = passage(s.distance),
    wide = textWidth(word),
    start = clamp(x(s.distance) - wide / 2, left + 4, right - 4 - wide);
  const [again, last] = ["child-life, and the happy summer", "days."],
    end = right - textWidth(last) - 6;
  return [
    start - GAP - textWidth(before) > left ? text(start - GAP, 18, "mono end f-muted", before) : [],
    isKey ? rect(start - 4, 4, wide + 8, 20, "l-purple bar", { rx: 4 }) : [],
    text(start + wide / 2, 18, `mono mid ${isKey ? "bold f-ink" : "f-muted"}`, word),
    start + wide + GAP + textWidth(after) < right ? text(start + wide + GAP, 18, "mono f-muted", after) : [],
    text(end - GAP, 46, "mono end halo f-muted", again),
    rect(end - 2, 32, right - end + 4, 20, "f-purple", { rx: 4 }),
    text((end + right) / 2, 46, "mono mid bold f-paper", last),
  ];
}

// Draw the axis, which counts the words back from the query in powers of ten.
function axis({ x, top, floor, left, right }) {
  const powers = range(8, (n) => 10 ** n).filter((distance) => x(distance) > left + 24),
    shown = powers.filter((_, n) => powers.length < 5 || n % 2 === 0);
  return [
    shown.map((distance) => line(x(distance), top - 4, x(distance), floor + 4, "l-grid thin")),
    shown.map((distance) =>
      text(x(distance), floor + 17, "mono mid f-muted", distance < 1e6 ? groupDigits(distance) : "1 million"),
    ),
    text((left + right) / 2, floor + 33, "mono mid f-muted", "words back from the query"),
  ];
}

// Name the colours of the bars, with a sample of each.
function drawLegend(s, { left, foot }) {
  const hasBuckets = Object.values(s.kinds).some(({ scheme }) => scheme === "t5"),
    /** @type {Record<string, string>} */
    says = hasBuckets
      ? { tells: "tells it", roughly: "roughly", seen: "sees it" }
      : { tells: "tells the distance", seen: "sees the word" },
    y = foot(s.names.length);
  let x = left;
  return Object.keys(says).map((zone) => {
    const at = x;
    x += textWidth(says[zone]) + 22;
    return [rect(at, y - 9, 12, 9, LOOKS[zone]), text(at + 17, y, "mono f-muted", says[zone])];
  });
}

/** @type {(s: any) => Record<string, any>} */
const judgeKinds = ({ kinds, query, key }) =>
  Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, verdict(kind, query, key)]));

export const scene = () => ({
  kind: "stack of layers",
  shows:
    "The end of a text, with the query as its last word and the key before it. Below it a bar for each layer, the first " +
    "at the bottom, as long as the layer sees: in full colour where it can tell the distance, pale where it only sees the word.",
  moves: "The left and right arrow keys move the key farther and nearer, up and down by one.",
  reveals: true,
  controls: [
    {
      label: "distance",
      min: 0,
      max: (s) => tenths(now(s).query),
      value: (n) => Math.round(10 ** (n / 10)),
      step: tenths,
      get: (s) => now(s).distance,
      set: apart,
      text: (distance) => (distance < 1e6 ? groupDigits(distance) : `${decimals(distance / 1e6, 2)} M`),
      unit: "words back",
    },
    {
      name: "model",
      options: Object.keys(models).map((model) => [model, model]),
      menu: true,
      set: choose,
    },
  ],
  height: (w) => (w < 500 ? 324 : 370),
  draw(state, size) {
    const s = now(state),
      at = layout(s, size),
      verdicts = judgeKinds(s),
      x = at.x(s.distance);
    return [
      part(s, "layers", () => axis(at)),
      part(s, "layers", () => s.names.map((name) => bars(name, s, at, verdicts[name]))),
      part(s, ["text", "layers"], () => line(x, 24, x, at.floor + 4, "l-purple bar")),
      part(s, "text", () => drawText(s, at)),
      part(s, "layers", () =>
        s.names.map((name, n) => [
          text(at.left, at.foot(n), "mono bold f-ink", name),
          text(at.left + 16, at.foot(n), "mono f-ink", fitting(label(s.kinds[name], layersOf(name, s)), size.w - 24)),
        ]),
      ),
      part(s, "verdicts", () => drawLegend(s, at)),
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
  // Left and right move by a tenth of a decade, pages by a decade, and up and down by 1. Earlier words are on the left.
  key(s, { right, up, end, page = 0 }) {
    const { query, distance } = now(s),
      tens = -right + 10 * page,
      far = Math.round(distance * 10 ** (tens / 10));
    if (end) return apart(s, -end * query);
    return apart(s, up + (far === distance ? distance + Math.sign(tens) : far));
  },
  parts: boxes(layout, {
    text: ({ left, right }) => [left - 2, 2, right - left + 4, 52],
    layers: ({ left, right, top, foot }, _, s) => [left, top, right - left, foot(now(s).names.length) - 18 - top],
    verdicts: ({ left, right, foot }, _, s) => [left, foot(now(s).names.length) - 14, right - left, 18],
  }),
  done: {
    main: ({ model, query, key }) =>
      model === "gpt-oss 20B" && query - key === 127
        ? "Found: 127. A window of 128 holds the query itself and the 127 positions before it."
        : "",
    stack({ model, query, key }) {
      const { A } = models["Llama 4 Scout"].kinds;
      return model === "Llama 4 Scout" && query - key > reach(A, query)
        ? "Found: in another chunk no layer that turns sees the word. What is there comes in without positions."
        : "";
    },
    longer: ({ model, query, key }) =>
      model === "gpt-oss 20B" && query - key > 127
        ? "Found: 128 and more are for half of the layers. The other half meets no longer distance in any text."
        : "",
  },
  fits: ({ model, query }) => query < models[model].length,
});
