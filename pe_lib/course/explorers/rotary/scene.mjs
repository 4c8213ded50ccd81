// A query and a key, turned by their positions: the score knows how far apart they are, no more.
/* global ABOUT */
import { clamp, frequency, scrambled } from "../maths.mjs";
import { dot, line, redrawOn } from "../frame/draw.mjs";
import { choice, decimals, element, fill, slider } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";
import { hands, inside, place, taken, text, tile, tip, wound, wrapped } from "../turns.mjs";

const TRAITS = ["query", "key", "shift", "vectors"];
const WIDTH = 64,
  REACH = 250,
  FURTHEST = 5000,
  PEAK = 40,
  BASE = 10_000; // as in rotary.py
const SHEET = 4,
  BESIDE = [0, 8, 16]; // the pair that is drawn large, and those beside it
const SPEEDS = Array.from({ length: WIDTH / 2 }, (_, i) => frequency(i, WIDTH, BASE));
const MOST = { query: REACH, key: REACH, shift: FURTHEST };
const KEYS = {
  ArrowLeft: ["key", 1],
  ArrowRight: ["key", -1],
  ArrowDown: ["shift", -1],
  ArrowUp: ["shift", 1],
  PageDown: ["shift", -100],
  PageUp: ["shift", 100],
};

// Pair i, entries 2i and 2i + 1, turned by its frequency times the position
export function rotate(vector, position) {
  const out = new Float64Array(WIDTH);
  for (let i = 0; i < WIDTH / 2; i++) {
    const c = Math.cos(SPEEDS[i] * position),
      s = Math.sin(SPEEDS[i] * position);
    const x = vector[2 * i],
      y = vector[2 * i + 1];
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
export const shares = (query, key) =>
  SPEEDS.map((_, i) => query[2 * i] * key[2 * i] + query[2 * i + 1] * key[2 * i + 1]);

export const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);

// The score at the offsets −250 … 250, query minus key
export function curve(query, key) {
  return Array.from({ length: 2 * REACH + 1 }, (_, n) => total(shares(rotate(query, n - REACH), key)));
}

// Where things stand: the text above, then the sheet with the small clocks beside it, and the curve
export function layout(width, height) {
  const strip = { x: 8, w: width - 16, y: 34 },
    top = 92,
    phone = width < 600;
  const r = phone ? Math.min(84, width / 4.2) : (height - top - 12) / 2,
    beside = 2 * r + (phone ? 46 : 62);
  return {
    strip,
    sheet: { x: r + 10, y: top + r, r },
    small: { x: beside, y: top + (phone ? 44 : 56), step: phone ? r - 31 : r - 42, r: phone ? 17 : 28 },
    plot: phone
      ? { x: 34, y: top + 2 * r + 32, w: width - 46, h: height - top - 2 * r - 68 }
      : { x: beside + 170, y: top + 30, w: width - beside - 180, h: height - top - 70 },
  };
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const put = (name, value) => {
    model.set(name, clamp(value, 0, MOST[name]));
    model.save_changes();
  };
  const sliders = [
    slider(model, { name: "shift", label: "both on by", min: 0, max: () => FURTHEST, text: place }),
    slider(model, { name: "query", label: "query at", min: 0, max: () => REACH, text: place }),
    slider(model, { name: "key", label: "key at", min: 0, max: () => REACH, text: place }),
  ];
  const kinds = choice(
    "query and key",
    [
      ["ones", "all ones"],
      ["random", "random"],
      ["peak", "built for one offset"],
    ],
    () => model.get("vectors"),
    (name) => {
      model.set("vectors", name);
      model.save_changes();
    },
  );
  const canvas = element("canvas", {
    class: "ex-canvas ex-rotary",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "text, clocks and curve",
    "aria-label":
      "A text with a query and a key in it, both as hands on one clock and on three smaller ones, and the score " +
      "against the offset. Left and right arrow move the key, up and down both, Page Up and Page Down both by a hundred.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, canvas, reading, kinds.row, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)));

  let shown = layout(680, 360),
    dials = [],
    tiles = {},
    held,
    computed,
    unturned,
    scores;

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const [m, n, shift, vectors] = TRAITS.map((name) => model.get(name)),
      offset = m - n;
    for (const each of [...sliders, kinds]) each.refresh();
    if (computed !== vectors) {
      unturned = pair((computed = vectors));
      scores = curve(...unturned);
    }
    const query = rotate(unturned[0], m + shift),
      key = rotate(unturned[1], n + shift),
      parts = shares(query, key);
    shown = layout(width, height);
    context.textBaseline = "middle";
    const label = (says, x, y, align, style = colour.muted, font = "12px") => {
      Object.assign(context, { fillStyle: style, textAlign: align, font: `${font} ${colour.font}` });
      context.fillText(says, x, y);
    };

    // The text from position `shift` on. It keeps its scale while a word is held.
    const { strip } = shown;
    strip.gap = held?.gap ?? strip.w / (Math.max(14, 1.6 * Math.max(m, n)) + 2);
    strip.first = shift - 1;
    context.font = `12px ${colour.font}`;
    text(context, colour, strip);
    context.font = `600 13px ${colour.font}`;
    tiles = {
      query: tile(context, colour, strip, {
        t: m + shift,
        says: `query ${place(m + shift)}`,
        side: -1,
        ink: colour.blue,
      }),
      key: tile(context, colour, strip, {
        t: n + shift,
        says: `key ${place(n + shift)}`,
        side: 1,
        ink: colour.orange,
      }),
    };

    // The first entry up, the second to the right: from straight up, clockwise
    const angle = (vector, i) => Math.atan2(vector[2 * i + 1], vector[2 * i]);
    const { sheet, small, plot } = shown;
    dials = [
      { ...sheet, i: SHEET },
      ...BESIDE.map((i, k) => ({ x: small.x, y: small.y + k * small.step, r: small.r, i })),
    ];
    for (const dial of dials) {
      Object.assign(dial, { frequency: SPEEDS[dial.i], here: angle(query, dial.i), there: angle(key, dial.i) });
      hands(context, colour, dial, dial.here, dial.there);
      if (dial.i === SHEET) continue;
      label(`pair ${dial.i}`, dial.x + dial.r + 12, dial.y - 8, "left");
      label(`adds ${decimals(parts[dial.i], 2)}`, dial.x + dial.r + 12, dial.y + 9, "left", colour.ink);
    }
    const { here, there } = dials[0],
      by = wrapped(here - there);
    label(`large: pair ${SHEET}`, small.x - small.r, small.y - small.r - 22, "left");
    label(`adds ${decimals(parts[SHEET], 2)}`, small.x - small.r + 84, small.y - small.r - 22, "left", colour.ink);
    if (Math.abs(by) > 0.7)
      label(decimals(Math.abs(by), 2), ...tip({ ...sheet, r: 0.4 * sheet.r }, there + by / 2), "center", colour.ink);

    // The score against the offset
    const along = (k) => plot.x + ((k + REACH) / (2 * REACH)) * plot.w,
      up = (v) => plot.y + (plot.h * (70 - v)) / 102;
    for (const v of [-32, 0, 32, 64]) {
      line(context, colour.grid, 1, [
        [plot.x, up(v)],
        [plot.x + plot.w, up(v)],
      ]);
      label(decimals(v, 0), plot.x - 8, up(v), "right");
    }
    for (const k of plot.w < 260 ? [-200, 0, 200] : [-200, -100, 0, 100, 200])
      label(decimals(k, 0), along(k), plot.y + plot.h + 12, "center");
    label("query minus key", plot.x + plot.w, plot.y + plot.h + 27, "right");
    label(`score ${decimals(total(parts), 2)}`, plot.x, plot.y - 10, "left", colour.ink, "600 15px");
    line(
      context,
      colour.blue,
      1.5,
      scores.map((v, k) => [along(k - REACH), up(v)]),
    );
    line(
      context,
      colour.orange,
      1,
      [
        [along(offset), plot.y],
        [along(offset), plot.y + plot.h],
      ],
      [4, 3],
    );
    dot(context, colour, along(offset), up(total(parts)));
    tell(m + shift, n + shift, total(parts));
  }

  function tell(m, n, score) {
    const best = scores.indexOf(Math.max(...scores)),
      offset = m - n;
    reading.replaceChildren(
      element(
        "p",
        {},
        element("b", {}, `Query at ${place(m)}, key at ${place(n)}: score ${decimals(score)}.`),
        " ",
        Number.isInteger(offset) && Math.abs(score - scores[offset + REACH]) < 1e-9
          ? `Every two at offset ${decimals(offset, 0)} score this. `
          : "",
        `The largest score is ${decimals(scores[best], 1)}.`,
      ),
    );
  }

  canvas.addEventListener("keydown", (event) => {
    const [name, by] = KEYS[event.key] ?? [];
    if (!name) return;
    event.preventDefault();
    put(name, Math.round(model.get(name)) + by);
  });

  // A tile and its hand move their own word, the text and the rest of a clock move both
  drag(canvas, {
    grab(point) {
      const { strip } = shown,
        hand = taken(dials, point);
      const from = (name, more) => ({ name, value: model.get(name), gap: strip.gap, ...more });
      if (hand) held = from({ here: "query", there: "key", both: "shift" }[hand.hand], hand);
      else if (inside(tiles.query, point)) held = from("query", { x: point.x });
      else if (inside(tiles.key, point)) held = from("key", { x: point.x });
      else if (point.y < 90) held = from("shift", { x: point.x });
      else if (inside({ ...shown.plot, y: shown.plot.y - 20, h: shown.plot.h + 40 }, point)) held = { name: "offset" };
      return held;
    },
    move(it, point) {
      if (it.name === "offset") return choose(Math.round(((point.x - shown.plot.x) / shown.plot.w - 0.5) * 2 * REACH));
      if (it.dial) it.value += wound(it, point);
      else {
        it.value += ((it.name === "shift" ? -1 : 1) * (point.x - it.x)) / it.gap;
        it.x = point.x;
      }
      put(it.name, it.value);
    },
    drop({ name }) {
      held = undefined;
      if (name !== "offset") put(name, Math.round(model.get(name)));
      stop.again(); // the text takes the scale of the new places
    },
  });

  // Another offset: the query moves, then the key
  function choose(wanted) {
    const offset = clamp(wanted, -REACH, REACH),
      key = Math.round(model.get("key"));
    put("query", key + offset);
    put("key", model.get("query") - offset);
  }

  const box = ({ x, y, r }) => ({ x: x - r, y: y - r, w: 2 * r, h: 2 * r });
  const stop = redrawOn(model, TRAITS, el, canvas, draw);
  return {
    stop,
    parts: {
      words: () => ({ x: shown.strip.x, y: 0, w: shown.strip.w, h: 72 }),
      sheet: () => box(shown.sheet),
      small: () => ({
        x: shown.small.x - shown.small.r,
        y: shown.small.y - shown.small.r,
        w: 150,
        h: 2 * (shown.small.step + shown.small.r),
      }),
      curve: () => shown.plot,
    },
  };
}

export const done = {
  main: ({ vectors, query, key }) =>
    vectors === "ones" && query - key === -4 ? "Found: offset −4. All ones score the same before and after." : "",
  decay: ({ vectors, query, key }) =>
    vectors === "peak" && query - key === PEAK
      ? `Found: offset ${PEAK}. Every hand of the key lies on the query's, and the score is 64, the most there is.`
      : "",
};

export default stage(ABOUT, scene, { done, play: { trait: "shift", unit: 700 } });
