// A picture cut into patches: the score of one with all others, for five ways to say where a patch is.
/* global ABOUT */
import { decimals, grouped } from "../frame/controls.mjs";
import { clamp, frequency } from "../maths.mjs";
import { tip } from "../scene/chart.mjs";
import { two } from "../scene/clocks.mjs";
import { drawn } from "../scene/drawn.mjs";
import { d, h, line, ring, table, text } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";
import { HARBOUR } from "./harbour.mjs";

export const SIDE = 14; // rows and columns, as in a picture of 224 by 224 pixels in patches of 16 by 16
const WIDTH = 64, // of each encoding
  UP = 2,
  LEFT = 3, // where the rotary head looks
  GOLDEN = 0.6180339887498949, // its multiples, without their whole parts, spread evenly over [0, 1)
  LAST = SIDE - 1;
/** @type {Record<string, [string, string]>} */
const SCHEMES = {
  numbered: ["numbered", "numbered row by row"],
  coordinates: ["two bare numbers", "given as two numbers, its row and its column divided by 13"],
  axial: ["axial", "encoded by row and column, half and half"],
  mixed: ["many directions", "encoded along many directions"],
  rotary: ["rotary head", `seen by a rotary head that looks ${UP} up and ${LEFT} to the left`],
};

const inside = (r, c) => r >= 0 && r < SIDE && c >= 0 && c < SIDE;

// The frequency vectors of the pairs, [radians per row, radians per column]; `angle(i)` turns both of length i
/** @param {number} base @param {(pair: number) => number} [angle] */
function gridFrequencies(base, angle = () => 0) {
  const lengths = Array.from({ length: WIDTH / 4 }, (_, i) => frequency(i, WIDTH / 2, base));
  return [
    ...lengths.map((w, i) => [w * Math.cos(angle(i)), w * Math.sin(angle(i))]),
    ...lengths.map((w, i) => [-w * Math.sin(angle(i)), w * Math.cos(angle(i))]),
  ];
}

// What is multiplied, of the patches one after another: a number for each entry
function multiplied(scheme, base) {
  if (scheme === "coordinates") {
    const keys = Float64Array.from(
      { length: 2 * SIDE * SIDE },
      (_, k) => (k % 2 ? (k >> 1) % SIDE : Math.floor((k >> 1) / SIDE)) / LAST,
    );
    return { queries: keys, keys, width: 2 };
  }
  const pairs =
    scheme === "numbered"
      ? Array.from({ length: WIDTH / 2 }, (_, i) => frequency(i, WIDTH, base)).map((w) => [SIDE * w, w])
      : gridFrequencies(base, scheme === "mixed" ? (i) => (Math.PI / 2) * ((i * GOLDEN) % 1) : undefined);
  const rows = (up, left) => {
    const out = new Float64Array(SIDE * SIDE * WIDTH);
    for (let k = 0; k < SIDE * SIDE; k++)
      pairs.forEach(([perRow, perColumn], i) => {
        const angle = perRow * (Math.floor(k / SIDE) - up) + perColumn * ((k % SIDE) - left);
        out[k * WIDTH + 2 * i] = Math.sin(angle);
        out[k * WIDTH + 2 * i + 1] = Math.cos(angle);
      });
    return out;
  };
  const keys = rows(0, 0);
  return { queries: scheme === "rotary" ? rows(UP, LEFT) : keys, keys, width: WIDTH };
}

// {queries, keys, width, most}: also the largest product, that of the last key with itself
export function vectors(scheme, base) {
  const found = multiplied(scheme, base),
    last = found.keys.subarray(-found.width);
  return { ...found, most: last.reduce((sum, x) => sum + x * x, 0) };
}

// Patch `a` with patch `b`, numbered row by row: their dot product, divided by the largest
export function score({ queries, keys, width, most }, a, b) {
  let sum = 0;
  for (let c = 0, at = a * width, other = b * width; c < width; c++) sum += queries[at + c] * keys[other + c];
  return sum / most;
}

// The lowest and highest score of all pairs of patches at this offset; none fit beyond the grid's size
export function extent(all, down, right) {
  let low = Infinity,
    high = -Infinity;
  for (let r = 0; r < SIDE; r++)
    for (let c = 0; c < SIDE; c++)
      if (inside(r + down, c + right)) {
        const value = score(all, r * SIDE + c, (r + down) * SIDE + c + right);
        [low, high] = [Math.min(low, value), Math.max(high, value)];
      }
  return [low, high];
}

// What was computed last, for as long as it is the same
const kept = {};
function once(name, of, compute) {
  if (kept[name]?.of !== of) kept[name] = { of, value: compute() };
  return kept[name].value;
}
const known = ({ scheme, base }) => once("vectors", `${scheme} ${base}`, () => vectors(scheme, base));
// The scores of the patch with all patches, row by row
const scores = (s) =>
  once("scores", `${s.scheme} ${s.base} ${s.row} ${s.column}`, () =>
    Array.from({ length: SIDE * SIDE }, (_, k) => score(known(s), s.row * SIDE + s.column, k)),
  );
const spread = (s) =>
  once("spread", `${s.scheme} ${s.base} ${s.down} ${s.right}`, () => extent(known(s), s.down, s.right));

// Of a patch the hands of its fastest pair, [name, angle]: two, one for a number, or none for bare coordinates
function hands(scheme, row, column) {
  if (scheme === "coordinates") return [];
  if (scheme === "numbered") return [[`number ${SIDE * row + column}`, SIDE * row + column]];
  return [
    [`row ${row}`, row],
    [`column ${column}`, column],
  ];
}

// Where things stand: the grid with a ruler of small clocks at two sides, and beside or below it the large clocks
function layout({ scheme }, { w, h: high }) {
  const big = w >= 560,
    ruler = 22;
  const cell = Math.floor(Math.min((high - ruler - (big ? 4 : 80)) / SIDE, (w - ruler - 2) / SIDE)),
    side = SIDE * cell,
    x = big ? ruler : Math.max(ruler, (w - side) / 2),
    y = ruler;
  const r = big ? Math.min(74, (w - x - side) / 2 - 16) : 26,
    free = big ? (w + x + side) / 2 : w / 2;
  const faces = [-1, 1].map((n) => ({
    r,
    x: big ? free : free + 84 * n,
    y: big ? y + side / 2 - 10 + n * (r + 18) : y + side + 9 + r,
  }));
  const middle = { r, x: free, y: (faces[0].y + faces[1].y) / 2 };
  return { x, y, cell, side, r, faces: scheme === "numbered" ? [middle] : faces };
}

// Of each row and each column the hand, small; the patch's own in ink
function rulers({ scheme, row, column }, { x, y, cell }) {
  const r = Math.min(0.4 * cell, 9);
  return Array.from({ length: SIDE }, (_, k) =>
    [
      [row, false],
      [column, true],
    ].map(([own, across]) => {
      const middle = (k + 0.5) * cell,
        dial = across ? { x: x + middle, y: y - 11, r } : { x: x - 11, y: y + middle, r },
        c = k === own ? "l-ink bar" : "l-muted";
      if (scheme === "coordinates")
        return line(dial.x - r, dial.y, dial.x - r + 0.2 + (2 * r * k) / LAST, dial.y, `${c} thick`);
      return [
        ring(dial.x, dial.y, r),
        line(dial.x, dial.y, ...tip(dial, scheme === "numbered" && !across ? SIDE * k : k), c),
      ];
    }),
  );
}

// A patch's frame, on paper so that it is seen on all colours
function frame({ x, y, cell }, r, c, look) {
  const place = { x: x + c * cell, y: y + r * cell, width: cell, height: cell };
  return [h("rect", { class: "l-paper", ...place, "stroke-width": 5 }), h("rect", { class: `${look} bar`, ...place })];
}

// The large clocks: the patch's hand whole, that of the second patch broken, and the angle between them
function faces({ scheme, row, column, down, right }, { faces: dials }) {
  const there = [row + down, column + right],
    others = hands(scheme, ...(inside(...there) ? there : [row, column]));
  if (scheme === "coordinates")
    return dials.map(({ x, y, r }, k) => [
      line(x - r, y, x + r, y, "l-grid rail"),
      line(x - r, y, x - r + 0.2 + (2 * r * [row, column][k]) / LAST, y, "l-ink rail"),
      text(x, y + 22, "mono mid f-ink", `${["row", "column"][k]} ${[row, column][k]} of ${LAST}`),
    ]);
  return hands(scheme, row, column).map(([name, angle], k) => [
    two(dials[k], angle, others[k][1]),
    text(dials[k].x, dials[k].y + dials[k].r + 17, "mono mid f-ink", name),
  ]);
}

const signed = (k) => decimals(k, 0);
const put = (s, row, column) => ({ ...s, row: clamp(row, 0, LAST), column: clamp(column, 0, LAST) });
const second = (s, row, column) => ({
  ...s,
  down: clamp(row - s.row, -LAST, LAST),
  right: clamp(column - s.column, -LAST, LAST),
});
const at = ({ x, y, cell }, p) => [(p.y - y) / cell, (p.x - x) / cell];

export const scene = {
  kind: "picture in patches",
  label:
    "A harbour with a lighthouse in 14 by 14 patches; colours show the score of one patch with each. The arrow keys " +
    "move the patch, with Shift the second patch.",
  controls: [
    { name: "column", label: "column", min: 0, max: () => LAST },
    {
      name: "scheme",
      label: "patches",
      options: Object.entries(SCHEMES).map(([scheme, [name]]) => [scheme, name]),
      menu: true,
    },
  ],
  settings: [
    { name: "row", label: "row", min: 0, max: () => LAST },
    { name: "down", label: "down", min: -LAST, max: () => LAST, text: signed },
    { name: "right", label: "right", min: -LAST, max: () => LAST, text: signed },
    {
      name: "base",
      label: "base",
      min: 3,
      max: () => 60,
      text: grouped,
      value: (step) => Number((10 ** (step / 10)).toPrecision(2)),
      step: (base) => 10 * Math.log10(base),
    },
  ],
  height: (w) => (w < 560 ? 372 : 400),
  draw(s, size) {
    const places = layout(s, size),
      { x, y, cell, side } = places,
      there = [s.row + s.down, s.column + s.right],
      lines = Array.from({ length: SIDE - 1 }, (_, k) => (k + 1) * cell);
    return h(
      "g",
      {},
      h("image", { href: HARBOUR, x, y, width: side, height: side, opacity: 0.5 }),
      h("g", { opacity: 0.85 }, table(x, y, side, side, SIDE, scores(s), "signed")),
      h("path", {
        class: "l-paper thin",
        d: lines.map((k) => d`M${x + k} ${y}L${x + k} ${y + side}M${x} ${y + k}L${x + side} ${y + k}`).join(""),
        "stroke-opacity": 0.5,
      }),
      rulers(s, places),
      inside(...there) ? frame(places, ...there, "l-ink dash") : [],
      frame(places, s.row, s.column, "l-purple"),
      faces(s, places),
    );
  },
  alt(s) {
    const [row, column] = [s.row + s.down, s.column + s.right],
      [low, high] = spread(s),
      where = `row ${signed(row)}, column ${signed(column)}`;
    const told = inside(row, column)
      ? `its score with the patch in ${where} is ${decimals(scores(s)[row * SIDE + column])}`
      : `${where} is outside the grid`;
    const steady = high - low < 1e-9 ? "the same" : `from ${decimals(low, 2)} to ${decimals(high, 2)}`;
    return (
      `The patch in row ${s.row}, column ${s.column} of a 14 by 14 grid, ${SCHEMES[s.scheme][1]}: ${told}. ` +
      `At this offset, patches score ${steady}.`
    );
  },
  reading(s) {
    const mine = scores(s),
      [low, high] = spread(s),
      [r, c] = [s.row + s.down, s.column + s.right],
      own = s.row * SIDE + s.column;
    const top = Math.max(...mine.filter((_, k) => k !== own)),
      best = mine.flatMap((v, k) => (k !== own && v > top - 1e-9 ? [`(${Math.floor(k / SIDE)}, ${k % SIDE})`] : []));
    const elsewhere =
      high - low < 1e-9 ? "the same everywhere" : `elsewhere from ${decimals(low, 2)} to ${decimals(high, 2)}`;
    const way = `${signed(s.down)} down and ${signed(s.right)} right`;
    const pair = inside(r, c)
      ? `**(${s.row}, ${s.column}) with (${r}, ${c})**, ${way}: score **${decimals(mine[r * SIDE + c])}**, ${elsewhere}.`
      : `**(${s.row}, ${s.column}) with a patch outside**, ${way}.`;
    return `${pair}\nHighest besides itself, ${decimals(top)}: ${best.slice(0, 4).join(", ")}${best.length > 4 ? " …" : ""}.`;
  },
  // The patch is dragged; elsewhere in the picture the second patch is
  down(s, size, p) {
    const places = layout(s, size),
      [r, c] = at(places, p),
      near = Math.hypot(r - s.row - 0.5, c - s.column - 0.5) * places.cell;
    if (near < Math.max(0.7 * places.cell, 16)) return { ...s, hold: "patch" };
    return inside(Math.floor(r), Math.floor(c)) ? { ...s, hold: "second" } : s;
  },
  move(s, size, p) {
    const [r, c] = at(layout(s, size), p).map(Math.floor);
    if (s.hold === "patch") return put(s, r, c);
    return inside(r, c) ? second(s, r, c) : s;
  },
  up: (s) => ({ ...s, hold: undefined }),
  key(s, { right, up, end, shift }) {
    if (end) return put(s, s.row, end * LAST);
    if (shift) return second(s, s.row + s.down - up, s.column + s.right + right);
    return right || up ? put(s, s.row - up, s.column + right) : s;
  },
  parts: {
    second(s, size) {
      const { x, y, cell } = layout(s, size);
      return { x: x + (s.column + s.right) * cell, y: y + (s.row + s.down) * cell, w: cell, h: cell };
    },
    hands(s, size) {
      const { faces: dials, r } = layout(s, size),
        [first, last] = [dials[0], dials[dials.length - 1]];
      return { x: first.x - r, y: first.y - r, w: last.x - first.x + 2 * r, h: last.y - first.y + 2 * r + 22 };
    },
  },
};

export const done = {
  place: ({ row, column }) => (row === column ? "Found: where row and column are one number, on the diagonal." : ""),
  main: ({ scheme, down, right }) =>
    scheme === "rotary" && down === -UP && right === -LEFT
      ? "Found: two up and three to the left, score 1. Move the patch: it always looks there."
      : "",
};

export default stage(ABOUT, drawn(ABOUT, scene), {
  done,
  fits: ({ base }) => base > 1,
  play: { trait: "column", unit: 500 },
});
