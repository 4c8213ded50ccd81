// Words that change places, each with its row: the parts `words` and `shuffle`, and the sentence of the front page.
// The state holds `order`, the index of the word at each position, and `words` where a reader typed other words.
import { decimals } from "../frame/controls.mjs";
import { clamp, rememberLast } from "../maths.mjs";
import { at, groups } from "../scene/glide.mjs";
import { text } from "../scene/svg.mjs";
import { mixtureChanges, mixtures, swapWords, wordVector } from "./mixtures.mjs";
import { drawBars, drawCells, drawClocks, drawFrame, drawMark, drawWord, PAIRS, rowAt } from "./picture.mjs";
import { shorten, wordAt, WORDS } from "./picture.mjs";

const SCALE = 1.6; // numbers of words and mixtures that are drawn in the deepest colour

const wordsOf = ({ words = WORDS }) => words;
const nearest = (s) => Math.round(s.position);

// Return the words in their present order.
export const readOrder = (s) => s.order.map((k) => wordsOf(s)[k]);

// Return the place of each word.
export const wordPlaces = (s) => wordsOf(s).map((_, k) => s.order.indexOf(k));
const currentPlaces = (s) => (s.gliding?.length === s.order.length ? s.gliding : wordPlaces(s));

// Return where a word is drawn whose place may lie between two places of the sentence.
function between(places, place) {
  const [one, two] = [places[Math.floor(place)], places[Math.ceil(place)]],
    f = place - Math.floor(place);
  return { x: one.x + f * (two.x - one.x), y: one.y + f * (two.y - one.y) };
}

// Return where the word k is drawn, in a layout of the sentence in its present order. A held word is below the finger.
function placeWord(s, to, k, places) {
  const { w } = to.places[s.order.indexOf(k)];
  if (s.hold?.word === k && s.hold.at)
    return { x: clamp(s.hold.at.x, 0, to.w - w), y: clamp(s.hold.at.y, 0, to.top), w };
  return { ...between(to.places, places[k]), w };
}

const swapAt = (s, a, b) => (a === b ? s : { ...s, order: swapWords(s.order, a, b), position: b });

// Return what a reader can hold: a word, which changes places with the word on which it is dropped, or a row.
export const holdWords = (layOutOrder) => (s, size, p) => {
  const to = layOutOrder(s, size),
    place = wordAt(to, p),
    row = rowAt(to, p);
  if (place < 0)
    return [{ on: row >= 0, to: (now, q) => ({ ...now, position: rowAt(to, q) < 0 ? row : rowAt(to, q) }) }];
  const word = s.order[place],
    off = { x: p.x - to.places[place].x, y: p.y - to.places[place].y };
  return [
    {
      on: true,
      word,
      to: (now, q) => ({
        ...now,
        position: place,
        hold: { ...now.hold, at: { x: q.x - off.x, y: q.y - off.y }, over: wordAt(to, q) },
      }),
      end: (now) => (now.hold.over >= 0 ? swapAt(now, place, now.hold.over) : now),
    },
  ];
};

// Move the chosen word to the left or right, or choose the word before or after it.
export function moveByKey(s, { right, up, end }) {
  const place = nearest(s),
    last = s.order.length - 1;
  if (up) return { ...s, position: clamp(place - up, 0, last) };
  return swapAt(s, place, end ? (end > 0 ? last : 0) : clamp(place + right, 0, last));
}

// Draw the sentence, and a row for each word that moves with it. `cells(k)` and `beside(k)` draw a row's marks, and
// `hasRow(k)` says whether the word has a row yet.
/** @type {(s: any, to: any, cells: any, how?: any) => any} */
export function drawWords(s, to, cells, { beside = (_) => [], hasRow = (_) => true } = {}) {
  const all = wordsOf(s),
    places = currentPlaces(s),
    place = nearest(s),
    chosen = s.order[place];
  const word = (k) => drawWord(to, all[k], placeWord(s, to, k, places));
  const row = (k) =>
    at(0, to.top + places[k] * to.row, [
      text(to.left - 6, to.row / 2 + 4, `mono small end ${k === chosen ? "f-ink bold" : "f-muted"}`, shorten(all[k])),
      cells(k),
      beside(k),
    ]);
  return [
    s.hold?.at ? [] : drawMark(to, place, { label: "" }),
    groups(all, chosen, word),
    groups(all, chosen, (k) => (hasRow(k) ? row(k) : [])),
    drawFrame(to, places[chosen]),
  ];
}

// Draw the vectors of words as cells, which move with their words.
export const drawVectors = rememberLast((words, left, wide, row) =>
  words.map((word) => cellsOf({ left, wide, row }, wordVector(word))),
);

const cellsOf = (to, numbers) =>
  drawCells(
    numbers.map((v) => v / SCALE),
    to.left,
    0.5,
    to.wide / (2 * PAIRS),
    to.row - 1,
    "signed",
  );

const changesOf = rememberLast((words, order, clocks) => mixtureChanges(words, order, clocks));
const mixturesOf = rememberLast((words, order, clocks) => mixtures(words, order, clocks));

// Return the largest change of a number in any word's mixture since the first order.
export const largestChange = (s) => Math.max(...changesOf(wordsOf(s), s.order, s.clocks));

// Draw the mixture of each word, and how far it has changed if `hasChange` is true.
export function drawMixtures(s, to, hasChange) {
  const outputs = mixturesOf(wordsOf(s), s.order, s.clocks),
    much = changesOf(wordsOf(s), s.order, s.clocks),
    chosen = s.order[nearest(s)];
  const change = (k) =>
    text(to.w - 4, to.row / 2 + 4, `mono small end ${much[k] ? "f-ink" : "f-green bold"}`, decimals(much[k], 2));
  return [
    hasChange ? text(to.w - 4, to.top - 6, "mono small end f-muted", "change") : [],
    s.clocks
      ? drawClocks(to, nearest(s), { numbers: false })
      : drawBars(to, outputs[chosen], shorten(wordsOf(s)[chosen])),
    drawWords(s, to, (k) => cellsOf(to, outputs[k]), hasChange ? { beside: change } : {}),
  ];
}
