// Draws a picture cut into patches, and the score of one patch with all others for five encodings of their places.
import { decimals } from "../frame/controls.mjs";
import { frequency, range, rememberLast } from "../maths.mjs";
import { tip } from "../scene/chart.mjs";
import { twoHands } from "../scene/clocks.mjs";
import { gesturesFor } from "../scene/hold.mjs";
import { isShown, part } from "../scene/reveal.mjs";
import { boxes, d, h, line, rect, ring, table, text } from "../scene/svg.mjs";

const SIDE = 14, // rows and columns: a picture of 224 by 224 pixels has 14 by 14 patches of 16 by 16 pixels
  LAST = SIDE - 1,
  [WIDTH, BASE] = [64, 100], // the width and the base of each encoding
  [UP, LEFT] = [2, 3], // the offset at which the rotary head looks
  GOLDEN = 0.6180339887498949; // the fractional parts of its multiples spread evenly over [0, 1)
const SCHEMES = {
  numbered: "numbered",
  coordinates: "two bare numbers",
  axial: "axial",
  mixed: "many directions",
  rotary: "rotary head",
};
const STEPS = range(24, (n) => n / 23); // the colours of the scale
const dataAddress = rememberLast((picture) => `data:image/svg+xml,${encodeURIComponent(picture)}`);

const inside = (r, c) => r >= 0 && r < SIDE && c >= 0 && c < SIDE;

// Return the angles in radians by which each pair rotates from one row to the next, and from one column to the next.
const rotations = rememberLast((scheme) => {
  if (scheme === "numbered") return range(WIDTH / 2, (i) => frequency(i, WIDTH, BASE)).map((w) => [SIDE * w, w]);
  return range(WIDTH / 4, (i) => {
    const w = frequency(i, WIDTH / 2, BASE),
      a = scheme === "mixed" ? (Math.PI / 2) * ((i * GOLDEN) % 1) : 0,
      [along, across] = [w * Math.cos(a), w * Math.sin(a)];
    return [
      [along, across],
      [-across, along],
    ];
  }).flat();
});

// Return the dot product of two patches, divided by the largest dot product.
// For encodings, this is the mean cosine of the angles between their hands, which depends only on the offset.
/** @type {(scheme: string, one: number[], other: number[]) => number} */
export const score = (scheme, [r, c], [row, column]) => {
  if (scheme === "coordinates") return (r * row + c * column) / (2 * LAST * LAST);
  const [down, right] = scheme === "rotary" ? [row - r + UP, column - c + LEFT] : [row - r, column - c],
    cosines = rotations(scheme).map(([perRow, perColumn]) => Math.cos(down * perRow + right * perColumn));
  return cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
};

const patch = (k) => [Math.floor(k / SIDE), k % SIDE];
// Return the scores of a patch with all patches, row by row.
const scores = rememberLast((scheme, row, column) => range(SIDE * SIDE, (k) => score(scheme, [row, column], patch(k))));
// Return the smallest and the largest score of two patches at this offset.
// These scores occur in the upper left and the lower right corner of the grid.
const spread = rememberLast((scheme, down, right) =>
  [(by) => -Math.min(by, 0), (by) => LAST - Math.max(by, 0)].map((end) =>
    score(scheme, [end(down), end(right)], [end(down) + down, end(right) + right]),
  ),
);

// Return the hands of a patch's fastest pair as [name, angle]. A patch that is encoded as a number has one hand.
const hands = (scheme, row, column) =>
  scheme === "numbered"
    ? [[`number ${SIDE * row + column}`, SIDE * row + column]]
    : [
        [`row ${row}`, row],
        [`column ${column}`, column],
      ];

// Return the layout: the grid with small clocks along two sides, the scale of its colours below it, and the large
// clocks next to it.
function layout({ scheme }, { w, h: high }) {
  const [x, y] = [22, 22],
    aside = w >= 560 ? 180 : 86, // the width that the large clocks need at least
    cell = Math.floor(Math.min((high - y - 30) / SIDE, (w - x - aside) / SIDE)),
    side = SIDE * cell,
    r = Math.min(74, (w - x - side) / 2 - 12),
    ends = scheme === "numbered" ? [0] : [-1, 1];
  const faces = ends.map((n) => ({ r, x: (w + x + side) / 2, y: y + side / 2 - 10 + n * (r + 18) }));
  return { x, y, cell, side, r, faces };
}

// Return scores as shares of the way from the lowest score to the highest, so that the map uses all of its colours.
const shares = rememberLast((all) => {
  const [low, high] = [Math.min(...all), Math.max(...all)];
  return { low, high, values: all.map((v) => (v - low) / (high - low)) };
});

// Draw the scale of the colours with its lowest and its highest score.
function scale({ low, high }, { x, y, side }) {
  const [top, wide] = [y + side + 10, side - 156];
  return [
    text(x, top + 11, "mono f-muted", "score"),
    text(x + 92, top + 11, "mono end f-ink", decimals(low, 2)),
    table(x + 100, top, wide, 13, STEPS.length, STEPS, "shares"),
    rect(x + 100, top, wide, 13, "l-grid thin"),
    text(x + side, top + 11, "mono end f-ink", decimals(high, 2)),
  ];
}

// Draw a number from 0 to 13 as a bar, because a bare coordinate has no hand.
const bar = ({ x, y, r }, k, c) => line(x - r, y, x - r + 0.2 + (2 * r * k) / LAST, y, c);

// Draw a small clock for each row and each column. The clocks of the chosen patch are drawn in ink.
function rulers({ scheme, row, column }, { x, y, cell }) {
  const r = Math.min(0.4 * cell, 9);
  return range(SIDE, (k) =>
    [row, column].map((own, across) => {
      const middle = (k + 0.5) * cell,
        dial = across ? { x: x + middle, y: y - 11, r } : { x: x - 11, y: y + middle, r },
        c = k === own ? "l-ink bar" : "l-muted",
        angle = scheme === "numbered" && !across ? SIDE * k : k;
      if (scheme === "coordinates") return bar(dial, k, `${c} thick`);
      return [ring(dial.x, dial.y, r), line(dial.x, dial.y, ...tip(dial, angle), c)];
    }),
  );
}

// Draw the large clocks: a solid hand for the patch, a dashed hand for the second patch, and the angle between them.
function faces(s, { faces: dials }) {
  const { scheme, row, column } = s,
    there = hasScores(s) && isShown(s, "second") ? second(s) : [row, column],
    others = hands(scheme, ...(inside(...there) ? there : [row, column]));
  return hands(scheme, row, column).map(([name, angle], k) => {
    const { x, y, r } = dials[k];
    if (scheme !== "coordinates")
      return [twoHands(dials[k], angle, others[k][1]), text(x, y + r + 17, "mono mid f-ink", name)];
    const bars = [bar(dials[k], LAST, "l-grid rail"), bar(dials[k], angle, "l-ink rail")];
    return [bars, text(x, y + 22, "mono mid f-ink", name)];
  });
}

// Draw the frame of a patch over a line in the colour of the paper, so that it is visible on all colours.
/** @type {(places: any, patch: number[], look: string) => any} */
const frame = ({ x, y, cell }, [r, c], look) => {
  const [left, top] = [x + c * cell, y + r * cell];
  return [rect(left, top, cell, cell, "l-paper", { "stroke-width": 5 }), rect(left, top, cell, cell, `${look} bar`)];
};

const second = ({ row, column, down, right }) => [row + down, column + right];
const movePatch = ({ setValue }, s, row, column) => setValue(setValue(s, "row", row), "column", column);
const moveSecond = ({ setValue }, s, row, column) =>
  setValue(setValue(s, "down", row - s.row), "right", column - s.column);
// The story of the two hands shows no scores.
const hasScores = (s) => s.story !== "place";
const formatPatch = (patch) => `(${patch.join(", ")})`;

// Say how far the second patch lies from the first.
function formatOffset({ down, right }) {
  const ways = [
    [down, down < 0 ? "up" : "down"],
    [right, right < 0 ? "left" : "right"],
  ].filter(([n]) => n);
  return ways.map(([n, way]) => `${Math.abs(n)} ${way}`).join(" and ") || "the patch itself";
}

export const scene = (limits, { picture }) => ({
  kind: "picture in patches",
  shows: "A harbour with a lighthouse in 14 by 14 patches; a deeper colour is a higher score with the framed patch.",
  moves: "The arrow keys move the patch, with Shift the second patch.",
  controls: [{ name: "column" }, { name: "scheme", label: "patches", options: Object.entries(SCHEMES), menu: true }],
  settings: [{ name: "row" }, { name: "down" }, { name: "right" }],
  reveals: true,
  height: (w) => (w < 400 ? 300 : w < 560 ? 306 : 400),
  draw(s, size) {
    const places = layout(s, size),
      { x, y, cell, side } = places,
      there = second(s),
      between = range(LAST, (k) => (k + 1) * cell);
    const mine = shares(scores(s.scheme, s.row, s.column)),
      isScored = hasScores(s) && isShown(s, "scores");
    return [
      h("image", { href: dataAddress(picture), x, y, width: side, height: side, opacity: isScored ? 0.6 : 0.9 }),
      part(s, "scores", () =>
        isScored
          ? [h("g", { opacity: 0.85 }, table(x, y, side, side, SIDE, mine.values, "shares")), scale(mine, places)]
          : [],
      ),
      h("path", {
        class: "l-paper thin",
        d: between.map((k) => d`M${x + k} ${y}L${x + k} ${y + side}M${x} ${y + k}L${x + side} ${y + k}`).join(""),
        "stroke-opacity": 0.5,
      }),
      rulers(s, places),
      part(s, "second", () => (hasScores(s) && inside(...there) ? frame(places, there, "l-ink dash") : [])),
      frame(places, [s.row, s.column], "l-ink"),
      faces(s, places),
    ];
  },
  reading(s) {
    if (!hasScores(s))
      return `**Patch ${formatPatch([s.row, s.column])}:** the hand of the row has turned by ${s.row} radians, and the hand of the column by ${s.column}.`;
    const mine = scores(s.scheme, s.row, s.column),
      [low, high] = spread(s.scheme, s.down, s.right),
      there = second(s),
      isInGrid = inside(...there),
      own = s.row * SIDE + s.column;
    const top = Math.max(...mine.filter((_, k) => k !== own)),
      best = mine.flatMap((v, k) => (k !== own && v > top - 1e-9 ? [formatPatch(patch(k))] : []));
    const elsewhere =
      high - low < 1e-9 ? "the same everywhere" : `elsewhere from ${decimals(low, 2)} to ${decimals(high, 2)}`;
    const scoreText = isInGrid ? `score **${decimals(mine[there[0] * SIDE + there[1]])}**, ${elsewhere}` : "outside";
    return (
      `**${formatPatch([s.row, s.column])} with ${isInGrid ? formatPatch(there) : "a patch outside"}**, ${formatOffset(s)}: ` +
      `${scoreText}.\n` +
      `Highest besides itself, ${decimals(top)}: ${best.slice(0, 4).join(", ")}${best.length > 4 ? " …" : ""}.`
    );
  },
  // Dragging from the patch moves the patch; dragging from anywhere else moves the second patch.
  ...gesturesFor((s, size, p) => {
    const { x, y, cell, side } = layout(s, size),
      at = (q) => [(q.y - y) / cell, (q.x - x) / cell].map(Math.floor),
      near = Math.hypot(p.y - y - (s.row + 0.5) * cell, p.x - x - (s.column + 0.5) * cell);
    return [
      { on: near < Math.max(0.7 * cell, 16), to: (now, q) => movePatch(limits, now, ...at(q)) },
      {
        on: { x, y, w: side - 1, h: side - 1 },
        to: (now, q) => (inside(...at(q)) ? moveSecond(limits, now, ...at(q)) : now),
      },
    ];
  }),
  key(s, { right, up, end, shift }) {
    if (shift) return moveSecond(limits, s, s.row + s.down - up, s.column + s.right + right);
    return movePatch(limits, s, s.row - up, end ? end * SIDE : s.column + right);
  },
  parts: boxes(layout, {
    picture: ({ x, y, side }) => [x, y, side, side],
    scores: ({ x, y, side }) => [x, y + side + 6, side, 22],
    second: ({ x, y, cell }, _, s) => [x + (s.column + s.right) * cell, y + (s.row + s.down) * cell, cell, cell],
    hands({ faces: dials, r }) {
      const [first, last] = [dials[0], dials.at(-1)];
      return [first.x - r, first.y - r, last.x - first.x + 2 * r, last.y - first.y + 2 * r + 22];
    },
  }),
  done: {
    place: ({ row, column }) => (row === column ? "Found: where row and column are one number, on the diagonal." : ""),
    main: ({ scheme, down, right }) =>
      scheme === "rotary" && down === -UP && right === -LEFT
        ? "Found: two up and three to the left, score 1. Move the patch: it always looks there."
        : "",
  },
  play: { trait: "column", unit: 500 },
});
