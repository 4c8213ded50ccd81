// Draws two positions at an offset, and their score, which may or may not depend on the offset alone.
import { decimals, formatPosition } from "../frame/controls.mjs";
import { frequency, range, rememberLast, scramble } from "../maths.mjs";
import { offsetScene, layout } from "../scene/apart.mjs";
import { curve, linear } from "../scene/chart.mjs";
import { h } from "../scene/svg.mjs";

const REACH = 100, // the largest offset
  CLOCKS = 96, // the height at which the clocks begin, below the numbers of the words
  BACK = 20, // the number of positions by which the rotation looks back
  OTHERS = [100, 150, 200, 250, 300, 350, 400]; // positions whose scores are drawn for comparison
const BETWEEN = [
  ["nothing", "nothing"],
  ["rotation", `a rotation by ${BACK}`],
  ["random", "a random matrix"],
];

// Return how many points a curve has from one offset to the next. A wave of six positions must look round, and with many
// pairs it is a small part of the curve, above all on a phone.
const fineness = (d, w) => (d <= 8 ? 4 : w < 560 ? 1 : 2);
const speeds = rememberLast((d) => range(d / 2, (i) => frequency(i, d, 10_000)));
function encode(position, d) {
  const row = new Float64Array(d);
  for (const [i, speed] of speeds(d).entries()) {
    row[2 * i] = Math.sin(speed * position);
    row[2 * i + 1] = Math.cos(speed * position);
  }
  return row;
}
const matrix = rememberLast((d) => scramble(d * d));

// Return the vector PE(position)ᵀ W, with which the score of each key is computed.
function product(position, between, d) {
  if (between !== "random") return encode(between === "nothing" ? position : position - BACK, d); // PE(t)ᵀ M₂₀ = PE(t − 20)ᵀ
  const left = encode(position, d),
    sums = new Float64Array(d),
    w = matrix(d);
  for (let r = 0, k = 0; r < d; r++) for (let c = 0; c < d; c++, k++) sums[c] += left[r] * w[k];
  return sums;
}
const query = rememberLast(product);
const queries = rememberLast((...how) => OTHERS.map((position) => product(position, ...how)));

// Return PE(position) · W · PE(position − offset) / (d/2), where the query vector is PE(position) · W.
const dot = (queryVector, position, d) =>
  encode(position, d).reduce((sum, v, k) => sum + v * queryVector[k], 0) / (d / 2);
export const score = ({ position, offset, between, d_model: d }) =>
  dot(query(position, between, d), position - offset, d);

// Return the scores at the offsets −100 … 100, with `fine` of them from one offset to the next.
// From one score to the next, each pair of the key rotates back by its frequency, divided by `fine`.
export function scores(position, between, d, fine = 1) {
  const queryVector = query(position, between, d),
    key = encode(position + REACH, d),
    sums = Array(2 * REACH * fine + 1).fill(0);
  speeds(d).forEach((speed, i) => {
    const [s, c] = [Math.sin(speed / fine), Math.cos(speed / fine)];
    let [sin, cos] = [key[2 * i], key[2 * i + 1]];
    for (let n = 0; n < sums.length; n++) {
      sums[n] += (queryVector[2 * i] * sin + queryVector[2 * i + 1] * cos) / (d / 2);
      [sin, cos] = [sin * c - cos * s, cos * c + sin * s];
    }
  });
  return sums;
}

// Return the curves of other positions, and the heights between which they lie.
const fixedCurves = rememberLast((between, d) => {
  const curves = OTHERS.map((t) => scores(t, between, d, 1)),
    all = curves.flat(),
    unit = between === "random" ? 1 : 0.5; // the distance between two grid lines
  const low = Math.min(0, unit * Math.floor(Math.min(...all) / unit)),
    high = unit * Math.ceil(Math.max(...all) / unit - 1e-9);
  return { curves, low, high, up: range((high - low) / unit + 1, (n) => low + n * unit) };
});

// Return the scores of the other positions at the chosen offset.
const spread = ({ offset, between, d_model: d }) =>
  queries(between, d).map((queryVector, n) => dot(queryVector, OTHERS[n] - offset, d));

// Draw the scores of one position at all offsets as a curve.
/** @type {(list: number[], scales: any, c: string) => Tree} */
const plotScores = (list, { x, y }, c) =>
  curve(c, list, (v, n) => [x.at((2 * REACH * n) / (list.length - 1) - REACH), y(v)]);

// Return the part of the layout that stays the same while the positions move. Without a random matrix, no position
// changes its scores, so the curve belongs to that part.
const still = rememberLast((w, high, between, d) => {
  const { low, high: most, up, curves } = fixedCurves(between, d),
    at = layout({ w, h: high }, Math.min(4, d / 2), 20, REACH, CLOCKS),
    /** @type {Values} */
    all = { ...at, up, y: linear([low, most], [at.foot, at.top]).at },
    others = between === "random" ? curves.map((list) => plotScores(list, all, "l-muted")) : [];
  all.others = h("g", { "stroke-width": 0.7 }, others);
  if (between !== "random") all.own = plotScores(scores(OTHERS[0], between, d, fineness(d, w)), all, "l-green wave");
  return all;
});

function arrange(s, size) {
  const { position, offset, d_model: d, between } = s,
    at = still(size.w, size.h, between, d),
    own = at.own ?? plotScores(scores(position, between, d, fineness(d, size.w)), at, "l-ink wave");
  const gap = s.hold?.gap ?? (size.w / 2 - 38) / Math.max(9, Math.abs(offset)), // constant during a drag
    far = offset ? `${formatPosition(Math.abs(offset))} ${offset > 0 ? "before" : "after"}` : "the same";
  const dials = range(Math.min(4, d / 2), (k) => {
    const pair = k * Math.max(1, d / 16), // the faster pairs
      omega = frequency(pair, d, 10_000),
      [here, there] = [position * omega, (position - offset) * omega];
    return { ...at.dial(k), frequency: omega, here, there, says: [[`pair ${pair}`, "muted"]] };
  });
  return {
    ...at,
    across: [-100, -50, 0, 50, 100],
    unit: "query minus key",
    curves: [at.others, own],
    offset,
    score: score(s),
    dials,
    strip: { w: size.w, gap, first: position - (size.w / 2 - 8) / gap },
    tiles: [
      { name: "offset", t: position - offset, says: far, side: 1, c: "muted" },
      { name: "position", t: position, says: `position ${formatPosition(position)}`, side: -1, c: "ink" },
    ],
    names: { here: "position", there: "offset", both: "position" },
    ways: { offset: -1 }, // a larger offset lies further back
  };
}

export function scene(limits) {
  const { setValue, step } = limits,
    shared = offsetScene(arrange, limits, (s, offset) => setValue(s, "offset", offset));
  return {
    ...shared,
    parts: { ...shared.parts, matrix: () => undefined }, // the menu below the picture
    kind: "text, clocks and curve",
    shows: "Two positions of a text, clocks with the hands of both, and the score against the offset.",
    moves: "Left and right arrow change the offset, up and down the position, Page Up and Page Down by ten.",
    controls: [
      { name: "position" },
      { name: "offset" },
      {
        name: "between",
        label: "between",
        options: BETWEEN,
        menu: true,
        part: "matrix",
        when: ({ d_model }) => d_model > 2,
      },
    ],
    reveals: true,
    height: (w) => (w < 560 ? 326 : 404),
    reading(s) {
      const { position, offset } = s,
        here = score(s),
        mirrored = score({ ...s, offset: -offset }),
        all = [here, ...spread(s)];
      const [low, high] = [Math.min(...all), Math.max(...all)],
        k = formatPosition(Math.abs(offset)),
        way = offset > 0 ? "after" : "before";
      const rest =
        high - low < 1e-9
          ? "In fact, **every position scores this at this offset.**"
          : `But **at this offset positions score from ${decimals(low, 2)} to ${decimals(high, 2)}.**`;
      const mirror =
        Math.abs(here - mirrored) < 1e-9
          ? `Mirrored: ${k} before and ${k} after score the same.`
          : `Not mirrored: ${k} ${way} scores ${decimals(mirrored, 5)}.`;
      return (
        `**Positions ${formatPosition(position)} and ${formatPosition(position - offset)}:** score ${decimals(here, 5)}. ` +
        `${rest} ${offset ? mirror : "At offset 0 there is no direction to tell."}`
      );
    },
    key: (s, { right, up, end, page = 0 }) =>
      end ? setValue(s, "offset", end * REACH) : step(step(s, "offset", right), "position", up + 10 * page),
    done: {
      chord: ({ offset }) =>
        Math.abs(offset) > 6 && Math.cos(offset) > 0.99
          ? `Found: ${offset}. ${decimals(Math.abs(offset) / (2 * Math.PI), 2)} turns are nearly whole ones.`
          : "",
      main: ({ between, offset }) =>
        between === "rotation" && offset === BACK
          ? `Found: ${BACK} before. A head with this matrix looks ${BACK} words back, wherever it stands.`
          : "",
    },
    play: { trait: "position", unit: 500 },
  };
}
