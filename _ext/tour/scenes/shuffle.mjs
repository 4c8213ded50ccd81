// Words change places, and every output goes along with its word unchanged. With a clock for each place, the outputs
// change.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp, encodeTable, attendRows, scramble } from "../../../pe_lib/course/explorers/maths.mjs";
import { hand } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { d, group, line, path, rect, ring, text, toward } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { largestChanges, moveWord } from "../../../pe_lib/course/explorers/words.mjs";
import { between, part, reveal } from "../parts.mjs";

const WORDS = ["dog", "bites", "man", "at", "noon"],
  OTHER = [2, 1, 0, 4, 3],
  N = WORDS.length,
  WIDTH = 8,
  SHOWN = 4, // how many numbers of an output are drawn
  TALL = 18; // how high a bar of length 1 is, in pixels
const ROWS = WORDS.map((_, k) => Array.from(scramble(WIDTH, k + 3), (x) => 1.6 * x)),
  CLOCKS = encodeTable(N, WIDTH, 100);

// Return weights and outputs of each word for an order of the words. The weights W are the identity.
const attend = (order, clocks) =>
  attendRows(ROWS.map((row, k) => row.map((x, c) => x + (clocks ? CLOCKS[order.indexOf(k) * WIDTH + c] : 0))));

/** @type {any} */
const start = { order: [0, 1, 2, 3, 4], word: 0, clocks: false };

// The outputs in the first order, without clocks and with them
const FIRST = [false, true].map((clocks) => attend(start.order, clocks).outputs);

// Return how much the outputs of each word differ from those in the first order
const changes = ({ order, clocks }) => largestChanges(attend(order, clocks).outputs, FIRST[Number(clocks)]);

// Return the largest of these differences
export const change = (s) => Math.max(...changes(s));

// Move the chosen word to a place
const moveChosen = (s, place) => ({ ...s, order: moveWord(s.order, s.word, clamp(place, 0, N - 1)) });

// Return the place of each word; a word that is dragged is under the finger
const places = ({ order, word, hold }) =>
  WORDS.map((_, k) => (k === word ? (hold?.at ?? order.indexOf(k)) : order.indexOf(k)));
// On its way there, a word is somewhere between
const currentPlaces = (s) => s.xs ?? places(s);

function layout(w) {
  const wide = w >= 500,
    [arch, tile, size, bar] = wide ? [54, 44, 24, 16] : [42, 36, 18, 10],
    base = 30 + 2 * arch, // the top of the tiles
    dial = base + tile + 26,
    box = dial + 24,
    zero = box + 84; // of the outputs
  return { slot: w / N, arch, base, tile, size, bar, dial, box, zero, says: zero + 58, button: zero + 94 };
}

// While the film exchanges words, those that go right fly over those that go left, and both over those that stay
function lift(s, k, arch) {
  const by = s.order.indexOf(k) - k;
  return s.hop ? Math.sin(Math.PI * s.hop) * arch * (by > 0 ? Math.min(by, 2) : Math.max(-by - 1, 0)) : 0;
}

// Draw a word's outputs as bars: green as long as they are those of the first order, whose outline stays visible
function drawOutputs(values, first, x, { zero, bar }) {
  const left = x - (SHOWN / 2) * bar,
    column = (list, c, look) =>
      rect(left + c * bar + 1, zero - TALL * Math.max(list[c], 0), bar - 2, TALL * Math.abs(list[c]) + 0.5, look),
    isSame = largestChanges([values], [first])[0] === 0;
  return Array.from({ length: SHOWN }, (_, c) => [
    column(values, c, isSame ? "f-green" : "f-muted"),
    column(first, c, "l-green"),
  ]).concat([[line(left, zero, left + SHOWN * bar, zero, "l-ink")]]);
}

// Say in words what became of the outputs
function describe(s) {
  const changed = changes(s).filter(Boolean).length;
  if (s.order.every((k, at) => k === at)) return ["f-muted", "the old order"];
  if (!changed) return ["f-green bold", "nothing changed"];
  return ["f-ink bold", changed === N ? "every output changed" : `${changed} of ${N} outputs changed`];
}

export const shuffle = {
  label: "Place of the word in the sentence",
  hint: "Drag a word to another place, or press the button that gives the words their clocks.",
  arrows: "Left and right move the word. Up gives the words their clocks, and down takes them away.",
  start,
  rest: { ...start, order: OTHER, clocks: true },
  height: (w) => layout(w).button + 42,
  alt({ order, clocks }) {
    const read = order.map((k) => WORDS[k]).join(" ");
    return `“${read}”, ${clocks ? "each word with the clock of its place" : "no word knows its place"}. The largest change of an output since “${WORDS.join(" ")}” is ${decimals(change({ order, clocks }), 2)}.`;
  },
  value: (s) => [s.order.indexOf(s.word), 0, N - 1],
  whole: { hop: undefined }, // a word that is caught in flight comes down
  down(s, { w }, p) {
    const { slot, button } = layout(w),
      word = currentPlaces(s).findIndex((x) => Math.abs(p.x / slot - x - 0.5) < 0.5);
    if (p.y > button - 4) return { ...s, clocks: !s.clocks, hold: {} };
    if (word < 0) return { ...s, hold: {} };
    const at = currentPlaces(s)[word];
    return { ...s, word, hold: { at, off: p.x / slot - at } };
  },
  move(s, { w }, p) {
    const { at, off } = s.hold;
    if (at === undefined) return s;
    const now = clamp(p.x / layout(w).slot - off, 0, N - 1);
    return { ...moveChosen(s, Math.round(now)), hold: { at: now, off } };
  },
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up, end }) =>
    up ? { ...s, clocks: up > 0 } : moveChosen(s, end ? end * N : s.order.indexOf(s.word) + right),
  // The words are shuffled first. The clocks come when everybody has seen that nothing changes.
  film: {
    lasts: 7000,
    at(f) {
      const hop = part(f, 0.1, 0.4),
        s = { ...start, order: f > 0.1 ? OTHER : start.order, clocks: f > 0.7 };
      return hop > 0 && hop < 1 ? { ...s, hop, xs: places(s).map((to, k) => between(k, to, hop)) } : s;
    },
  },
  tick(s, ms) {
    const xs = toward(s.xs, places(s), ms, { pace: 120, held: s.hold?.at === undefined ? -1 : s.word });
    return xs === s.xs ? s : { ...s, xs };
  },
  draw(s, { w }) {
    const at = layout(w),
      { slot, arch, base, tile, size, dial, box, says, button } = at,
      { outputs } = attend(s.order, s.clocks),
      xs = currentPlaces(s),
      middle = (place) => (place + 0.5) * slot,
      [look, sentence] = describe(s),
      isSettled = !s.hop;
    return group(
      WORDS.map((word, k) => text(middle(k), 16, "serif mid f-muted", word, { "font-size": size })),
      WORDS.map((_, k) => {
        const [from, to, bend] = [middle(k), middle(xs[k]), (base - 24) / 2];
        return path(
          k === s.word ? "l-ink" : "l-muted dash",
          d`M${from} 24C${from} ${24 + bend} ${to} ${base - bend} ${to} ${base - lift(s, k, arch)}`,
        );
      }),
      rect(2, box, w - 4, 30, "f-purple", { rx: 8, "fill-opacity": 0.16 }),
      rect(2, box, w - 4, 30, "l-purple", { rx: 8 }),
      text(w / 2, box + 20, "mono mid f-purple bold", "attention"),
      WORDS.map((word, k) => {
        const x = middle(xs[k]),
          y = base - lift(s, k, arch);
        return [
          line(x, base + tile, x, box, "l-purple"),
          line(x, box + 30, x, box + 36, "l-purple"),
          rect(x - slot / 2 + 3, y, slot - 6, tile, `hollow ${k === s.word ? "l-ink bar" : "l-muted"}`, { rx: 8 }),
          text(x, y + tile / 2 + size / 3, "serif mid f-ink", word, { "font-size": size }),
          drawOutputs(outputs[k], FIRST[Number(s.clocks)][k], x, at),
        ];
      }),
      reveal(
        s.clocks ? 1 : 0,
        WORDS.map((_, place) => {
          const face = { x: middle(place), y: dial, r: 13 };
          return [ring(face.x, face.y, face.r, "hollow l-muted"), hand(face, place, "l-ink bar")];
        }),
      ),
      text(w / 2, says, `mono mid large ${look}`, isSettled ? sentence : ""),
      text(w / 2, says + 20, "mono mid f-muted", `largest change of an output: ${decimals(change(s), 2)}`),
      rect(w / 2 - 90, button, 180, 40, s.clocks ? "f-ink" : "hollow l-ink", { rx: 8 }),
      text(
        w / 2,
        button + 25,
        `mono mid ${s.clocks ? "f-paper" : "f-ink"}`,
        s.clocks ? "take the clocks away" : "give them clocks",
      ),
    );
  },
};
