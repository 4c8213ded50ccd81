// Parts of the machine that compare two words: angles, a learned table, the mask alone, rotated queries, and biases.
import { decimals } from "../frame/controls.mjs";
import { clamp, range, rememberLast } from "../maths.mjs";
import { hand, knob, tip, wedge } from "../scene/chart.mjs";
import { line, path, rect, ring, shade, text } from "../scene/svg.mjs";
import { wordVector } from "./mixtures.mjs";
import { dimTable, drawBars, drawCells, drawEmptyClocks, drawFrame, drawLabels, drawMark } from "./picture.mjs";
import { drawNumbers, drawSentence, encodePositions, layOut, rowAt, SPEEDS, wordAt, WORDS } from "./picture.mjs";
import {
  biasedShares,
  KEY,
  QUERY,
  rotatedScore,
  rowProduct,
  TRAINING_STEPS,
  trainedTable,
  VISITED,
} from "./scores.mjs";

const COUNT = WORDS.length,
  LAST = COUNT - 1,
  TURN = 2 * Math.PI,
  ROWS = encodePositions(COUNT),
  OFFSET = 3; // between the two words with which the stories begin

const layout = (s, size) => layOut(size, { pairs: s.part === "angle" || s.part === "rotary" ? s.pairs : undefined });
const nearest = (s, name = "position") => Math.round(s[name]);
const word = (k) => `“${WORDS[k]}”`;
// Return the angle between two hands in whole degrees, by the shorter way.
const degrees = (angle) => Math.round((180 / Math.PI) * Math.abs(angle - TURN * Math.round(angle / TURN)));
const numbered = (s, to) => [drawNumbers(to, nearest(s)), drawMark(to, s.position)];
const cellsOf = (to, numbers, k, look, most = 1) =>
  drawCells(
    numbers.map((v) => v / most),
    to.left,
    to.top + k * to.row + 0.5,
    to.wide / numbers.length,
    to.row - 1,
    look,
  );

// --- Two positions ---

const inside = (x) => clamp(x, 0, LAST);
// Move both positions by the same number of words, as far as the sentence goes.
function moveBoth(s, by) {
  const most = clamp(by, -Math.min(s.position, s.key), LAST - Math.max(s.position, s.key));
  return { ...s, position: s.position + most, key: s.key + most };
}
const rounded = (s) => ({ ...s, position: nearest(s), key: nearest(s, "key") });

// Return what a reader can hold: the nearer hand of a clock, the sentence with both words, or a row for the key.
// `angles(dial, i)` are the angles of both hands of clock i.
const holdBoth = (angles) => (s, size, p) => {
  const to = layout(s, size),
    row = rowAt(to, p),
    word = wordAt(to, p),
    alone = word === nearest(s, "key") && word !== nearest(s);
  const clocks = to.dials.map((dial, i) => ({
    on: dial,
    ...windNearer(s, p, dial, angles(s, i)),
    end: rounded,
  }));
  const by = (q) => (COUNT * (q.x - p.x)) / size.w;
  return [
    ...clocks,
    { on: row >= 0, to: (now, q) => ({ ...now, key: rowAt(to, q) < 0 ? now.key : rowAt(to, q) }) },
    {
      on: p.y < to.dials[0].y,
      to: (now, q) => (alone ? { ...now, key: inside(s.key + by(q)) } : { ...now, ...pick(moveBoth(s, by(q))) }),
      end: rounded,
    },
  ];
};
const pick = ({ position, key }) => ({ position, key });

// Return how the hand that is nearer to the point turns.
function windNearer(s, p, { x, y, frequency }, [here, there]) {
  const angleTo = (q) => Math.atan2(q.x - x, y - q.y),
    off = (angle) => angle - TURN * Math.round(angle / TURN),
    name = Math.abs(off(angleTo(p) - here)) <= Math.abs(off(angleTo(p) - there)) ? "position" : "key";
  const start = angleTo(p) - s[name] * frequency;
  return {
    to: (now, q) => ({
      ...now,
      [name]: inside(now[name] + off(angleTo(q) - start - now[name] * frequency) / frequency),
    }),
  };
}

const moveBothByKey = (s, { right, up, end }) =>
  up ? { ...s, key: inside(nearest(s, "key") - up) } : moveBoth(rounded(s), end ? end * LAST : right);

// Draw a clock with a solid and a dashed hand, with the angle between them in green if `hasAngle` is true.
function drawTwoHands(dial, here, there, { hasAngle = true, c = "ink" } = {}) {
  const between = there - here - TURN * Math.round((there - here) / TURN),
    from = Math.min(here, here + between);
  return [
    hasAngle
      ? path("f-green", wedge({ ...dial, r: 0.75 * dial.r }, from, from + Math.abs(between)), { "fill-opacity": 0.35 })
      : [],
    ring(dial.x, dial.y, dial.r),
    hand(dial, there, "l-ink bar dash"),
    hand(dial, here, `l-${c} bar`),
    ring(...tip(dial, there), 3.5, "f-paper l-ink"),
    c === "ink" ? knob(...tip(dial, here), 3.5) : ring(...tip(dial, here), 3.5, `f-${c} knob`),
  ];
}

const drawBothMarks = (s, to, c) => [
  drawNumbers(to, nearest(s), nearest(s, "key")),
  drawMark(to, s.key),
  drawMark(to, s.position, { c }),
];

const anglesOf = (s, i) => [s.position * SPEEDS[i], s.key * SPEEDS[i]];
const angle = {
  last: LAST,
  layout,
  draw(s, size) {
    const to = layout(s, size),
      offset = s.key - s.position,
      isSame = s.stage > 2 && Math.abs(Math.abs(offset) - OFFSET) < 1e-6;
    return [
      drawSentence(to),
      drawBothMarks(s, to, "ink"),
      to.dials.map((dial, i) => [
        drawTwoHands(dial, ...anglesOf(s, i), { hasAngle: s.stage > 1 }),
        s.stage > 1 ? text(dial.x, to.numbers, "mono small mid f-green", `${degrees(offset * SPEEDS[i])}°`) : [],
        isSame ? text(dial.x, to.numbers + 17, "mono small mid f-green", "same") : [],
      ]),
      drawLabels(to, { bold: nearest(s) }),
      ROWS.map((row, k) => cellsOf(to, row.slice(0, 2 * s.pairs), k, "encoding")),
      s.stage > 3 ? [drawFrame(to, s.position), drawFrame(to, s.key, "l-ink dash")] : dimTable(to),
    ];
  },
  reading(s) {
    const [t, k] = [nearest(s), nearest(s, "key")],
      product = s.stage > 3 ? ` The dot product of their rows is ${decimals(rowProduct(t - k, s.pairs), 2)}.` : "";
    return `**Positions ${t} and ${k}:** their fastest hands differ by ${degrees(t - k)} degrees.${product}`;
  },
  holds: holdBoth(anglesOf),
  key: moveBothByKey,
  done: ({ position, key }) =>
    Math.abs(nearest({ position }) - nearest({ key }, "key")) === 6
      ? "Found: words that are 6 apart. Their fastest hands nearly meet, and the slower hands stay apart."
      : "",
};

// --- A learned table ---

const learned = {
  last: LAST,
  layout,
  draw(s, size) {
    const to = layout(s, size),
      k = nearest(s),
      { rows } = trainedTable(COUNT)[s.trained],
      end = to.top + VISITED * to.row;
    return [
      drawSentence(to),
      numbered(s, to),
      drawBars(to, rows[k], `row ${k}`, 2),
      drawLabels(to, { bold: k }),
      rows.map((row, n) => cellsOf(to, row, n, "signed", 1.5)),
      s.stage > 2 ? line(to.left - 4, end, to.w, end, "l-ink dash") : [],
      drawFrame(to, s.position),
    ];
  },
  reading(s) {
    const k = nearest(s),
      right = Math.round(100 * trainedTable(COUNT)[s.trained].right[k]),
      visited = k < VISITED ? "" : " No text in training was so long.";
    return `**Row ${k}, after ${s.trained} steps:** it is recognised as row ${k} with a probability of ${right} %.${visited}`;
  },
  controls: [{ name: "trained", label: "training" }],
  done: ({ position, trained }) =>
    nearest({ position }) === VISITED && trained === TRAINING_STEPS
      ? "Found: row 6. Training texts had positions 0 to 5, so its random numbers never changed."
      : "",
};

// --- The mask alone ---

const VECTORS = WORDS.map(wordVector);
const nothing = {
  last: LAST,
  layout,
  draw(s, size) {
    const to = layout(s, size),
      cell = to.wide / COUNT,
      q = nearest(s);
    const drawShare = (row, k) => [
      rect(to.left + k * cell, to.top + row * to.row + 0.5, cell, to.row - 1, "", {
        ...shade(s.stage > 2 ? 1 / (row + 1) : 0.12, "shares", 0, 0.5),
      }),
      s.stage > 2
        ? text(to.left + (k + 0.5) * cell, to.middle(row) + 4, "mono small mid f-ink", decimals(1 / (row + 1), 2))
        : [],
    ];
    return [
      drawSentence(to),
      numbered(s, to),
      drawEmptyClocks(to),
      drawLabels(to, { bold: q }),
      s.stage > 1
        ? range(COUNT).map((row) => range(row + 1).map((k) => drawShare(row, k)))
        : VECTORS.map((v, k) => cellsOf(to, v, k, "signed", 1.6)),
      // the frame lies outside the row, so that its lines do not touch the digits
      rect(to.left, to.top + q * to.row - 1, s.stage > 1 ? (q + 1) * cell : to.wide, to.row + 2, "l-ink"),
    ];
  },
  reading(s) {
    const k = nearest(s),
      share = s.stage > 2 ? ` If it looks at all of them equally, each share is ${decimals(1 / (k + 1), 2)}.` : "",
      whom = k ? `itself and ${k} ${k > 1 ? "words" : "word"} before it` : "itself alone";
    if (s.stage < 2) return `**${word(k)}** is a row of numbers that says nothing about its position.`;
    return `**${word(k)}** sees ${whom}.${share}`;
  },
  done: ({ position }) =>
    nearest({ position }) === 4 ? "Found: at position 4 a word sees five words, itself included." : "",
};

// --- Rotated queries and keys ---

const handsOf = (s, i) => {
  const by = s.stage > 1 ? SPEEDS[i] : 0;
  return [QUERY[i] + s.position * by, KEY[i] + s.key * by];
};

// Draw a bar to the right of the middle for a positive number, and to the left for a negative one.
function drawScore(to, k, score, most, { c = "muted", x = to.left + to.wide / 2, wide = to.wide / 2 - 44 } = {}) {
  const high = to.row - 4,
    y = to.top + k * to.row + 2,
    end = (wide * clamp(score, -most, most)) / most;
  return [
    rect(Math.min(x, x + end), y, Math.abs(end), high, `f-${c}`),
    text(
      x + end + (end < 0 ? -4 : 4),
      to.middle(k) + 4,
      `mono small f-ink${end < 0 ? " end" : ""}`,
      decimals(score, 2),
    ),
  ];
}

const rotary = {
  last: LAST,
  layout,
  draw(s, size) {
    const to = layout(s, size),
      x = to.left + to.wide / 2;
    return [
      drawSentence(to),
      drawBothMarks(s, to, "purple"),
      to.dials.map((dial, i) => [
        s.stage > 1 ? [hand(dial, QUERY[i], "l-purple thin dash"), hand(dial, KEY[i], "l-muted thin dash")] : [],
        drawTwoHands(dial, ...handsOf(s, i), { hasAngle: s.stage > 1, c: "purple" }),
      ]),
      drawLabels(to, { bold: nearest(s, "key") }),
      s.stage > 1
        ? [
            line(x, to.top, x, to.foot, "l-grid"),
            range(COUNT).map((k) => {
              const isOwn = k === nearest(s, "key");
              if (s.stage < 4 && !isOwn) return [];
              return drawScore(to, k, rotatedScore(nearest(s), k, s.pairs), s.pairs, { c: isOwn ? "green" : "muted" });
            }),
          ]
        : [ROWS.map((row, k) => cellsOf(to, row.slice(0, 2 * s.pairs), k, "encoding")), dimTable(to)],
    ];
  },
  reading(s) {
    const [q, k] = [nearest(s), nearest(s, "key")];
    if (s.stage < 2) return `**Query at ${q}, key at ${k}:** the hands do not depend on the positions yet.`;
    return `**Query at ${q}, key at ${k}:** the score is ${decimals(rotatedScore(q, k, s.pairs), 2)}, as at any two positions with offset ${decimals(q - k, 0)}.`;
  },
  holds: holdBoth(handsOf),
  key: moveBothByKey,
  done: ({ position, key, pairs }) => {
    const q = nearest({ position }),
      scores = range(COUNT, (k) => rotatedScore(q, k, pairs));
    return scores[nearest({ key }, "key")] === Math.max(...scores)
      ? `Found: at position ${nearest({ key }, "key")} this key scores highest, ${decimals(Math.max(...scores), 2)}.`
      : "";
  },
};

// --- A bias for each offset ---

const sharesOf = rememberLast((position, slope) => biasedShares(WORDS, position, slope));

const bias = {
  last: LAST,
  layout,
  draw(s, size) {
    const to = layout(s, size),
      q = nearest(s),
      { scores, biases, shares } = sharesOf(q, s.slope),
      third = to.wide / 3,
      column = (n) => to.left + n * third,
      top = to.dials[0].y - to.high;
    const drawBias = (v, k) => {
      const x = to.left + (k * to.wide) / COUNT,
        high = clamp(-v * 9, 0, 72);
      return [
        rect(x + 2, top, to.wide / COUNT - 4, high + 1, "f-ink"),
        text(x + to.wide / COUNT / 2, top + high + 14, "mono small mid f-ink", decimals(v, to.isNarrow ? 1 : 2)),
      ];
    };
    return [
      drawSentence(to),
      numbered(s, to),
      s.stage > 1 ? biases.map(drawBias) : drawEmptyClocks(to),
      drawLabels(to, { bold: q }),
      ["score", "with bias", "share"]
        .slice(0, s.stage)
        .map((says, n) => text(column(n) + third / 2, to.top - 5, "mono small mid f-muted", says)),
      scores.map((score, k) => [
        text(column(0) + third / 2, to.middle(k) + 4, "mono small mid f-ink", decimals(score, 2)),
        s.stage > 1
          ? text(column(1) + third / 2, to.middle(k) + 4, "mono small mid f-ink", decimals(score + biases[k], 2))
          : [],
        s.stage > 2
          ? [
              rect(column(2), to.top + k * to.row + 2, (third - 36) * shares[k], to.row - 4, "f-purple"),
              text(
                column(2) + (third - 36) * shares[k] + 4,
                to.middle(k) + 4,
                "mono small f-purple",
                shares[k].toFixed(2),
              ),
            ]
          : [],
      ]),
    ];
  },
  reading(s) {
    const q = nearest(s),
      { shares } = sharesOf(q, s.slope);
    if (s.stage < 2) return `**${word(q)} at position ${q}:** its scores do not depend on where the words stand.`;
    return `**${word(q)} at position ${q}, slope ${decimals(s.slope, 2)}:** the first word gets ${decimals(100 * shares[0], 1)} % of the attention.`;
  },
  controls: [{ name: "slope", per: 16, text: (x) => decimals(x, 2) }],
  done: ({ position, slope }) =>
    nearest({ position }) === LAST && sharesOf(LAST, slope).shares[0] < 0.01
      ? `Found: with slope ${decimals(slope, 2)}, the first word gets less than 1 % of the attention.`
      : "",
};

export const relations = { angle, learned, nothing, rotary, bias };
