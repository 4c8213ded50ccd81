// A query and a key, turned by their positions: the score knows how far apart they are, no more.
import { frequency, scrambled } from "./maths.mjs";
import { clock, dot, line, redrawOn } from "./draw.mjs";
import { choice, decimals, element, fill, grouped, slider } from "./controls.mjs";
import { wind } from "./drag.mjs";

const TRAITS = ["query", "key", "shift", "vectors"];
const WIDTH = 64, REACH = 250, FURTHEST = 5000, PEAK = 40, BASE = 10_000; // as in rotary.py
const SPEEDS = Array.from({ length: WIDTH / 2 }, (_, i) => frequency(i, WIDTH, BASE));
const KEYS = { ArrowLeft: ["key", 1], ArrowRight: ["key", -1], ArrowDown: ["shift", -1], ArrowUp: ["shift", 1],
               PageDown: ["shift", -100], PageUp: ["shift", 100] };

// Pair i, entries 2i and 2i + 1, turned counter-clockwise by its frequency times the position
export function rotate(vector, position) {
  const out = new Float64Array(WIDTH);
  for (let i = 0; i < WIDTH / 2; i++) {
    const c = Math.cos(SPEEDS[i] * position), s = Math.sin(SPEEDS[i] * position);
    const x = vector[2 * i], y = vector[2 * i + 1];
    out[2 * i] = c * x - s * y;
    out[2 * i + 1] = s * x + c * y;
  }
  return out;
}

// The query and the key before they are turned, each of length 8
export function pair(vectors) {
  if (vectors === "ones") return [1, 1].map((one) => new Float64Array(WIDTH).fill(one));
  const numbers = scrambled(2 * WIDTH, 8);
  const [query, key] = [numbers.subarray(0, WIDTH), numbers.subarray(WIDTH)].map((vector) => {
    const length = Math.hypot(...vector);
    return vector.map((x) => (x * 8) / length);
  });
  return [query, vectors === "peak" ? rotate(query, PEAK) : key];
}

// What each pair adds to the score of two vectors that are turned already
export const parts = (query, key) =>
  SPEEDS.map((_, i) => query[2 * i] * key[2 * i] + query[2 * i + 1] * key[2 * i + 1]);

export const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);

// The score at the offsets −250 … 250, query minus key
export function curve(query, key) {
  return Array.from({ length: 2 * REACH + 1 }, (_, n) => total(parts(rotate(query, n - REACH), key)));
}

function render({ model, el }) {
  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
  const put = (name, value) => {
    model.set(name, clamp(value, 0, name === "shift" ? FURTHEST : REACH));
    model.save_changes();
  };
  const sliders = [
    slider(model, { name: "query", label: "query at", min: 0, max: () => REACH }),
    slider(model, { name: "key", label: "key at", min: 0, max: () => REACH }),
    slider(model, { name: "shift", label: "both on by", min: 0, max: () => FURTHEST, text: grouped }),
  ];
  const kinds = choice("query and key", [["ones", "all ones"], ["random", "random"], ["peak", `built for offset ${PEAK}`]],
    () => model.get("vectors"), (name) => { model.set("vectors", name); model.save_changes(); });
  const canvas = element("canvas", {
    class: "ex-canvas ex-rotary", tabindex: 0, role: "application", "aria-roledescription": "clocks and curve",
    "aria-label": "Four pairs of the query and the key as hands, and the score against the offset. Left and right "
      + "arrow move the key and so the offset, up and down move both, Page Up and Page Down by a hundred.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)), kinds.row, canvas, reading);

  let dials = [], plot = { x: 0, y: 0, w: 1 }, computed, unturned, scores;

  function draw(context, { width, height }, colour) {
    const [m, n, shift, vectors] = TRAITS.map((name) => model.get(name)), offset = m - n;
    for (const part of [...sliders, kinds]) part.refresh();
    if (computed !== vectors) {
      unturned = pair(computed = vectors);
      scores = curve(...unturned);
    }
    const query = rotate(unturned[0], m + shift), key = rotate(unturned[1], n + shift);
    const shares = parts(query, key);
    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";
    const label = (text, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };

    // Four pairs: the first entry to the right, the second up, so that they turn against the clock.
    // `clock` and `wind` count from straight up, clockwise.
    const r = Math.min(42, width / 8 - 10), angle = (vector, i) => Math.atan2(vector[2 * i], vector[2 * i + 1]);
    const shown = [0, 4, 8, 16];
    dials = shown.map((i, k) => ({ x: (width * (k + 0.5)) / 4, y: r + 8, r, frequency: -SPEEDS[i],
                                   start: angle(query, i) + SPEEDS[i] * shift }));
    dials.forEach((dial, k) => {
      const i = shown[k], there = angle(key, i);
      const tip = clock(context, colour, dial, angle(query, i));
      const far = [dial.x + r * Math.sin(there), dial.y - r * Math.cos(there)];
      line(context, colour.orange, 2.5, [[dial.x, dial.y], far], [4, 3]);
      dot(context, colour, ...tip);
      label(`pair ${i}`, dial.x, dial.y + r + 14, "center");
      label(`adds ${decimals(shares[i], 2)}`, dial.x, dial.y + r + 30, "center", colour.ink);
    });

    plot = { x: 44, y: 2 * r + 74, w: width - 56, h: height - 2 * r - 108 };
    const at = (k) => plot.x + ((k + REACH) / (2 * REACH)) * plot.w, up = (v) => plot.y + (plot.h * (70 - v)) / 102;
    for (const v of [-32, 0, 32, 64]) {
      line(context, colour.grid, 1, [[plot.x, up(v)], [plot.x + plot.w, up(v)]]);
      label(decimals(v, 0), plot.x - 8, up(v), "right");
    }
    for (const k of [-200, -100, 0, 100, 200]) label(decimals(k, 0), at(k), plot.y + plot.h + 12, "center");
    label("offset: query minus key", plot.x + plot.w, plot.y + plot.h + 27, "right");
    label("score", plot.x, plot.y - 8, "left");
    line(context, colour.blue, 2, scores.map((v, k) => [at(k - REACH), up(v)]));
    line(context, colour.orange, 1, [[at(offset), plot.y], [at(offset), plot.y + plot.h]], [4, 3]);
    dot(context, colour, at(offset), up(scores[offset + REACH]));
    tell(m + shift, n + shift, total(shares), offset);
  }

  function tell(m, n, score, offset) {
    const best = scores.indexOf(Math.max(...scores)), gap = Math.abs(score - scores[offset + REACH]);
    reading.replaceChildren(
      element("p", {}, element("b", {}, `Query at ${grouped(m)}, key at ${grouped(n)}: `), `score ${decimals(score)}. `,
        element("b", {}, gap < 1e-9 ? `Every two positions with the offset ${decimals(offset, 0)} score this.`
          : "Not the score of the curve.")),
      element("p", {}, `The largest score is ${decimals(scores[best], 1)}, at offset ${decimals(best - REACH, 0)}.`));
  }

  canvas.addEventListener("keydown", (event) => {
    const [name, by] = KEYS[event.key] ?? [];
    if (!name) return;
    event.preventDefault();
    put(name, model.get(name) + by);
  });
  // A hand takes the other one along: both positions move on.
  const winding = wind(canvas, () => dials, () => model.get("shift"), (wanted) => {
    put("shift", Math.round(wanted));
    return clamp(wanted, 0, FURTHEST);
  });
  // In the curve a finger or the mouse chooses the offset: the query moves, then the key.
  const point = (event) => {
    const box = canvas.getBoundingClientRect(), y = event.clientY - box.top;
    if (!event.buttons || winding() || y < plot.y - 10) return;
    const wanted = Math.round(((event.clientX - box.left - plot.x) / plot.w - 0.5) * 2 * REACH);
    const offset = clamp(wanted, -REACH, REACH), key = model.get("key");
    put("query", key + offset);
    put("key", model.get("query") - offset);
  };
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointermove", point);

  return redrawOn(model, TRAITS, el, canvas, draw);
}

export default { render };
