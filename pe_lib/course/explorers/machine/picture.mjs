// Draws the machine of the course: a sentence, a row of clocks below it, and a table with a row for each position.
// Explorers of the kind `machine` and the front page's first picture are made of these parts.
import { decimals } from "../frame/controls.mjs";
import { clamp, encodeTable, frequency, range } from "../maths.mjs";
import { lines } from "../scene/axes.mjs";
import { hand, knob, tip } from "../scene/chart.mjs";
import { clock } from "../scene/clocks.mjs";
import { at } from "../scene/glide.mjs";
import { line, rect, ring, shade, text } from "../scene/svg.mjs";

export const WORDS = "the old dog bites the young man at noon".split(" ");

// The base is 100, so that even the slowest hand turns visibly within a sentence
export const BASE = 100;
export const PAIRS = 8;
export const SPEEDS = range(PAIRS, (pair) => frequency(pair, 2 * PAIRS, BASE));

// Return the rows of positions 0 … count − 1 as lists.
export function encodePositions(count) {
  const table = encodeTable(count, 2 * PAIRS, BASE);
  return range(count, (k) => Array.from(table.subarray(2 * PAIRS * k, 2 * PAIRS * (k + 1))));
}

// The widths of letters in ems, roughly. A word is stretched to the width for which it was set.
const EMS = { 0.31: "fijlt.,:;'!|()I", 0.47: "crsz-?", 0.92: "mwMW@%", 0.7: "ABCDEFGHKLNOPQRSTUVXYZ&" };
const NARROW = Object.entries(EMS).flatMap(([ems, letters]) => [...letters].map((letter) => [letter, Number(ems)]));
const WIDTH_OF = Object.fromEntries(NARROW);
const SPACE = 0.27;
export const measureWord = (word) => [...word].reduce((sum, letter) => sum + (WIDTH_OF[letter] ?? 0.57), 0);

// Set words of a size in lines of a width, where `measure` returns a word's width in ems.
export const typeset = (words, size, width = Infinity, lead = 0, measure = measureWord) =>
  lines(
    words.map((word) => size * measure(word)),
    size * SPACE,
    width + 1,
    lead,
  );

// Return the largest size up to `most` at which words fill no more than `count` lines.
function fitWords(words, w, most, count, measure) {
  for (let size = most; size > 9; size--) if (typeset(words, size, w, 1, measure).at(-1).y < count) return size;
  return 9;
}

// Return where everything is: the words, the clocks below them, and the table below the clocks.
// Columns of the table stand below their clocks. The layout leaves `margin` pixels free to the right of the table, and
// `beside` pixels if there are only a few clocks. The table may have more `rows` than the sentence has words. With
// `tall`, any sentence takes the same height: two lines on a phone, and a table of at most `tall` pixels.
/** @param {any} size @param {any} [how] */
export function layOut({ w: width }, how = {}) {
  const { words = WORDS, pairs = PAIRS, margin = 0, beside = 0, rows = words.length, tall = 0, measure } = how,
    w = Math.max(width, 160),
    isNarrow = w < 500,
    count = tall && isNarrow ? 2 : 1,
    most = isNarrow && !tall ? 18 : 23,
    size = fitWords(words, w, most, count, measure),
    lead = size + 27,
    places = typeset(words, size, w, lead, measure),
    labels = isNarrow ? 56 : 76,
    room = w - labels - margin,
    high = isNarrow ? 28 : 36, // half the height of the clocks' zone, which is the same for any number of pairs
    column = Math.min(room / pairs, 2 * high + 24),
    r = Math.max(1, Math.min(column / 2 - 3, high)),
    left = labels + Math.max(0, room - pairs * column - beside) / 2, // few clocks stand in the middle
    y = (count - 1) * (most + 27) + most + 32 + high,
    dials = range(pairs, (i) => ({ x: left + (i + 0.5) * column, y, r, frequency: SPEEDS[i] })),
    top = y + high + 48,
    usual = isNarrow ? 15 : 17,
    row = tall ? Math.min(tall / rows, 1.4 * usual) : (usual * words.length) / rows;
  return {
    ...{ w, size, words, places, left, column, dials, high, top, row, rows, isNarrow },
    numbers: y + high + 17,
    wide: pairs * column,
    foot: top + rows * row,
    middle: (k) => top + (k + 0.5) * row,
  };
}

// Return the index of the word at a point, or −1.
export const wordAt = ({ places, size }, p) =>
  places.findIndex(({ x, y, w }) => p.x > x - 3 && p.x < x + w + 3 && p.y > y - 4 && p.y < y + 2.3 * size);

// Return the position of a point in the table, or −1.
export const rowAt = ({ top, row, rows, foot }, p) =>
  p.y >= top && p.y < foot ? clamp(Math.floor((p.y - top) / row), 0, rows - 1) : -1;

// Draw a word of the sentence at its place.
export const drawWord = ({ size }, says, { x, y, w }, more) =>
  at(x, y, text(0, size, "serif f-ink", says, { "font-size": size, textLength: w, ...more }));

// Draw the sentence. Words after the position `t` are paler.
export const drawSentence = (to, t = Infinity) =>
  to.words.map((says, k) =>
    drawWord(to, says, to.places[k], { opacity: clamp(Math.round(100 - 40 * (k - t)) / 100, 0.6, 1) }),
  );

// Return where a position between two words is, as a box below the letters. It jumps to another line.
export function underline({ places, size }, t) {
  const k = clamp(Math.floor(t), 0, Math.max(0, places.length - 2)),
    [one, two = one] = [places[k], places[k + 1]],
    f = one.y === two.y ? t - k : Math.round(t - k);
  const between = (name) => one[name] + (two[name] - one[name]) * f;
  return { x: between("x"), y: between("y") + size + 7, w: between("w") };
}

// Draw a line below the word in hand, with its position if the words are numbered.
export function drawMark(to, t, { c = "ink", label = String(Math.round(t)) } = {}) {
  const { x, y, w } = underline(to, t);
  return [line(x, y, x + w, y, `l-${c} bar`), text(x + w / 2, y + 16, `mono small mid f-${c}`, label)];
}

// Draw a number below each word that is not in hand.
export const drawNumbers = (to, ...hidden) =>
  to.places.map(({ x, y, w }, k) =>
    hidden.includes(k) ? [] : text(x + w / 2, y + to.size + 23, "mono small mid f-muted", k),
  );

// Draw a clock with no shadow of its hand, with the sine as a shadow, or with sine and cosine as two `shadows`.
export function drawClock(dial, angle, shadows = 2) {
  if (shadows > 1) return clock(dial, angle);
  const [x, y] = tip(dial, angle);
  return [
    ring(dial.x, dial.y, dial.r),
    shadows ? [line(dial.x, dial.y, x, dial.y, "l-blue bar"), line(x, dial.y, x, y, "l-grid dash")] : [],
    hand(dial, angle, "l-ink bar"),
    knob(x, y, 3.5),
  ];
}

// Write the sine and the cosine of a hand's angle below its clock.
export const drawPair = (x, y, angle) => [
  text(x, y, "mono small mid f-blue", decimals(Math.sin(angle), 2)),
  text(x, y + 17, "mono small mid f-orange", decimals(Math.cos(angle), 2)),
];

// Draw the clocks at a position, with their numbers if the layout has room for these.
export const drawClocks = (to, t, { numbers = true } = {}) =>
  to.dials.map((dial) => [
    drawClock(dial, t * dial.frequency),
    numbers ? drawPair(dial.x, to.numbers, t * dial.frequency) : [],
  ]);

// Draw numbers as cells of the looks "encoding" or "signed", from x on.
export const drawCells = (numbers, x, y, width, high, look = "encoding") =>
  numbers.map((v, c) => rect(x + c * width, y, width, high, "", shade(clamp(v, -1, 1), look, c)));

// Shorten a long word for the space in front of its row.
export const shorten = (word) => (word.length > 6 ? `${word.slice(0, 5)}…` : word);

// Write the words, or positions and words, in front of the rows.
export const drawLabels = (to, { numbered = true, bold = -1 } = {}) =>
  to.words.map((word, k) =>
    text(
      to.left - 6,
      to.middle(k) + 4,
      `mono small end ${k === bold ? "f-ink bold" : "f-muted"}`,
      `${numbered ? `${k} ` : ""}${shorten(word)}`,
    ),
  );

// Draw a frame around the row of a position.
export const drawFrame = (to, t, c = "l-ink") => rect(to.left, to.top + t * to.row, to.wide, to.row, c);

// Draw a row of numbers as bars that point up or down, in the place of the clocks.
export function drawBars(to, numbers, label, most = 1.6) {
  const cell = to.wide / numbers.length,
    zero = to.top - 56,
    bar = (v) => (Math.min(Math.abs(v), most) * 42) / most;
  return [
    numbers.map((v, c) =>
      rect(to.left + c * cell + 1, v > 0 ? zero - bar(v) : zero, cell - 2, bar(v), "", shade(Math.sign(v), "signed")),
    ),
    line(to.left, zero, to.left + to.wide, zero, "l-ink thin"),
    text(to.left - 6, zero + 4, "mono small end f-ink bold", label),
  ];
}

// Draw the clocks without hands, where nothing tells the position any more.
export const drawEmptyClocks = (to) => to.dials.map(({ x, y, r }) => ring(x, y, r, "l-grid dash"));

// Cover the table with paper where it is not the subject.
export const dimTable = (to) => rect(to.left, to.top, to.wide, to.foot - to.top, "f-paper", { "fill-opacity": 0.75 });
