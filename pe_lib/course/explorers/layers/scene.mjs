// The layers of a real model, and which of them can tell how far apart two tokens are.
/* global ABOUT */
import { clamp } from "../maths.mjs";
import { dot, line, redrawOn } from "../frame/draw.mjs";
import { element, fill, grouped, menu, significant } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";

// What a head of ALiBi takes off when a thousandth of the weight is left; where the axis ends
const FAINT = Math.log(1000),
  FURTHEST = 10_000_000;
/** @type {[number, string][]} */
const TICKS = [
  [1, "1"],
  [100, "100"],
  [10_000, "10,000"],
  [1_000_000, "1 million"],
];
const TICK = { rotary: "half a turn of a pair", alibi: "a head takes off 6.9", t5: "a bucket begins" };
const COLUMN = 17,
  FOOT = 40; // pixels: a kind's column of layers, and what is below them
const KEYS = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }; // tenths of a decade

// How far a layer sees, if not all
export const seeing = ({ chunk, window, sides }) =>
  chunk
    ? `chunks of ${grouped(chunk)}`
    : !window
      ? ""
      : sides === 1
        ? `sees ${grouped(window)}`
        : `sees ±${grouped(window - 1)}`;

const listed = (...words) => words.filter(Boolean).join(", ");

// What so many layers of a kind do, in fewer words each time
export const labels = (kind, count) => {
  const what = listed(kind.says, kind.scaling && `${kind.scaling} scaling`, seeing(kind));
  return [
    `${count} ${count === 1 ? "layer" : "layers"}: ${what}`,
    `${count}: ${what}`,
    `${count}: ${listed(kind.says, seeing(kind))}`,
  ];
};

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
    all = found.length,
    pairs = scheme === "rotary";
  return n
    ? ["tells", `tells it: ${n} of ${all} ${pairs ? "pairs" : "heads"}`]
    : ["seen", `sees it; none of ${all} ${pairs ? "pairs" : "heads"} tells it alone`];
}

// How many layers there are of each verdict
export function count({ order, kinds }, query, key) {
  const counted = { tells: 0, roughly: 0, seen: 0, unseen: 0, apart: 0 };
  for (const name of order) counted[verdict(kinds[name], query, key)[0]] += 1;
  return counted;
}

// The same in words: what comes first, and the rest
export function summary({ tells, roughly, seen, unseen, apart }) {
  const all = tells + roughly + seen + unseen + apart;
  const rest = listed(
    roughly && `${roughly} roughly`,
    seen && `${seen} only see the key`,
    unseen && `${unseen} do not see it`,
    apart && `${apart} compare no two tokens`,
  );
  return [
    tells === all
      ? `all ${all} layers can tell it by themselves.`
      : tells
        ? `${tells} of ${all} layers can tell it by themselves.`
        : roughly
          ? "no layer can tell it exactly."
          : "no layer can tell it by itself.",
    rest && `${rest}.`,
  ];
}

const short = (x) => significant(Number(x.toPrecision(2)));

// What telling means for the schemes that the layers have, with a number of this distance
export function meaning({ kinds }, query, key) {
  const all = Object.entries(kinds),
    schemes = all.map(([, { scheme }]) => scheme),
    said = [];
  const of = (wanted, ...verdicts) =>
    all.filter(([, kind]) => kind.scheme === wanted && verdicts.includes(verdict(kind, query, key)[0]));
  const quickest = of("rotary", "tells").map(([name, { values }]) => [
    name,
    short(Math.max(...values.filter((value) => value * (query - key) <= Math.PI))),
  ]);
  if (quickest.length) {
    const alike = new Set(quickest.map(([, value]) => value)).size === 1;
    const each = alike ? quickest[0][1] : quickest.map(([name, value]) => `${value} (${name})`).join(", ");
    const radians = `${each} ${Number(each) === 1 ? "radian" : "radians"}`;
    said.push(`A pair tells a distance up to half a turn. The quickest that does turns ${radians} a position.`);
  }
  for (const [, { values }] of of("alibi", "tells", "seen")) {
    const [least, most] = [values.at(-1), values[0]].map((value) => short(value * (query - key)));
    said.push(`Heads take off ${least} to ${most}. One tells up to 6.9, which leaves a thousandth of the weight.`);
  }
  if (schemes.includes("t5")) said.push("In each head a bucket has one learned number.");
  if (schemes.includes("none"))
    said.push(
      schemes.includes("recurrent")
        ? "Without positions, order comes from mask and states."
        : "Without positions, order comes from mask and other layers.",
    );
  if (schemes.includes("learned"))
    said.push("Each token had the row of its position added. What a score makes of two rows is learned.");
  return said;
}

// The axis: distances to [0, 1] and back
export const along = (distance) => Math.log10(distance) / Math.log10(FURTHEST);
export const back = (share) => Math.round(FURTHEST ** clamp(share, 0, 1));

// Positions that a model of this length has, the nearest to those wanted
export function inside(query, key, length) {
  const t = clamp(Math.round(query) || 1, 1, length - 1);
  return { query: t, key: clamp(Math.round(key) || 0, 0, t - 1) };
}

// A query and its key in a model of this length: as far from each other, if they fit
export function moved({ query, key }, length) {
  const t = Math.min(query, length - 1);
  return inside(t, t - (query - key), length);
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const { models } = ABOUT,
    chosen = () => models[model.get("model")];
  const state = () => inside(model.get("query"), model.get("key"), chosen().length); // on the way from one to another, too
  const put = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  };
  const set = (query, key) => put(inside(query, key, chosen().length));
  const apart = (distance) => {
    const { query } = state();
    set(query, query - clamp(distance, 1, query));
  };

  // a shorter model shows less than what was asked for; the next one has it again
  let asked = state(),
    shown = asked;
  const which = menu(
    "model",
    Object.keys(models).map((name) => [name, name]),
    () => model.get("model"),
    (name) => {
      const now = state();
      if (now.query !== shown.query || now.key !== shown.key) asked = now;
      put({ model: name, ...(shown = moved(asked, models[name].length)) });
    },
  );
  const field = (name, label, change) => {
    const input = element("input", { type: "number", min: 0, step: 1, inputmode: "numeric", name });
    input.addEventListener("change", () => {
      change(Number(input.value));
      refresh();
    });
    const refresh = () => {
      const { [name]: at } = state();
      if (input.value !== String(at)) input.value = at;
    };
    return { row: element("label", {}, label, input), refresh };
  };
  const fields = [
    field("query", "query at", (at) => set(at, state().key)),
    field("key", "key at", (at) => set(state().query, at)),
  ];
  const canvas = element("canvas", {
    class: "ex-canvas ex-layers",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "stack of layers",
    "aria-label":
      "On the left each layer of the model, from below, in the column of its kind. On the right a bar for each kind, as long as it " +
      "sees, with a tick where each pair has made half a turn. The left and right arrow keys move the key nearer and farther, up and down by one.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-asks" }, which.row, ...fields.map(({ row }) => row)), canvas, reading);

  let size = { width: 640, height: 280 },
    left = 60,
    bands = [];
  const x = (distance) => left + along(distance) * (size.width - 12 - left);

  /** @type {Draw} */
  function draw(context, now, colour) {
    size = now;
    for (const part of [which, ...fields]) part.refresh();
    const { order, kinds } = chosen(),
      names = Object.keys(kinds),
      { query, key } = state(),
      distance = query - key;
    const judged = Object.fromEntries(names.map((name) => [name, verdict(kinds[name], query, key)]));
    const floor = size.height - FOOT,
      tall = floor / names.length;
    left = COLUMN * names.length + 24;
    bands = names.map((_, n) => ({ x: left - 6, y: n * tall, w: size.width - left + 4, h: tall }));
    context.textBaseline = "middle";
    /** @type {(text: string, at: number, y: number, how?: Values) => void} */
    const write = (text, at, y, { align = "left", bold = false, ink = colour.ink, most } = {}) => {
      Object.assign(context, {
        font: `${bold ? "600 " : ""}12px ${colour.font}`,
        textAlign: align,
        fillStyle: ink,
        strokeStyle: colour.paper,
        lineWidth: 4,
        lineJoin: "round",
      });
      context.strokeText(text, at, y, most); // on paper, whatever lies below
      context.fillText(text, at, y, most);
    };

    // each layer, from below, in the column of its kind
    const step = floor / order.length,
      high = Math.max(0.72 * step, step - 3);
    [...order].forEach((name, n) => {
      const at = COLUMN * names.indexOf(name) + 3,
        y = floor - (n + 1) * step + (step - high) / 2,
        found = judged[name][0];
      const part = { seen: 0, roughly: 0.5 }[found] ?? 1; // of it filled; the rest is a frame
      context.fillStyle = ["tells", "roughly"].includes(found) ? colour.blue : colour.grid;
      if (part) context.fillRect(at, y, part * (COLUMN - 4), high);
      Object.assign(context, { strokeStyle: colour.blue, lineWidth: 1 });
      if (part < 1) context.strokeRect(at + 0.5, y + 0.5, COLUMN - 5, Math.max(high - 1, 1));
    });
    names.forEach((name, n) => write(name, COLUMN * (n + 0.5) + 1, floor + 13, { align: "center", bold: true }));

    for (const [at, label] of TICKS) {
      line(context, colour.grid, 1, [
        [x(at), 0],
        [x(at), floor + 4],
      ]);
      write(label, x(at), floor + 13, { align: "center", ink: colour.muted });
    }
    const tick = Object.values(kinds)
      .map(({ scheme }) => TICK[scheme])
      .find(Boolean);
    const axis = tick ? `positions back · tick: ${tick}` : "positions back";
    write(axis, (left + size.width) / 2, size.height - 9, { align: "center", ink: colour.muted });
    line(context, colour.orange, 2, [
      [x(distance), 0],
      [x(distance), floor + 4],
    ]);

    names.forEach((name, n) => {
      const kind = kinds[name],
        [found, words] = judged[name],
        { y } = bands[n],
        bar = { y: y + 20, h: tall - 44 };
      const layers = [...order].filter((one) => one === name).length,
        end = Math.max(reach(kind, query), 1);
      if (found !== "apart" && reach(kind, query)) {
        Object.assign(context, { strokeStyle: colour.muted, lineWidth: 1 });
        context.setLineDash(kind.scheme === "none" ? [3, 3] : []);
        context.strokeRect(x(1), bar.y, Math.max(x(end) - x(1), 2), bar.h);
        context.setLineDash([]);
      }
      const same = kind.scheme === "t5" ? marks(kind).filter((first) => first <= distance) : [];
      if (same.length) {
        // the bucket of this distance
        const next = Math.min(marks(kind)[same.length] ?? end, end);
        context.fillStyle = colour.grid;
        context.fillRect(x(same.at(-1)), bar.y + 1, Math.max(x(next) - x(same.at(-1)), 2), bar.h - 2);
      }
      for (const mark of marks(kind)) {
        const on = found === "tells" && mark >= distance,
          at = x(clamp(mark, 1, FURTHEST));
        line(context, on ? colour.blue : colour.muted, on ? 1.5 : 0.7, [
          [at, bar.y + (on ? 1 : 0.3 * bar.h)],
          [at, bar.y + bar.h - (on ? 1 : 0.3 * bar.h)],
        ]);
      }
      write(name, left, y + 10, { bold: true });
      context.font = `12px ${colour.font}`;
      const most = size.width - left - 18,
        fitting = labels(kind, layers).find((label) => context.measureText(label).width <= most);
      write(fitting ?? labels(kind, layers).at(-1), left + 14, y + 10, { most });
      write(words, left, y + tall - 14, {
        bold: ["tells", "roughly"].includes(found),
        ink: ["tells", "roughly"].includes(found) ? colour.blue : colour.ink,
      });
    });

    names.forEach((name, n) => {
      if (["tells", "roughly"].includes(judged[name][0]))
        dot(context, colour, x(distance), bands[n].y + 20 + (tall - 44) / 2);
    });
    tell(query, key);
  }

  let told = "";
  function tell(query, key) {
    if (told === (told = [model.get("model"), query, key].join())) return;
    const [verdict, rest] = summary(count(chosen(), query, key));
    reading.replaceChildren(
      element("p", {}, element("b", {}, `${grouped(query - key)} back: ${verdict} `), rest),
      element("p", {}, meaning(chosen(), query, key).join(" ")),
    );
  }

  canvas.addEventListener("keydown", (event) => {
    const { query, key } = state(),
      distance = query - key;
    const wanted =
      { Home: 1, End: query, ArrowUp: distance + 1, ArrowDown: distance - 1 }[event.key] ??
      (event.key in KEYS ? further(distance, KEYS[event.key]) : undefined);
    if (wanted === undefined) return;
    event.preventDefault();
    apart(wanted);
  });
  drag(canvas, { grab: () => true, move: (_, point) => apart(back((point.x - left) / (size.width - 12 - left))) });
  return {
    stop: redrawOn(model, ["model", "query", "key"], el, canvas, draw),
    parts: {
      bands: () => ({ x: left - 6, y: 0, w: size.width - left + 4, h: size.height - FOOT }),
      last: () => bands.at(-1),
    },
  };
}

// So many tenths of a decade farther, and by one at least
export function further(distance, tenths) {
  const wanted = Math.round(distance * 10 ** (tenths / 10));
  return tenths > 0 ? Math.max(wanted, distance + 1) : Math.min(wanted, distance - 1);
}

export const done = {
  main: ({ model, query, key }) =>
    model === "gpt-oss 20B" && query - key === 127
      ? "Found: 127. A window of 128 holds the query itself and the 127 positions before it."
      : "",
};

const fits = ({ model, query, key }) => key < query && query < ABOUT.models[model].length;

export default stage(ABOUT, scene, { done, fits });
