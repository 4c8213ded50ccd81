// What ALiBi and T5 add to the scores by distance, and the attention it leaves the words of a text.
/* global ABOUT */
import { borders, bucket, slopes } from "../distances.mjs";
import { clamp, softmax } from "../maths.mjs";
import { dot, line, redrawOn } from "../frame/draw.mjs";
import { bold, checkbox, choice, decimals, element, fill, significant, slider } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";

/**
 * @typedef {{ words: string[], scheme: string, heads: number, head: number, buckets: number, max_distance: number,
 *   causal: boolean, query: number, offset: number }} State
 */
const TRAITS = ["words", "scheme", "heads", "head", "buckets", "max_distance", "causal", "query", "offset"];
const REACH = 150,
  COST = 0.1,
  HEADS = 16; // as in biases.py
const KEYS = {
  ArrowLeft: ["query", -1],
  ArrowRight: ["query", 1],
  Home: ["query", -Infinity],
  End: ["query", Infinity],
  ArrowDown: ["offset", -1],
  ArrowUp: ["offset", 1],
  PageDown: ["offset", -10],
  PageUp: ["offset", 10],
};

// What is added to the score at each of these offsets
export function biases({ scheme, heads, head, buckets, max_distance, causal }, offsets) {
  if (scheme === "alibi") {
    const slope = slopes(heads)[head - 1];
    return offsets.map((k) => -slope * Math.abs(k));
  }
  const side = causal ? buckets : buckets / 2,
    firsts = borders(side, max_distance);
  return offsets.map((k) => -COST * (bucket(k, buckets, causal, firsts) % side));
}

// The weight that the query gives to each word of the text, if all score the same before the bias
export function weights(state) {
  const offsets = state.words.map((_, s) => s - state.query);
  return softmax(biases(state, offsets).map((bias, s) => (state.causal && offsets[s] > 0 ? -Infinity : bias)));
}

// How many words have nine tenths of the attention, the heaviest first
export function nine(weights) {
  let sum = 0;
  return 1 + [...weights].sort((a, b) => b - a).findIndex((w) => (sum += w) >= 0.9 - 1e-12);
}

// Words set in lines: the place of each, {x, y, w}, by their widths
export function lines(widths, space, width, tall) {
  let x = 0,
    y = 0;
  return widths.map((w) => {
    if (x > 0 && x + w > width) [x, y] = [0, y + tall];
    const placed = { x, y, w };
    x += w + space;
    return placed;
  });
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const last = () => model.get("words").length - 1,
    most = () => (model.get("causal") ? 0 : REACH);
  const put = (name, value) => set(name, name === "query" ? clamp(value, 0, last()) : clamp(value, -REACH, most()));
  const sliders = {
    alibi: [
      slider(model, {
        name: "head",
        label: "shown",
        min: 1,
        max: () => model.get("heads"),
        text: (n) => `head ${n}`,
      }),
      slider(model, { name: "heads", label: "heads", min: 1, max: () => HEADS }),
    ],
    t5: [
      slider(model, {
        name: "buckets",
        label: "buckets",
        min: 2,
        max: () => 32,
        value: (s) => 2 * s,
        step: (n) => n / 2,
      }),
      slider(model, {
        name: "max_distance",
        label: "largest",
        min: 5,
        max: () => 64,
        value: (s) => 8 * s,
        step: (d) => d / 8,
        text: (n) => `${n} away`,
      }),
    ],
    both: [
      slider(model, { name: "query", label: "query at", min: 0, max: last }),
      slider(model, { name: "offset", label: "key", min: -REACH, max: most, text: (k) => away(k) }),
    ],
  };
  const rows = Object.values(sliders).flat();
  const scheme = choice(
    "bias of",
    [
      ["alibi", "ALiBi"],
      ["t5", "T5"],
    ],
    () => model.get("scheme"),
    (name) => set("scheme", name),
  );
  const mask = checkbox(
    "causal mask",
    () => model.get("causal"),
    (on) => set("causal", on),
  );
  const canvas = element("canvas", {
    class: "ex-canvas ex-biases",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "text and curve",
    "aria-label":
      "A text in which each word is marked with the attention it gets from the query, and the bias against the " +
      "offset. Left and right arrow move the query, up and down choose a key, Page Up and Page Down by ten.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(
    el,
    canvas,
    reading,
    element("div", { class: "ex-choices" }, scheme.row, mask.row),
    element("div", { class: "ex-controls" }, ...rows.map((s) => s.row)),
  );

  let setting = "",
    places = [],
    plot = { x: 0, y: 0, w: 1, h: 1 },
    from = -REACH,
    to = 0;

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const state = /** @type {State} */ (Object.fromEntries(TRAITS.map((name) => [name, model.get(name)])));
    const { words, heads, head, causal, query, offset } = state;
    if (head > heads) return set("head", heads);
    if (offset > most()) return put("offset", offset);
    for (const part of [...rows, scheme, mask]) part.refresh();
    for (const name of ["alibi", "t5"]) for (const { row } of sliders[name]) row.hidden = name !== state.scheme;
    const share = weights(state),
      highest = Math.max(...share);

    // The text: a mark behind each word and a bar under it for its weight
    const [size, tall] = width < 500 ? [14, 28] : [16, 37];
    const type = (weight) => {
      context.font = `${weight} ${size}px ${colour.font}`;
    };
    type(400);
    if (setting !== (setting = [words, width, context.font].join()))
      places = lines(
        words.map((word) => context.measureText(word).width),
        0.62 * size,
        width - 8,
        tall,
      ).map(({ x, y, w }) => ({ x: x + 4, y: y + 4, w }));
    Object.assign(context, { textBaseline: "middle", textAlign: "left" });
    words.forEach((word, s) => {
      const { x, y, w } = places[s],
        hidden = causal && s > query,
        strong = share[s] / highest;
      if (!hidden) {
        Object.assign(context, { fillStyle: colour.blue, globalAlpha: 0.3 * strong });
        context.fillRect(x - 3, y, w + 6, size + 6);
        context.globalAlpha = 1;
        // words with one number have one bar: T5's stairs
        const next = share[s + 1] === share[s] && places[s + 1].y === y ? places[s + 1].x - 3 : x + w + 3;
        if (s !== query) context.fillRect(x - 3, y + size + 6, next - x + 3, (tall - size - 9) * strong);
      }
      if (s === query) {
        context.fillStyle = colour.blue;
        context.fillRect(x - 4, y - 2, w + 8, tall - 1);
      }
      context.fillStyle = s === query ? colour.paper : hidden ? colour.muted : colour.ink;
      context.fillText(word, x, y + (size + 6) / 2 + (s === query ? 2 : 0));
    });
    const key = places[query + offset];
    if (key && offset) {
      Object.assign(context, { strokeStyle: colour.orange, lineWidth: 2 });
      context.strokeRect(key.x - 4, key.y - 1, key.w + 8, size + 8);
    }

    // The bias against the offset; ALiBi's other heads thin. Far down it leaves the picture.
    const under = places.at(-1).y + tall + 30;
    [from, to] = [-REACH, causal ? 0 : REACH];
    const offsets = Array.from({ length: to - from + 1 }, (_, n) => from + n),
      bias = biases(state, offsets);
    plot = { x: 34, y: under, w: width - 46, h: height - under - 32 };
    context.font = `12px ${colour.font}`;
    const label = (says, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(says, x, y);
    };
    const deepest = state.scheme === "alibi" ? 20 : Math.max(1, Math.ceil(-Math.min(...bias)));
    const along = (k) => plot.x + ((k - from) / (to - from)) * plot.w,
      down = (v) => plot.y + plot.h * Math.min(1, -v / deepest);
    for (const v of [0, deepest]) {
      line(context, colour.grid, 1, [
        [plot.x, down(-v)],
        [plot.x + plot.w, down(-v)],
      ]);
      label(decimals(-v, 0), plot.x - 8, down(-v), "right");
    }
    for (const k of causal ? [-150, -100, -50, 0] : [-150, -75, 0, 75, 150])
      label(decimals(k, 0), along(k), plot.y + plot.h + 12, "center");
    label(
      state.scheme === "alibi" ? "bias of each head" : `bias, here ${COST} off a bucket`,
      plot.x,
      plot.y - 14,
      "left",
    );
    label("key minus query", plot.x + plot.w, plot.y + plot.h + 26, "right");
    const kept = (slope) => (causal ? [-1, 0] : [-1, 0, 1]).map((side) => side * Math.min(REACH, deepest / slope));
    if (state.scheme === "alibi")
      for (const slope of slopes(heads))
        line(
          context,
          colour.muted,
          0.7,
          kept(slope).map((k) => [along(k), down(-slope * Math.abs(k))]),
        );
    line(
      context,
      colour.blue,
      2.5,
      offsets.map((k, n) => [along(k), down(bias[n]), bias[n]]).filter(([, , v]) => -v <= deepest),
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
    if (-bias[offset - from] <= deepest) dot(context, colour, along(offset), down(bias[offset - from]));
    tell(state, share, bias[offset - from]);
  }

  const away = (k) => (k === 0 ? "itself" : k < 0 ? `${-k} before` : `${k} after`);

  function tell(state, share, bias) {
    const { words, heads, head, buckets, max_distance, causal, query, offset } = state,
      weight = share[query + offset];
    const near = share.reduce((sum, w, s) => sum + (Math.abs(s - query) <= 10 ? w : 0), 0);
    const what =
      state.scheme === "alibi"
        ? `**Head ${head} of ${heads}:** slope ${significant(slopes(heads)[head - 1])}.`
        : `**T5:** ${shared(buckets, max_distance, causal, offset)}`;
    const all = causal ? query + 1 : words.length,
      much = `0.9 of the attention is on ${nine(share)} of ${all} words, ${near.toFixed(3)} within 10.`;
    const attention = weight < 1e-4 ? "below 0.0001" : weight?.toFixed(4);
    const read =
      weight === undefined
        ? `**No word here, ${away(offset)}:** bias ${decimals(bias, 2)}.`
        : `**“${words[query + offset]}”, ${away(offset)}:** bias ${decimals(bias, 2)}, attention ${attention}.`;
    reading.replaceChildren(element("p", {}, ...bold(`${what} ${much} ${read}`)));
  }

  // Which offsets have the number of this one
  function shared(buckets, max_distance, causal, offset) {
    const firsts = borders(causal ? buckets : buckets / 2, max_distance),
      mine = bucket(offset, buckets, causal, firsts);
    const same = Array.from({ length: to - from + 1 }, (_, n) => from + n).filter(
      (k) => bucket(k, buckets, causal, firsts) === mine,
    );
    const beyond = [same[0], same.at(-1)].some((k) => Math.abs(k) === REACH);
    if (same.length === 1) return `offset ${decimals(offset, 0)} has bucket ${mine} to itself.`;
    const stretch = `${decimals(same[0], 0)} to ${decimals(same.at(-1), 0)}`;
    return `offsets ${stretch}${beyond ? " and beyond" : ""} share bucket ${mine} of ${buckets}.`;
  }

  canvas.addEventListener("keydown", (event) => {
    const [name, by] = KEYS[event.key] ?? [];
    if (!name) return;
    event.preventDefault();
    put(name, model.get(name) + by);
  });
  // In the text the query goes to the word under the finger, in the curve another key is read
  drag(canvas, {
    grab: ({ y }) => (y > plot.y - 8 ? "offset" : "query"),
    move(name, { x, y }) {
      if (name === "offset") return put(name, Math.round(from + ((x - plot.x) / plot.w) * (to - from)));
      const off = places.map((word) => Math.hypot(Math.max(word.x - x, 0, x - word.x - word.w), 9 * (y - word.y - 12)));
      put(name, off.indexOf(Math.min(...off)));
    },
  });

  const end = () => places.at(-1).y + 40;
  return {
    stop: redrawOn(model, TRAITS, el, canvas, draw),
    parts: {
      text: () => ({ x: 4, y: 4, w: canvas.clientWidth - 8, h: end() - 20 }),
      curve: () => ({ x: 4, y: plot.y - 6, w: canvas.clientWidth - 8, h: plot.h + 12 }),
    },
  };
}

export const done = {
  alibi(state) {
    const last = state.words.length - 1,
      part = nine(weights(state)) / (last + 1);
    return state.scheme === "alibi" && state.causal && state.query === last && part > 0.4 && part < 0.6
      ? `Found: head ${state.head} of ${state.heads}. ${nine(weights(state))} of ${last + 1} words have nine tenths of its attention.`
      : "";
  },
  t5: ({ scheme, causal, buckets, max_distance, offset }) =>
    scheme === "t5" && causal && buckets === 32 && max_distance === 128 && offset === -113
      ? "Found: 113, not 128. From here on all distances are one to it."
      : "",
};

const fits = ({ words, heads, head, query }) => head <= heads && query < words.length;

export default stage(ABOUT, scene, {
  done,
  fits,
  play: { trait: "query", unit: 350, high: ({ words }) => words.length - 1 },
});
