// A query and a key, turned by their positions: the score knows how far apart they are, no more.
/* global ABOUT */
import { decimals } from "../frame/controls.mjs";
import { clamp, frequency, scrambled } from "../maths.mjs";
import { axes, gestures, layout, row } from "../scene/apart.mjs";
import { curve as plotted, knob, linear } from "../scene/chart.mjs";
import { bounded, place, two } from "../scene/clocks.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, line, text } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";

const WIDTH = 64, // of the query and the key
  REACH = 250, // the largest position before both are moved on
  LIMITS = { query: [0, REACH], key: [0, REACH], shift: [0, 5000] }, // as in __init__.py
  PEAK = 40; // the offset at which "peak" scores most
const SHOWN = [0, 4, 8, 16], // the pairs with a clock
  SPEEDS = Array.from({ length: WIDTH / 2 }, (_, i) => frequency(i, WIDTH, 10_000));
// Where the query asks and where the key stands at first
const SENTENCE = "the big old dog was so tired it slept".split(" "),
  HOME = { query: 7, key: 3 };

// Pair i, entries 2i and 2i + 1, turned by its frequency times the position
export function rotate(vector, position) {
  const out = new Float64Array(WIDTH);
  SPEEDS.forEach((speed, i) => {
    const c = Math.cos(speed * position),
      s = Math.sin(speed * position),
      [x, y] = [vector[2 * i], vector[2 * i + 1]];
    out[2 * i] = c * x - s * y;
    out[2 * i + 1] = s * x + c * y;
  });
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

const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);

// The score at the offsets −250 … 250, query minus key
export const curve = (query, key) =>
  Array.from({ length: 2 * REACH + 1 }, (_, n) => total(shares(rotate(query, n - REACH), key)));

// What a choice of vectors scores
const KINDS = {};
function known(vectors) {
  KINDS[vectors] ??= { unturned: pair(vectors), scores: curve(...pair(vectors)) };
  return KINDS[vectors];
}

// Both where they stand
function turned({ vectors, query, key, shift }) {
  const [q, k] = known(vectors).unturned,
    now = [rotate(q, query + shift), rotate(k, key + shift)];
  return { q: now[0], k: now[1], parts: shares(...now) };
}
const score = (s) => total(turned(s).parts);

// The first entry up, the second to the right: from straight up, clockwise
const angle = (vector, i) => Math.atan2(vector[2 * i + 1], vector[2 * i]);

function arranged(s, size) {
  const { q, k } = turned(s),
    at = layout(size, SHOWN.length, 38, REACH);
  const gap = s.hold?.gap ?? (size.w - 16) / (Math.max(8, 1.25 * Math.max(s.query, s.key)) + 1), // as it was when taken
    stands = (t) => Math.abs(s.query - t) < 0.5 || Math.abs(s.key - t) < 0.5;
  const tile = (name, word, side, c) => ({
    name,
    t: s[name] + s.shift,
    says: `${word}: ${name} ${place(s[name] + s.shift)}`,
    side,
    c,
  });
  return {
    ...at,
    dials: SHOWN.map((i, n) => ({ ...at.dial(n), i, frequency: SPEEDS[i], here: angle(q, i), there: angle(k, i) })),
    strip: {
      w: size.w,
      gap,
      first: s.shift - 0.5,
      begin: s.shift,
      says: (n) => (gap > 34 && !stands(n) && !Object.values(HOME).includes(n) && SENTENCE[n]) || "",
    },
    tiles: [tile("query", SENTENCE[HOME.query], -1, "purple"), tile("key", SENTENCE[HOME.key], 1, "ink")],
    names: { here: "query", there: "key", both: "shift" },
  };
}

const { put, step } = bounded(LIMITS);
const part = (name) => (s, size) => arranged(s, size).parts[name];

// Another offset: the query moves, then the key
function choose(s, wanted) {
  const offset = clamp(wanted, -REACH, REACH),
    query = clamp(Math.round(s.key) + offset, 0, REACH);
  return { ...s, query, key: query - offset };
}

const slider = (name, label) => ({ name, label, min: 0, max: () => LIMITS[name][1], text: place });

export const scene = {
  // A tile and its hand move their own word, the text and the rest of a clock move both
  ...gestures(LIMITS, arranged, choose),
  kind: "text, clocks and curve",
  label:
    "A text with a query and a key in it, both as hands on four clocks, and the score against the offset. Left and " +
    "right arrow move the key, up and down both, Page Up and Page Down both by a hundred.",
  controls: [slider("shift", "both on by")],
  settings: [
    slider("query", "query at"),
    slider("key", "key at"),
    {
      name: "vectors",
      label: "query and key",
      options: [
        ["ones", "all ones"],
        ["random", "random"],
        ["peak", "built for one offset"],
      ],
    },
  ],
  height: (w) => (w < 560 ? 360 : 416),
  draw(s, size) {
    const at = arranged(s, size),
      { parts } = turned(s),
      now = total(parts),
      offset = s.query - s.key,
      y = linear([-32, 70], [at.foot, at.top]).at;
    return h(
      "g",
      {},
      row(at.strip, at.tiles),
      at.dials.map((dial) => [
        two(dial, dial.here, dial.there, ["purple", "ink"]),
        text(dial.x, dial.y + dial.r + 17, "mono mid f-muted", `pair ${dial.i}`),
        text(dial.x, dial.y + dial.r + 33, "mono mid f-green", `adds ${decimals(parts[dial.i], 2)}`),
      ]),
      axes(at, y, [-250, -125, 0, 125, 250], [-32, 0, 32, 64], "query minus key", `score ${decimals(now, 2)}`),
      plotted(
        "l-green wave",
        known(s.vectors).scores.map((v, n) => [at.x.at(n - REACH), y(v)]),
      ),
      line(at.x.at(offset), at.top, at.x.at(offset), at.foot, "l-muted dash"),
      knob(at.x.at(offset), y(now), 6),
    );
  },
  alt(s) {
    const { scores } = known(s.vectors),
      most = Math.max(...scores);
    const which = { ones: "all entries 1", random: "random vectors", peak: `a key built for offset ${PEAK}` }[
      s.vectors
    ];
    return (
      `A query at ${place(s.query + s.shift)} and a key at ${place(s.key + s.shift)} (${which}, 64 entries): their score ` +
      `is ${decimals(score(s))}, and so it is at every two positions with the offset ${place(s.query - s.key)}. The ` +
      `largest is ${decimals(most, 1)}, at offset ${decimals(scores.indexOf(most) - REACH, 0)}.`
    );
  },
  reading(s) {
    const { scores } = known(s.vectors),
      offset = s.query - s.key,
      now = score(s);
    const same = Math.abs(now - scores[offset + REACH]) < 1e-9; // not between two offsets
    return (
      `**Query at ${place(s.query + s.shift)}, key at ${place(s.key + s.shift)}: score ${decimals(now)}.** ` +
      (same ? `Every two at offset ${decimals(offset, 0)} score this. ` : "") +
      `The largest score is ${decimals(Math.max(...scores), 1)}.`
    );
  },
  key: (s, { right, up, end, page = 0 }) =>
    end ? put(s, "shift", end * 5000) : step(step(s, "key", -right), "shift", up + 100 * page),
  parts: { words: part("words"), clocks: part("clocks"), curve: part("curve") },
};

export const done = {
  main: ({ vectors, query, key }) =>
    vectors === "ones" && query - key === -4 ? "Found: offset −4. All ones score the same before and after." : "",
  decay: ({ vectors, query, key }) =>
    vectors === "peak" && query - key === PEAK
      ? `Found: offset ${PEAK}. Every hand of the key lies on the query's, and the score is 64, the most there is.`
      : "",
};

export default stage(ABOUT, drawn(ABOUT, scene), { done, play: { trait: "shift", unit: 700 } });
