// Parts of the machine for longer texts, for words on a page with two axes, for layers that differ, and for lengths.
import { decimals, groupDigits } from "../frame/controls.mjs";
import { clamp, range, rememberLast } from "../maths.mjs";
import { curve, hand, knob, linear, logarithmic, tip, wedge } from "../scene/chart.mjs";
import { line, path, rect, ring, shade, table, text } from "../scene/svg.mjs";
import { drawClock, drawEmptyClocks, drawFrame, drawLabels, drawMark, drawNumbers } from "./picture.mjs";
import { drawSentence, drawWord, layOut, measureWord, PAIRS, rowAt, SPEEDS, underline, WORDS } from "./picture.mjs";
import { isTurning, LAYERS, layerShares, lengthShares, SHORTEST, stretchedAngles } from "./scores.mjs";

const COUNT = WORDS.length,
  LAST = COUNT - 1,
  LONG = 4 * LAST + 1; // words in the longer text, whose last position is four times the last one in training

const nearest = (s) => Math.round(s.position);
const word = (k) => `“${WORDS[k]}”`;
const numbered = (s, to) => [drawNumbers(to, nearest(s)), drawMark(to, s.position)];

// --- A longer text ---

const layOutLong = (_, size) => layOut(size, { rows: LONG });
const stretchedRows = rememberLast((factor) =>
  Float64Array.from(
    range(LONG).flatMap((k) => SPEEDS.flatMap((v) => [Math.sin((k / factor) * v), Math.cos((k / factor) * v)])),
  ),
);

// Draw a longer text as dashes below the sentence. Those that training had are green.
function drawRail(to, t, stage) {
  const { y } = underline(to, 0),
    step = to.w / LONG;
  return [
    range(stage > 1 ? LONG : COUNT).map((k) =>
      rect(k * step + 1, y, step - 2, 5, k < COUNT ? "f-green" : "f-muted", { "fill-opacity": k <= t ? 1 : 0.35 }),
    ),
    text(clamp((t + 0.5) * step, 8, to.w - 8), y + 19, "mono small mid f-ink", Math.round(t)),
  ];
}

function drawStretchedClock(dial, { reached, angle, isNew }, y) {
  const [x, top] = tip(dial, angle);
  return [
    path("f-green", wedge(dial, 0, reached), { "fill-opacity": 0.3 }),
    isNew ? path("f-muted", wedge(dial, reached, Math.min(angle, 2 * Math.PI)), { "fill-opacity": 0.3 }) : [],
    ring(dial.x, dial.y, dial.r),
    hand(dial, angle, "l-ink bar"),
    knob(x, top, 3.5),
    isNew ? text(dial.x, y, "mono small mid bold f-ink", "new") : [],
  ];
}

const stretch = {
  last: LONG - 1,
  layout: layOutLong,
  draw(s, size) {
    const to = layOutLong(s, size),
      angles = stretchedAngles(s.position, s.factor, COUNT),
      end = s.stage > 1 ? LONG : COUNT;
    const label = (k) => text(to.left - 6, to.middle(k) + 4, "mono small end f-muted", k);
    return [
      drawSentence(to),
      drawRail(to, s.position, s.stage),
      to.dials.map((dial, i) => drawStretchedClock(dial, angles[i], to.numbers)),
      table(to.left, to.top, to.wide, to.row * LONG, 2 * PAIRS, stretchedRows(s.factor), "encoding"),
      end < LONG ? rect(to.left, to.top + end * to.row, to.wide, to.foot - to.top - end * to.row, "f-paper") : [],
      [0, LAST, ...(end === LONG ? [LONG - 1] : [])].map(label),
      line(to.left - 3, to.top, to.left - 3, to.top + COUNT * to.row, "l-green bar"),
      drawFrame(to, s.position),
    ];
  },
  reading(s) {
    const fresh = stretchedAngles(nearest(s), s.factor, COUNT).filter(({ isNew }) => isNew).length,
      by = s.factor > 1 ? `, divided by ${s.factor}` : "",
      turn = Math.round(180 / Math.PI / s.factor);
    return `**Position ${nearest(s)}${by}:** ${fresh || "no"} new ${fresh === 1 ? "direction" : "directions"}. The fastest hand turns ${turn} degrees a word.`;
  },
  holds(s, size, p) {
    const step = size.w / LONG;
    const moveTo = (now, q) => ({ ...now, position: clamp(q.x / step - 0.5, 0, LONG - 1) });
    if (p.y > layOutLong(s, size).dials[0].y - 20) return undefined;
    return [{ on: true, to: moveTo, end: (now) => ({ ...now, position: nearest(now) }) }];
  },
  controls: [{ name: "factor", label: "divide by" }],
  done: ({ position, factor }) =>
    factor === 2 && nearest({ position }) === 16
      ? "Found: position 16, since half of 16 is 8. That was the last position in training."
      : "",
};

// --- Two axes ---

const HALF = PAIRS / 2,
  SIDE = 3, // words in a row of the page
  AXIS_SPEEDS = range(HALF, (i) => SPEEDS[2 * i]);
const cellOf = (k) => [k % SIDE, Math.floor(k / SIDE)]; // column and row
// Return the angle of a clock: the first half is for the column, the second for the row.
const axisAngle = (k, i) => cellOf(k)[i < HALF ? 0 : 1] * AXIS_SPEEDS[i % HALF];
const AXIS_ROWS = range(COUNT, (k) =>
  range(PAIRS).flatMap((i) => [Math.sin(axisAngle(k, i)), Math.cos(axisAngle(k, i))]),
);

// Return where each word stands on the page.
function placeOnPage({ w }) {
  const wide = Math.min(w, 330) / SIDE;
  return WORDS.map((says, k) => {
    const [column, row] = cellOf(k);
    return { x: (w - SIDE * wide) / 2 + column * wide + 10, y: row * 17 - 2, w: 15 * measureWord(says), wide };
  });
}

const axes = {
  last: LAST,
  layout: (_, size) => layOut(size),
  draw(s, size) {
    const to = layOut(size),
      places = placeOnPage(size),
      k = nearest(s),
      [column, row] = cellOf(k),
      clockCount = s.stage > 2 ? PAIRS : s.stage > 1 ? HALF : 0,
      own = places[k];
    const cell = to.wide / (2 * PAIRS);
    return [
      WORDS.map((says, n) => drawWord({ size: 15 }, says, places[n])),
      line(own.x, own.y + 19, own.x + own.w, own.y + 19, "l-ink bar"),
      to.dials.slice(0, clockCount).map((dial, i) => drawClock(dial, axisAngle(k, i))),
      clockCount > 0 ? text(to.left + to.wide / 4, to.numbers, "mono small mid f-ink", `column ${column}`) : [],
      clockCount > HALF ? text(to.left + (3 * to.wide) / 4, to.numbers, "mono small mid f-ink", `row ${row}`) : [],
      clockCount
        ? [
            drawLabels(to, { bold: k }),
            AXIS_ROWS.map((numbers, n) =>
              numbers
                .slice(0, 2 * clockCount)
                .map((v, c) =>
                  rect(to.left + c * cell, to.top + n * to.row + 0.5, cell, to.row - 1, "", shade(v, "encoding", c)),
                ),
            ),
            rect(to.left, to.top + k * to.row, 2 * clockCount * cell, to.row, "l-ink"),
          ]
        : [drawEmptyClocks(to), drawLabels(to, { bold: k })],
    ];
  },
  reading(s) {
    const [column, row] = cellOf(nearest(s));
    return `**${word(nearest(s))}** stands in column ${column} and in row ${row} of the page.`;
  },
  holds(_, size, p) {
    const to = layOut(size),
      places = placeOnPage(size);
    const wordNear = (q) =>
      places.findIndex(({ x, y, wide }) => q.x > x - 10 && q.x <= x - 10 + wide && q.y > y && q.y <= y + 19);
    const choose = (k) => (now) => (k < 0 ? now : { ...now, position: k });
    return [
      { on: wordNear(p) >= 0, to: (now, q) => choose(wordNear(q))(now) },
      { on: rowAt(to, p) >= 0, to: (now, q) => choose(rowAt(to, q))(now) },
    ];
  },
  key(s, { right, up, end }) {
    const [column, row] = cellOf(nearest(s)),
      last = SIDE - 1;
    if (end) return { ...s, position: end > 0 ? LAST : 0 };
    return { ...s, position: clamp(column + right, 0, last) + SIDE * clamp(row - up, 0, last) };
  },
  done: ({ position }) =>
    [4, 8].includes(nearest({ position }))
      ? "Found: column and row have the same number, so both groups of clocks show the same."
      : "",
};

// --- Layers ---

const sharesOf = rememberLast((position) => range(LAYERS, (layer) => layerShares(WORDS, position, layer)));

const layers = {
  last: LAST,
  shows:
    "A sentence, the clocks of the underlined word, and a table with a row for each layer and a column for each word.",
  layout: (_, size) => layOut(size, { rows: LAYERS }),
  draw(s, size) {
    const to = layOut(size, { rows: LAYERS }),
      q = nearest(s),
      all = sharesOf(q),
      cell = to.wide / COUNT;
    const drawLayer = (layer) => [
      text(
        to.left - 6,
        to.middle(layer) + 4,
        `mono small end ${layer === s.layer ? "f-ink bold" : "f-muted"}`,
        `layer ${layer}`,
      ),
      all[layer].map((share, k) => [
        rect(to.left + k * cell, to.top + layer * to.row + 1, cell - 1, to.row - 2, "", shade(share, "shares", 0, 0.7)),
        text(to.left + (k + 0.5) * cell, to.middle(layer) + 4, "mono small mid f-ink", share.toFixed(2)),
      ]),
      layer === s.layer ? drawFrame(to, layer) : [],
    ];
    return [
      drawSentence(to),
      numbered(s, to),
      isTurning(s.layer) ? to.dials.map((dial) => drawClock(dial, s.position * dial.frequency)) : drawEmptyClocks(to),
      text(
        to.left + to.wide / 2,
        to.numbers + 4,
        "mono small mid f-ink",
        isTurning(s.layer) ? "this layer turns its queries and keys" : "this layer turns nothing",
      ),
      range(q + 1).map((k) =>
        text(to.left + (k + 0.5) * cell, to.top - 6, "mono small mid f-muted", to.isNarrow ? k : WORDS[k]),
      ),
      range(s.stage > 2 ? LAYERS : s.stage > 1 ? LAYERS - 1 : 1).map(drawLayer),
    ];
  },
  reading(s) {
    const q = nearest(s),
      shares = sharesOf(q)[s.layer],
      most = shares.indexOf(Math.max(...shares));
    return `**${word(q)}, layer ${s.layer}:** ${decimals(100 * shares[most], 0)} % of its attention goes to ${most === q ? "the word itself" : `${word(most)} at position ${most}`}.`;
  },
  holds(s, size, p) {
    const to = layers.layout(s, size),
      layer = rowAt(to, p);
    const choose = (now, q) => ({ ...now, layer: rowAt(to, q) < 0 ? now.layer : rowAt(to, q) });
    return layer < 0 ? undefined : [{ on: true, to: choose }];
  },
  controls: [{ name: "layer" }],
  done: ({ layer }) =>
    layer === 1 ? "Found: layer 1. Its highest share is two words back, wherever the word stands." : "",
};

// --- Length ---

const SOUGHT = LAST; // the word that attention looks for
const lengthAt = (step) => Math.min(1_000_000, Math.round(SHORTEST * 10 ** (step / 20)));

const length = {
  last: LAST,
  isStill: true,
  layout: (_, size) => layOut(size),
  draw(s, size) {
    const to = layOut(size),
      { sought, other } = lengthShares(s.length, s.grows),
      x = logarithmic([SHORTEST, 1_000_000], [to.left, to.left + to.wide]),
      y = linear([0, 1], [to.top - 34, to.dials[0].y - to.high + 6]),
      points = range(61).map((n) => 9 * 10 ** ((n * Math.log10(1_000_000 / 9)) / 60));
    const share = (k) => (k === SOUGHT ? sought : other),
      wide = to.wide - 62;
    return [
      drawSentence(to),
      s.length > SHORTEST
        ? text(
            to.w,
            underline(to, 0).y + 16,
            "mono small end f-ink",
            `and ${groupDigits(s.length - SHORTEST)} more words`,
          )
        : [],
      s.stage > 1
        ? [
            [0, 1].map((v) => [
              line(to.left, y.at(v), to.left + to.wide, y.at(v), "l-grid"),
              text(to.left - 6, y.at(v) + 4, "mono small end f-muted", `${100 * v} %`),
            ]),
            [10, 1_000, 100_000].map((n) => text(x.at(n), to.top - 18, "mono small mid f-muted", groupDigits(n))),
            curve("l-purple bar", points, (n) => [x.at(n), y.at(lengthShares(n, s.grows).sought)]),
            knob(x.at(s.length), y.at(sought)),
          ]
        : [],
      drawLabels(to, { bold: SOUGHT, numbered: false }),
      range(COUNT).map((k) => [
        rect(to.left, to.top + k * to.row + 2, Math.max(0.5, wide * share(k)), to.row - 4, "f-purple"),
        text(to.left + wide * share(k) + 5, to.middle(k) + 4, "mono small f-purple", percent(share(k))),
      ]),
    ];
  },
  reading(s) {
    const { sought } = lengthShares(s.length, s.grows);
    return `**${groupDigits(s.length)} words:** ${word(SOUGHT)} gets ${percent(sought)} of the attention, and all other words share the rest.`;
  },
  holds(_, size, p) {
    const to = layOut(size),
      x = logarithmic([SHORTEST, 1_000_000], [to.left, to.left + to.wide]);
    const choose = (now, q) => ({ ...now, length: clamp(Math.round(x.of(q.x)), SHORTEST, 1_000_000) });
    return [{ on: p.y < to.top, to: choose }];
  },
  key(s, { right, up, end }) {
    const step = 20 * Math.log10(s.length / SHORTEST);
    return {
      ...s,
      length: end
        ? end > 0
          ? 1_000_000
          : SHORTEST
        : clamp(lengthAt(Math.round(step) + right + up), SHORTEST, 1_000_000),
    };
  },
  controls: [
    {
      name: "length",
      label: "words",
      min: 0,
      max: () => 101,
      value: lengthAt,
      step: (n) => 20 * Math.log10(n / SHORTEST),
      text: groupDigits,
    },
    { name: "grows", label: "scores grow with the length" },
  ],
  done: ({ length: n, grows }) =>
    !grows && Math.abs(lengthShares(n, false).sought - 0.5) < 0.05
      ? `Found: in a text of ${groupDigits(n)} words, the word gets about half of the attention.`
      : "",
};

// Format a share in percent, with a decimal if it is small.
function percent(share) {
  if (share < 0.0005) return "below 0.1 %";
  return `${decimals(100 * share, share < 0.0995 ? 1 : 0)} %`;
}

export const beyond = { stretch, axes, layers, length };
