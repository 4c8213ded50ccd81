// What ALiBi and T5 add to the scores by distance, and the attention it leaves for equal words.
import { softmax } from "./maths.mjs";
import { dot, line, redrawOn } from "./draw.mjs";
import { checkbox, choice, decimals, element, fill, significant, slider } from "./controls.mjs";

const TRAITS = ["scheme", "heads", "head", "buckets", "max_distance", "causal", "offset"];
const REACH = 150, COST = 0.1, HEADS = 16; // as in biases.py
const KEYS = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

// The slope of each head: a geometric sequence for a power of two; others take every second slope of
// twice the power of two below
export function slopes(heads) {
  const power = 2 ** Math.floor(Math.log2(heads)), of = (h, all) => 2 ** ((-8 * h) / all);
  return Array.from({ length: heads }, (_, h) => (h < power ? of(h + 1, power) : of(2 * (h - power) + 1, 2 * power)));
}

// The first distance of each bucket of one side, bucket 0 apart: 1, 2, …, and from half of them on
// the least d with d^wide ≥ exact^(wide − j) · most^j, in whole numbers
export function borders(count, most) {
  const exact = Math.floor(count / 2), wide = count - exact, [e, top] = [BigInt(exact), BigInt(most)];
  const reached = (d, j) => BigInt(d) ** BigInt(wide) >= e ** BigInt(wide - j) * top ** BigInt(j);
  return Array.from({ length: count - 1 }, (_, n) => {
    const j = n + 1 - exact;
    if (j < 1) return n + 1;
    const d = Math.round(exact ** (1 - j / wide) * most ** (j / wide));
    return reached(d, j) ? d : d + 1;
  });
}

// The bucket of an offset: without `causal` positive ones have a half of their own
export function bucket(offset, count, causal, firsts) {
  const distance = causal ? Math.max(0, -offset) : Math.abs(offset);
  const reached = firsts.filter((first) => distance >= first).length;
  return reached + (!causal && offset > 0 ? count / 2 : 0);
}

export const offsets = (causal) => Array.from({ length: (causal ? 1 : 2) * REACH + 1 }, (_, k) => k - REACH);

// What is added to the score at each offset
export function biases({ scheme, heads, head, buckets, max_distance, causal }) {
  if (scheme === "alibi") {
    const slope = slopes(heads)[head - 1];
    return offsets(causal).map((k) => -slope * Math.abs(k));
  }
  const side = causal ? buckets : buckets / 2, firsts = borders(side, max_distance);
  return offsets(causal).map((k) => -COST * (bucket(k, buckets, causal, firsts) % side));
}

export const weights = (state) => softmax(biases(state));

function render({ model, el }) {
  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
  const set = (name, value) => { model.set(name, value); model.save_changes(); };
  const most = () => (model.get("causal") ? 0 : REACH);
  const put = (offset) => set("offset", clamp(offset, -REACH, most()));
  const sliders = {
    alibi: [slider(model, { name: "heads", label: "heads", min: 1, max: () => HEADS }),
            slider(model, { name: "head", label: "in front", min: 1, max: () => model.get("heads"), text: (h) => `head ${h}` })],
    t5: [slider(model, { name: "buckets", label: "buckets", min: 2, max: () => 32, value: (s) => 2 * s, step: (n) => n / 2 }),
         slider(model, { name: "max_distance", label: "largest", min: 5, max: () => 64, value: (s) => 8 * s, step: (d) => d / 8,
                         text: (d) => `${d} away` })],
  };
  const parts = [
    ...sliders.alibi, ...sliders.t5,
    choice("bias of", [["alibi", "ALiBi"], ["t5", "T5"]], () => model.get("scheme"), (name) => set("scheme", name)),
    checkbox("causal mask", () => model.get("causal"), (on) => set("causal", on)),
  ];
  const canvas = element("canvas", {
    class: "ex-canvas ex-biases", tabindex: 0, role: "application", "aria-roledescription": "two curves",
    "aria-label": "The bias against the offset, and below it the attention that it leaves. Left and right arrow "
      + "choose a key, Page Up and Page Down go by ten, Home and End to the ends.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-controls" }, ...parts.slice(0, 4).map((s) => s.row)),
    element("div", { class: "ex-choices" }, parts[4].row, parts[5].row), canvas, reading);

  let plot = { x: 0, w: 1 };

  function draw(context, { width, height }, colour) {
    const state = Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
    const { scheme, heads, head, buckets, causal } = state;
    if (head > heads) return set("head", heads);
    if (state.offset > most()) return put(state.offset);
    for (const part of parts) part.refresh();
    for (const [name, rows] of Object.entries(sliders)) for (const { row } of rows) row.hidden = name !== scheme;
    const keys = offsets(causal), bias = biases(state), share = softmax(bias);

    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";
    const label = (text, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };
    plot = { x: 44, w: width - 60 };
    const tall = (height - 96) / 2, upper = 28, lower = upper + tall + 34;
    const at = (k) => plot.x + ((k + REACH) / (2 * REACH)) * plot.w;

    // The bias: for ALiBi of all heads, the others thin. Far down it leaves the picture.
    const deepest = scheme === "alibi" ? 20 : Math.max(1, Math.ceil(-Math.min(...bias)));
    const down = (v) => upper + tall * Math.min(1, -v / deepest);
    for (const v of [0, deepest / 2, deepest]) {
      line(context, colour.grid, 1, [[plot.x, down(-v)], [plot.x + plot.w, down(-v)]]);
      label(decimals(-v, Number.isInteger(v) ? 0 : 1), plot.x - 8, down(-v), "right");
    }
    label(scheme === "alibi" ? "bias" : `bias (example: ${COST} off for each bucket)`, plot.x, 12, "left", colour.ink);
    if (scheme === "alibi")
      for (const slope of slopes(heads)) {
        const end = Math.min(REACH, deepest / slope);
        line(context, colour.muted, 0.7, [[at(-end), down(-slope * end)], [at(0), down(0)],
          ...(causal ? [] : [[at(end), down(-slope * end)]])]);
      }
    const inside = bias.map((v, n) => [at(keys[n]), down(v), v]).filter(([, , v]) => -v <= deepest);
    line(context, colour.blue, 2, inside);

    // The attention it leaves
    const highest = Math.max(...share), up = (w) => lower + tall * (1 - w / highest);
    label("attention, all words scoring the same", plot.x, lower - 14, "left", colour.ink);
    label(highest.toFixed(highest < 0.1 ? 3 : 2), plot.x - 8, lower, "right");
    label("0", plot.x - 8, lower + tall, "right");
    line(context, colour.grid, 1, [[plot.x, lower + tall], [plot.x + plot.w, lower + tall]]);
    const wide = Math.max(1, (0.8 * plot.w) / (2 * REACH));
    context.fillStyle = colour.blue;
    share.forEach((w, n) => context.fillRect(at(keys[n]) - wide / 2, up(w), wide, lower + tall - up(w)));
    for (const k of [-150, -100, -50, 0, 50, 100, 150]) label(decimals(k, 0), at(k), lower + tall + 12, "center");
    label("offset: key minus query", plot.x + plot.w, lower + tall + 28, "right");
    if (causal) label("hidden by the mask", at(REACH / 2), upper + tall / 4, "center");

    const n = state.offset + REACH;
    line(context, colour.orange, 1, [[at(state.offset), upper], [at(state.offset), lower + tall]], [4, 3]);
    if (-bias[n] <= deepest) dot(context, colour, at(state.offset), down(bias[n]));
    dot(context, colour, at(state.offset), up(share[n]));
    tell(state, keys, bias[n], share);
  }

  function tell({ scheme, heads, head, buckets, max_distance, causal, offset }, keys, bias, share) {
    const side = causal ? buckets : buckets / 2, firsts = borders(side, max_distance);
    const found = (k) => bucket(k, buckets, causal, firsts), mine = found(offset);
    const same = keys.filter((k) => found(k) === mine);
    const away = (k) => (k === 0 ? "The query itself" : `The key ${Math.abs(k)} ${k < 0 ? "before" : "after"}`);
    const weight = share[offset + REACH], near = keys.reduce((sum, k, n) => sum + (Math.abs(k) <= 10 ? share[n] : 0), 0);
    const slope = slopes(heads)[head - 1];
    const last = firsts.at(-1);
    reading.replaceChildren(
      element("p", {}, element("b", {}, scheme === "alibi" ? `Head ${head} of ${heads}: ` : `Bucket ${mine} of ${buckets}: `),
        scheme === "alibi" ? `slope ${significant(slope)}. `
          : `${same.length === 1 ? `offset ${decimals(offset, 0)} alone`
            : `offsets ${decimals(same[0], 0)} to ${decimals(same.at(-1), 0)}${[-REACH, REACH].includes(same[0]) || same.at(-1) === REACH ? " and beyond" : ""}`}. `
            + `The last bucket ${causal ? "" : "of a side "}begins at distance ${last}. `),
      element("p", {}, element("b", {}, `${away(offset)}: `), `bias ${decimals(bias, 2)}, attention ${weight < 1e-4 ? "below 0.0001" : weight.toFixed(4)}. `
        + `All keys at most 10 away together: ${near.toFixed(3)}.`));
  }

  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    put(model.get("offset") + KEYS[event.key]);
  });
  const point = (event) => {
    if (!event.buttons) return;
    const x = event.clientX - canvas.getBoundingClientRect().left - plot.x;
    put(Math.round((x / plot.w - 0.5) * 2 * REACH));
  };
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointermove", point);

  return redrawOn(model, TRAITS, el, canvas, draw);
}

export default { render };
