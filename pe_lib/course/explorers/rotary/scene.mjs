// Draws a query and a key, rotated by their positions, whose score depends only on the offset between them.
import { decimals, formatPosition } from "../frame/controls.mjs";
import { clamp, frequency, range, rememberLast, scramble } from "../maths.mjs";
import { offsetScene, layout } from "../scene/apart.mjs";
import { curve as plotScores, linear } from "../scene/chart.mjs";
import { isShown } from "../scene/reveal.mjs";

const WIDTH = 64, // the number of entries of the query and of the key
  REACH = 250, // the largest position before the shift is added
  NEAR = 32, // the largest offset in the enlarged curve
  PEAK = 40, // the offset at which the score of "peak" is largest
  SHOWN = [0, 4, 8, 16], // the pairs that are drawn as clocks
  SPEEDS = range(WIDTH / 2, (i) => frequency(i, WIDTH, 10_000));
const VECTORS = { ones: "all ones", random: "random", peak: "built for one offset" };
// The positions of the query and the key at the start
const SENTENCE = "the big old dog was so tired it slept".split(" "),
  HOME = { query: 7, key: 3 };

// Rotate each pair i, which consists of the entries 2i and 2i + 1, by its frequency times the position.
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

// Return the query and the key before the rotation, each with length 8.
export function pair(vectors) {
  if (vectors === "ones") return [1, 1].map((one) => new Float64Array(WIDTH).fill(one));
  const numbers = scramble(2 * WIDTH, 8);
  const [query, key] = [numbers.subarray(0, WIDTH), numbers.subarray(WIDTH)].map((vector) => {
    const length = Math.hypot(...vector);
    return vector.map((x) => (x * 8) / length);
  });
  return [query, vectors === "peak" ? rotate(query, PEAK) : key];
}

// Return the contribution of each pair to the score of two rotated vectors.
export const shares = (query, key) =>
  SPEEDS.map((_, i) => query[2 * i] * key[2 * i] + query[2 * i + 1] * key[2 * i + 1]);

const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);

// Return the score at the offsets −250 … 250, where an offset is the query's position minus the key's.
export const curve = (query, key) => range(2 * REACH + 1, (n) => total(shares(rotate(query, n - REACH), key)));

const unturned = rememberLast(pair),
  scores = rememberLast((vectors) => curve(...pair(vectors)));

// Return the query and the key rotated by their positions, and the contributions to their score.
function rotateBoth({ vectors, query, key, shift }) {
  const [q, k] = unturned(vectors),
    now = [rotate(q, query + shift), rotate(k, key + shift)];
  return { q: now[0], k: now[1], parts: shares(...now) };
}

// Return the angle of a pair, whose first entry is drawn upwards and whose second entry to the right.
const angle = (vector, i) => Math.atan2(vector[2 * i + 1], vector[2 * i]);

// Return the part of the layout that stays the same while query and key move.
const fixedLayout = rememberLast((vectors, near, w, h) => {
  const reach = near ? NEAR : REACH,
    at = layout({ w, h }, SHOWN.length, 38, reach),
    y = linear([-32, 70], [at.foot, at.top]).at,
    drawn = scores(vectors).slice(REACH - reach, REACH + reach + 1),
    points = drawn.map((v, n) => [at.x.at(n - reach), y(v)]);
  /** @type {Values} */
  const parts = { ...at, y, curves: plotScores("l-green wave", points) };
  return parts;
});

function arrange(s, size) {
  const { q, k, parts } = rotateBoth(s),
    near = s.near && Math.abs(s.query - s.key) <= NEAR, // a larger offset needs the whole curve
    at = fixedLayout(s.vectors, near, size.w, size.h);
  const gap = s.hold?.gap ?? (size.w - 16) / (Math.max(8, 1.25 * Math.max(s.query, s.key)) + 1), // constant in a drag
    stands = (t) => Math.abs(s.query - t) < 0.5 || Math.abs(s.key - t) < 0.5;
  const tile = (name, side, c) => {
    const t = s[name] + s.shift;
    return { name, t, says: `${SENTENCE[HOME[name]]}: ${name} ${formatPosition(t)}`, side, c };
  };
  return {
    ...at,
    up: [-32, 0, 32, 64],
    across: near ? [-32, -16, 0, 16, 32] : [-250, -125, 0, 125, 250],
    unit: "query minus key",
    colours: ["purple", "ink"],
    offset: s.query - s.key,
    score: total(parts),
    dials: SHOWN.map((i, n) => ({
      ...at.dial(n),
      frequency: SPEEDS[i],
      here: angle(q, i),
      there: angle(k, i),
      says: [
        [`pair ${i}`, "muted"],
        [`adds ${decimals(parts[i], 2)}`, "green"],
      ],
    })),
    strip: {
      w: size.w,
      gap,
      first: s.shift - 0.5,
      begin: s.shift,
      says: (n) => (gap > 34 && !stands(n) && !Object.values(HOME).includes(n) && SENTENCE[n]) || "",
    },
    tiles: [tile("query", -1, "purple"), tile("key", 1, "ink")],
    names: { here: "query", there: "key", both: "shift" },
  };
}

// Return the state with another offset: the query moves, or the key if the query cannot move.
function choose(s, newOffset) {
  const offset = clamp(newOffset, -REACH, REACH),
    query = clamp(Math.round(s.key) + offset, 0, REACH);
  return { ...s, query, key: query - offset };
}

export function scene(limits) {
  const { setValue, step } = limits,
    offsets = offsetScene(arrange, limits, choose);
  return {
    ...offsets,
    parts: { ...offsets.parts, vectors: () => undefined, zoom: () => undefined }, // controls
    kind: "text, clocks and curve",
    shows: "A text with a query and a key in it, both as hands on four clocks, and the score against the offset.",
    moves: "Left and right arrow move the key, up and down both, Page Up and Page Down both by a hundred.",
    reveals: true,
    controls: [
      { name: "shift", label: "both on by" },
      { name: "vectors", label: "entries", options: Object.entries(VECTORS), menu: true, part: "vectors" },
      { name: "near", label: "zoom", part: "zoom" },
    ],
    height: (w) => (w < 560 ? 340 : 416),
    reading(s) {
      const all = scores(s.vectors),
        offset = s.query - s.key,
        now = total(rotateBoth(s).parts),
        most = Math.max(...all);
      const same = Math.abs(now - all[offset + REACH]) < 1e-9; // false while the offset is between two whole numbers
      const both = `Query at ${formatPosition(s.query + s.shift)}, key at ${formatPosition(s.key + s.shift)}`;
      if (!isShown(s, "curve")) return `**${both}.**`;
      return (
        `**${both}: score ${decimals(now)}.** ` +
        (same ? `All pairs of words at offset ${formatPosition(offset)} have this score. ` : "") +
        `The largest score is ${decimals(most, 1)}, at offset ${formatPosition(all.indexOf(most) - REACH)}.`
      );
    },
    key: (s, { right, up, end, page = 0 }) =>
      end ? setValue(s, "shift", end * 5000) : step(step(s, "key", -right), "shift", up + 100 * page),
    done: {
      main: ({ vectors, query, key }) =>
        vectors === "ones" && query - key === -4
          ? "Found: offset −4. If all entries are 1, it makes no difference which word comes first."
          : "",
      decay: ({ vectors, query, key }) =>
        vectors === "peak" && query - key === PEAK
          ? `Found: offset ${PEAK}. On every clock the two hands coincide, and the score is 64, the largest there is.`
          : "",
    },
    play: { trait: "shift", unit: 700 },
  };
}
