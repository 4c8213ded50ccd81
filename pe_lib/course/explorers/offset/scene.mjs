// Two positions at an offset, and their score: a function of the offset alone, or not.
/* global ABOUT */
import { baseFrom, decimals, WIDTH } from "../frame/controls.mjs";
import { clamp, frequency, scrambled } from "../maths.mjs";
import { axes, gestures, layout, row } from "../scene/apart.mjs";
import { curve, knob, linear } from "../scene/chart.mjs";
import { bounded, place, two } from "../scene/clocks.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, line, text } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";

const LIMITS = { position: [100, 400], offset: [-100, 100] }, // as in __init__.py
  REACH = 100,
  BACK = 20, // how far the rotation looks back
  OTHERS = [100, 150, 200, 250, 300, 350, 400]; // positions whose scores are drawn for comparison
const WITH = {
  nothing: "Nothing between",
  rotation: `Rotation by ${BACK} between`,
  random: "Random matrix between",
};

// Each pair's sine and cosine at a position, which may lie between two
const encode = (position, d, base) =>
  Array.from({ length: d / 2 }, (_, i) => position * frequency(i, d, base)).flatMap((a) => [Math.sin(a), Math.cos(a)]);

// PE(position)ᵀ W, kept for the positions of the last frames
const kept = new Map();
function query(...asked) {
  const of = asked.join();
  if (kept.size > 64) kept.clear();
  if (!kept.has(of)) kept.set(of, product(...asked));
  return kept.get(of);
}
let matrix;
function product(position, between, d, base) {
  if (between !== "random") return encode(between === "nothing" ? position : position - BACK, d, base); // PE(t)ᵀ M₂₀ = PE(t − 20)ᵀ
  if (matrix?.length !== d * d) matrix = scrambled(d * d);
  const out = Array(d).fill(0);
  encode(position, d, base).forEach((v, r) => {
    for (let c = 0; c < d; c++) out[c] += v * matrix[r * d + c];
  });
  return out;
}

// PE(position) · W · PE(position + offset) / (d/2)
export function score({ position, offset, between, d_model: d, base }) {
  const key = encode(position + offset, d, base);
  return query(position, between, d, base).reduce((sum, v, k) => sum + v * key[k], 0) / (d / 2);
}

// The same at the offsets −100 … 100. From one to the next each pair of the key turns by its frequency.
export function scores(position, between, d, base) {
  const asked = query(position, between, d, base),
    key = encode(position - REACH, d, base),
    found = new Float64Array(2 * REACH + 1);
  for (let k = 0; k < d; k += 2) {
    const s = Math.sin(frequency(k / 2, d, base)),
      c = Math.cos(frequency(k / 2, d, base));
    let [sin, cos] = [key[k], key[k + 1]];
    for (let n = 0; n < found.length; n++) {
      found[n] += (asked[k] * sin + asked[k + 1] * cos) / (d / 2);
      [sin, cos] = [sin * c + cos * s, cos * c - sin * s];
    }
  }
  return found;
}

// The curves of other positions, and the heights between which they lie
let others = { of: "", curves: [], low: 0, high: 1, unit: 1 };
function compared({ between, d_model, base }) {
  const of = [between, d_model, base].join();
  if (others.of === of) return others;
  const curves = OTHERS.map((t) => scores(t, between, d_model, base)),
    all = curves.flatMap((one) => [...one]),
    unit = between === "random" ? 1 : 0.5; // from line to line
  const low = Math.min(0, unit * Math.floor(Math.min(...all) / unit)),
    high = unit * Math.ceil(Math.max(...all) / unit - 1e-9);
  others = { of, curves, low, high, unit };
  return others;
}

function arranged(s, size) {
  const count = Math.min(4, s.d_model / 2),
    at = layout(size, count, 20, REACH);
  const gap = s.hold?.gap ?? (size.w / 2 - 38) / Math.max(9, Math.abs(s.offset)), // as it was when a word was taken
    n = place(Math.abs(s.offset)),
    far = s.offset === 0 ? "the same" : `${n} ${s.offset < 0 ? "before" : "after"}`;
  const dials = Array.from({ length: count }, (_, k) => {
    const pair = k * Math.max(1, s.d_model / 16), // the faster ones
      omega = frequency(pair, s.d_model, s.base);
    return { ...at.dial(k), pair, frequency: omega, here: s.position * omega, there: (s.position + s.offset) * omega };
  });
  return {
    ...at,
    dials,
    strip: { w: size.w, gap, first: s.position - (size.w / 2 - 8) / gap },
    tiles: [
      { name: "offset", t: s.position + s.offset, says: far, side: 1, c: "muted" },
      { name: "position", t: s.position, says: `position ${place(s.position)}`, side: -1, c: "ink" },
    ],
    names: { here: "position", there: "offset", both: "position" },
  };
}

const { put, step } = bounded(LIMITS);
const part = (name) => (s, size) => arranged(s, size).parts[name];

export const scene = {
  // The second tile and the second hand change the offset; the text and the rest of a clock move both; the curve is
  // pointed at.
  ...gestures(LIMITS, arranged, (s, offset) => put(s, "offset", offset)),
  kind: "text, clocks and curve",
  label:
    "Two positions of a text, clocks with the hands of both, and the score against the offset. Left and right arrow " +
    "change the offset, up and down the position, Page Up and Page Down by ten.",
  controls: [
    { name: "position", label: "position", min: 100, max: () => 400, text: place },
    {
      name: "between",
      label: "between the two vectors",
      options: [
        ["nothing", "nothing"],
        ["rotation", `a rotation by ${BACK}`],
        ["random", "a random matrix"],
      ],
    },
  ],
  settings: [{ name: "offset", label: "offset", min: -REACH, max: () => REACH, text: place }, WIDTH, baseFrom(3)],
  height: (w) => (w < 560 ? 352 : 400),
  draw(s, size) {
    const at = arranged(s, size),
      { curves, low, high, unit } = compared(s),
      now = score(s),
      y = (v) => linear([low, high], [at.foot, at.top]).at(clamp(v, low, high));
    const alike = s.between !== "random", // green is what is the same at every position
      through = (list, c) =>
        curve(
          c,
          Array.from(list, (v, n) => [at.x.at(n - REACH), y(v)]),
        );
    const heights = Array.from({ length: (high - low) / unit + 1 }, (_, n) => low + n * unit);
    return h(
      "g",
      {},
      row(at.strip, at.tiles),
      at.dials.map((dial) => [
        two(dial, dial.here, dial.there),
        text(dial.x, dial.y + dial.r + 17, "mono mid f-muted", `pair ${dial.pair}`),
      ]),
      axes(at, y, [-100, -50, 0, 50, 100], heights, "offset", `score ${decimals(now, 2)}`),
      h("g", { "stroke-width": 0.7 }, alike ? [] : curves.map((list) => through(list, "l-muted"))),
      through(scores(s.position, s.between, s.d_model, s.base), alike ? "l-green wave" : "l-ink wave"),
      line(at.x.at(s.offset), at.top, at.x.at(s.offset), at.foot, "l-muted dash"),
      knob(at.x.at(s.offset), y(now), 6),
    );
  },
  alt(s) {
    const all = OTHERS.map((position) => score({ ...s, position })),
      spread = Math.max(...all) - Math.min(...all);
    const with_ = {
      nothing: "",
      rotation: ` with the rotation by ${BACK} between them`,
      random: " with a random matrix between them",
    }[s.between];
    return (
      `Positions ${place(s.position)} and ${place(s.position + s.offset)}, d_model = ${s.d_model}: their score${with_} ` +
      `is ${decimals(score(s))}, where 1 is the largest possible without a matrix. At the same offset of ` +
      `${place(s.offset)}, other positions score ${spread < 1e-9 ? "the same" : `anything within a range of ${decimals(spread, 2)}`}.`
    );
  },
  reading(s) {
    const { position, offset, between } = s,
      here = score(s),
      mirrored = score({ ...s, offset: -offset }),
      all = [here, ...OTHERS.map((one) => score({ ...s, position: one }))];
    const [low, high] = [Math.min(...all), Math.max(...all)],
      k = place(Math.abs(offset));
    const rest =
      high - low < 1e-9
        ? "**every position scores this at this offset.**"
        : `**at this offset positions score from ${decimals(low, 2)} to ${decimals(high, 2)}.**`;
    const mirror =
      offset === 0
        ? "At offset 0 there is no direction to tell."
        : Math.abs(here - mirrored) < 1e-9
          ? `Mirrored: ${k} before and ${k} after score the same.`
          : `Not mirrored: ${k} ${offset > 0 ? "before" : "after"} scores ${decimals(mirrored, 5)}.`;
    return (
      `**Positions ${place(position)} and ${place(position + offset)}:** score ${decimals(here, 5)}. ` +
      `${WITH[between]}: ${rest} ${mirror}`
    );
  },
  // The second tile and the second hand change the offset; the text and the rest of a clock move both; the curve is
  key: (s, { right, up, end, page = 0 }) =>
    end ? put(s, "offset", end * REACH) : step(step(s, "offset", right), "position", up + 10 * page),
  parts: { words: part("words"), clocks: part("clocks"), curve: part("curve") },
};

export const done = {
  main: ({ between, offset }) =>
    between === "rotation" && offset === -BACK
      ? `Found: ${BACK} before. A head with this matrix looks ${BACK} words back, wherever it stands.`
      : "",
};

export default stage(ABOUT, drawn(ABOUT, scene), {
  done,
  fits: ({ base }) => base > 1,
  play: { trait: "position", unit: 500 },
});
