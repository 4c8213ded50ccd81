// The first parts of the machine: words as rows of numbers, their order, one wave, many speeds, and the cosine.
import { decimals } from "../frame/controls.mjs";
import { range } from "../maths.mjs";
import { curve, knob, tip } from "../scene/chart.mjs";
import { line, rect, shade, text } from "../scene/svg.mjs";
import { fittingPositions, wordVector } from "./mixtures.mjs";
import { drawMixtures, drawVectors, drawWords, holdWords, largestChange, moveByKey, readOrder } from "./moving.mjs";
import { dimTable, drawBars, drawClock, drawClocks, drawFrame, drawLabels, drawMark } from "./picture.mjs";
import { drawNumbers, drawPair, drawSentence, encodePositions, layOut, PAIRS, WORDS } from "./picture.mjs";

const COUNT = WORDS.length,
  LAST = COUNT - 1;

const nearest = (s) => Math.round(s.position);

// --- Words that can be moved ---

// Return the layout of a sentence in another order. Beside the mixtures is a column for their changes.
const layOutOrder = (s, size) => layOut(size, { words: readOrder(s), margin: s.part === "shuffle" ? 46 : 0 });

// Return whether the man bites the dog.
const isReversed = ({ order }) => order.indexOf(6) < order.indexOf(3) && order.indexOf(3) < order.indexOf(2);

const moving = { last: LAST, isStill: true, layout: layOutOrder, holds: holdWords(layOutOrder), key: moveByKey };

const words = {
  ...moving,
  draw(s, size) {
    const to = layOutOrder(s, size),
      chosen = s.order[nearest(s)],
      cells = drawVectors(WORDS, to.left, to.wide, to.row);
    return [
      drawBars(to, wordVector(WORDS[chosen]), WORDS[chosen]),
      drawWords(s, to, (k) => cells[k], { hasRow: (k) => s.stage > 1 || k === chosen }),
    ];
  },
  reading(s) {
    const word = WORDS[s.order[nearest(s)]],
      [a, b, c] = wordVector(word).map((v) => decimals(v, 2));
    return `**${readOrder(s).join(" ")}**\nThe row of “${word}” begins ${a}, ${b}, ${c}. Nobody trained these numbers.`;
  },
  done: (s) => (isReversed(s) ? "Found: now the man bites the dog, and the nine rows are the same as before." : ""),
};

const shuffle = {
  ...moving,
  draw: (s, size) => drawMixtures(s, layOutOrder(s, size), s.stage > 1),
  reading(s) {
    const most = largestChange(s),
      isFirst = s.order.every((k, place) => k === place);
    const change = isFirst
      ? "This is the first order."
      : `The largest change of a number is ${decimals(most, 2)}${most ? "" : ", so attention did not notice"}.`;
    return `**${readOrder(s).join(" ")}**, ${s.clocks ? "with clocks" : "without clocks"}\n${change}`;
  },
  controls: [{ name: "clocks" }],
  done: (s) => (!s.clocks && isReversed(s) ? "Found: the sentence says the opposite, and no number has changed." : ""),
};

// --- One wave ---

const ROWS = encodePositions(COUNT);
const layOutClocks = (s, size) => layOut(size, { pairs: s.pairs, beside: s.part === "wave" && s.stage > 2 ? 150 : 0 });

// Draw the wave that the tip of the hand writes from position 0 to `end`, below the clock.
function drawWave(to, dial, end) {
  const x = (k) => dial.x + dial.r * Math.sin(k);
  return [
    line(dial.x, to.top, dial.x, to.foot, "l-grid"),
    range(COUNT).map((k) => line(dial.x - dial.r, to.middle(k), dial.x + dial.r, to.middle(k), "l-grid thin")),
    end > 0.02 ? curve("l-blue wave", range(81), (n) => [x((end * n) / 80), to.middle((end * n) / 80)]) : [],
  ];
}

// Draw the way from the tip of the hand down to the wave, which ends at position t.
function drawShadow(to, dial, t) {
  const x = (k) => dial.x + dial.r * Math.sin(k);
  return [
    range(Math.floor(t) + 1).map((k) => line(dial.x, to.middle(k), x(k), to.middle(k), "l-blue")),
    line(x(t), tip(dial, t)[1], x(t), to.middle(t), "l-muted dash"),
    line(dial.x, to.middle(t), x(t), to.middle(t), "l-blue bar"),
  ];
}

// Draw the numbers of one clock as cells with their values, for the positions up to t.
const drawValues = (to, x, columns, t) =>
  range(Math.floor(t + 0.01) + 1).map((k) =>
    columns.map((c, n) => [
      rect(x + 60 * n, to.middle(k) - to.row / 2 + 0.5, 59, to.row - 1, "", shade(ROWS[k][c], "encoding", c, 0.5)),
      text(x + 60 * n + 30, to.middle(k) + 4, "mono small mid f-ink", decimals(ROWS[k][c], 2)),
    ]),
  );

// Draw the table of all clocks in the layout, for the positions up to t.
function drawRows(to, t, columns = (_) => true) {
  const cell = to.wide / (2 * to.dials.length);
  return range(Math.floor(t + 0.01) + 1).map((k) =>
    range(2 * to.dials.length)
      .filter(columns)
      .map((c) =>
        rect(to.left + c * cell, to.top + k * to.row + 0.5, cell, to.row - 1, "", shade(ROWS[k][c], "encoding", c)),
      ),
  );
}

const numbered = (s, to) => [drawNumbers(to, nearest(s)), drawMark(to, s.position)];

const wave = {
  last: LAST,
  layout: layOutClocks,
  draw(s, size) {
    const to = layOutClocks(s, size),
      t = s.position,
      isAlone = s.pairs === 1,
      [dial] = to.dials,
      beside = dial.x + dial.r + 26;
    return [
      drawSentence(to),
      numbered(s, to),
      isAlone
        ? [
            drawClock(dial, t, s.stage > 3 ? 2 : Number(s.stage > 1)),
            s.stage > 1 ? [drawWave(to, dial, t), drawShadow(to, dial, t), drawLabels(to, { bold: nearest(s) })] : [],
            s.stage > 2 ? drawValues(to, beside, s.stage > 3 ? [0, 1] : [0], t) : [],
          ]
        : [drawClocks(to, t), drawLabels(to, { bold: nearest(s) }), drawRows(to, t), drawFrame(to, nearest(s))],
    ];
  },
  reading(s) {
    const k = nearest(s),
      right = decimals(Math.sin(k), 2),
      up = s.stage > 3 ? ` and ${decimals(Math.cos(k), 2)} up` : "";
    if (s.stage < 2)
      return `**Position ${k}, “${WORDS[k]}”:** the hand has turned ${k} ${k === 1 ? "time" : "times"} by 57 degrees.`;
    return `**Position ${k}, “${WORDS[k]}”:** the hand points ${right} to the right${up}.`;
  },
  done: ({ position }) =>
    nearest({ position }) === 3 ? "Found: at position 3 the hand points down, and its numbers are 0.14 and −0.99." : "",
};

// --- Many speeds ---

const layOutRow = (_, size) => layOut(size);

// Cover the clocks and the columns from one pair to another with paper.
const dimPairs = (to, from, end) =>
  rect(
    to.left + from * to.column,
    to.dials[0].y - to.high - 6,
    (end - from) * to.column,
    to.foot - to.dials[0].y + to.high + 6,
    "f-paper",
    {
      "fill-opacity": 0.8,
    },
  );

const speeds = {
  last: LAST,
  layout: layOutRow,
  draw(s, size) {
    const to = layOutRow(s, size);
    return [
      drawSentence(to),
      numbered(s, to),
      drawClocks(to, s.position, { numbers: s.stage > 1 }),
      drawLabels(to, { bold: nearest(s) }),
      drawRows(to, LAST),
      s.stage > 1 ? drawFrame(to, s.position) : dimTable(to),
      s.stage === 2 ? dimPairs(to, 2, PAIRS) : s.stage === 3 ? dimPairs(to, 0, 4) : [],
    ];
  },
  reading(s) {
    const k = nearest(s),
      turn = (i) => Math.round((180 / Math.PI) * k * 100 ** (-i / PAIRS));
    return `**Position ${k}, “${WORDS[k]}”:** the first hand has turned by ${turn(0)} degrees, the fourth by ${turn(3)}, and the last by ${turn(7)}.`;
  },
  done: ({ position }) =>
    nearest({ position }) === 6
      ? "Found: at position 6 the first hand is nearly back at the top. The slower hands tell 6 from 0."
      : "",
};

// --- The partner ---

const partner = {
  last: LAST,
  layout: layOutClocks,
  draw(s, size) {
    const to = layOutClocks(s, size),
      k = nearest(s),
      [dial] = to.dials,
      isAlone = s.pairs === 1,
      fits = fittingPositions(COUNT, k, s.pairs, s.cosine),
      columns = (c) => s.cosine || c % 2 === 0;
    const ghost = isAlone && !s.cosine && s.stage > 1 ? drawGhost(dial, s.position) : [];
    const paler = range(COUNT).map((n) =>
      fits.includes(n)
        ? rect(to.left, to.top + n * to.row + 1, to.wide, to.row - 2, n === k ? "l-ink bar" : "l-ink")
        : rect(to.left, to.top + n * to.row, to.wide, to.row, "f-paper", { "fill-opacity": 0.75 }),
    );
    return [
      drawSentence(to),
      numbered(s, to),
      to.dials.map((one) => drawClock(one, s.position * one.frequency, s.cosine ? 2 : 1)),
      to.dials.map((one) => drawPair(one.x, to.numbers, s.position * one.frequency).slice(0, s.cosine ? 2 : 1)),
      ghost,
      s.stage > 3
        ? [drawLabels(to, { bold: k }), drawRows(to, LAST, columns), paler]
        : [drawWave(to, dial, LAST), drawLabels(to, { bold: k }), drawCrossings(to, dial, s)],
    ];
  },
  reading(s) {
    const k = nearest(s),
      fits = fittingPositions(COUNT, k, s.pairs, s.cosine),
      what = `${s.pairs === 1 ? "one clock" : `${s.pairs} clocks`}, ${s.cosine ? "sine and cosine" : "sine alone"}`;
    if (s.stage < 4)
      return `**Position ${k}:** the hand points ${decimals(Math.sin(k), 2)} to the right${s.cosine ? ` and ${decimals(Math.cos(k), 2)} up` : ""}.`;
    return `**Position ${k}, ${what}:** give or take 0.25, the numbers fit ${fits.length === 1 ? "this position alone" : `positions ${fits.join(", ")}`}.`;
  },
  controls: [{ name: "cosine" }, { name: "pairs", label: "clocks" }],
  done: ({ position, pairs, cosine }) =>
    !cosine && pairs === 2 && fittingPositions(COUNT, nearest({ position }), 2, false).length === 1
      ? "Found: the sines of two clocks leave this position alone. The second hand turns at another speed."
      : "",
};

// Mark where the wave is as far right as the hand points. The cosine leaves each second of these places.
function drawCrossings(to, dial, { position: t, cosine, stage }) {
  const x = dial.x + dial.r * Math.sin(t),
    turn = 2 * Math.PI,
    places = [t, Math.PI - t].flatMap((p, n) =>
      n && cosine ? [] : [-turn, 0, turn, 2 * turn].map((more) => p + more),
    );
  const inside = stage > 1 ? places.filter((p) => p >= 0 && p <= LAST) : [t];
  return [
    line(x, tip(dial, t)[1], x, to.foot, "l-muted dash"),
    inside.map((p) => knob(x, to.middle(p))),
    inside.map((p) => (stage > 1 ? text(dial.x + dial.r + 14, to.middle(p) + 4, "mono small f-ink", "here?") : [])),
  ];
}

// Draw the other hand that points equally far to the right, and ask which of the two it is.
function drawGhost(dial, t) {
  const other = Math.PI - t,
    [[ax, ay], [bx, by]] = [tip(dial, t), tip(dial, other)];
  const label = (x, y) => text(x + 8, y + (y > dial.y ? 10 : 0), "mono small f-ink halo", "here?");
  return [
    line(dial.x, dial.y, bx, by, "l-ink bar dash"),
    line(bx, by, ax, ay, "l-grid dash"),
    label(ax, ay),
    label(bx, by),
  ];
}

export const basics = { words, shuffle, wave, speeds, partner };
