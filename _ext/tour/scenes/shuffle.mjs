// Words change places, attention goes with them, and every output stays the same. With a clock for each place, the
// outputs change.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp, encodeTable, attendRows, scramble } from "../../../pe_lib/course/explorers/maths.mjs";
import { hand } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { d, group, h, line, rect, ring, text, toward } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { largestChanges, moveWord } from "../../../pe_lib/course/explorers/words.mjs";
import { between, ease } from "../parts.mjs";

const WORDS = ["dog", "bites", "man", "at", "noon"],
  OTHER = [2, 1, 0, 4, 3],
  N = WORDS.length,
  WIDTH = 8,
  SHOWN = 4; // how many numbers of an output are drawn
const ROWS = WORDS.map((_, k) => Array.from(scramble(WIDTH, k + 3), (x) => 1.6 * x)),
  CLOCKS = encodeTable(N, WIDTH, 100);

// Return weights and outputs of each word for an order of the words. The weights W are the identity.
const attend = (order, clocks) =>
  attendRows(ROWS.map((row, k) => row.map((x, c) => x + (clocks ? CLOCKS[order.indexOf(k) * WIDTH + c] : 0))));

/** @type {any} */
const start = { order: [0, 1, 2, 3, 4], word: 0, clocks: false };

// Return the largest difference of any output from that in the first order
export const change = ({ order, clocks }) =>
  Math.max(...largestChanges(attend(order, clocks).outputs, attend(start.order, clocks).outputs));

// Move the chosen word to a place
const moveChosen = (s, place) => ({ ...s, order: moveWord(s.order, s.word, clamp(place, 0, N - 1)) });

// Return the place of each word; a word that is dragged is under the finger
const places = ({ order, word, hold }) =>
  WORDS.map((_, k) => (k === word ? (hold?.at ?? order.indexOf(k)) : order.indexOf(k)));
// On its way there, a word is somewhere between
const currentPlaces = (s) => s.xs ?? places(s);

const layout = (w) => {
  const [base, tile, size, bar] = w < 500 ? [132, 36, 18, 10] : [210, 44, 24, 16];
  return { slot: w / N, base, tile, size, bar, foot: base + tile, button: base + tile + 152 };
};

export const shuffle = {
  label: "Place of the word in the sentence",
  hint: "Drag a word; press below to give the words their clocks. Arrow keys: left and right move the word, up and down give and take the clocks.",
  start,
  height: (w) => layout(w).button + 38,
  alt({ order, clocks }) {
    const read = order.map((k) => WORDS[k]).join(" ");
    return `“${read}”, ${clocks ? "each word with the clock of its place" : "no word knows its place"}. The largest change of an output since “${WORDS.join(" ")}” is ${decimals(change({ order, clocks }), 2)}.`;
  },
  value: (s) => [s.order.indexOf(s.word), 0, N - 1],
  down(s, { w }, p) {
    const { slot, button } = layout(w),
      word = currentPlaces(s).findIndex((x) => Math.abs(p.x / slot - x - 0.5) < 0.5);
    if (p.y > button - 2) return { ...s, clocks: !s.clocks, hold: {} };
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
    lasts: 5500,
    at: (f) => ({
      ...start,
      order: f > 0.02 ? OTHER : start.order,
      xs: places({ ...start, order: OTHER }).map((to, k) => between(k, to, ease(clamp(2.2 * f, 0, 1)))),
      clocks: f > 0.75,
    }),
  },
  tick(s, ms) {
    const xs = toward(s.xs, places(s), ms, { pace: 120, held: s.hold?.at === undefined ? -1 : s.word });
    return xs === s.xs ? s : { ...s, xs };
  },
  draw(s, { w }) {
    const { slot, base, tile, size, bar, foot, button } = layout(w),
      { weights, outputs } = attend(s.order, s.clocks),
      xs = currentPlaces(s),
      x = (k) => (xs[k] + 0.5) * slot,
      zero = foot + 84; // of the outputs
    /** @type {(pair: number[], look: any) => any} */
    const arc = ([j, k], look) => {
      const top = base - 1.33 * (base - 16) * (Math.abs(xs[j] - xs[k]) / (N - 1)) ** 0.6;
      return h("path", {
        ...look,
        "stroke-width": (w < 500 ? 28 : 44) * (weights[j][k] + weights[k][j]),
        d: d`M${x(j)} ${base}C${x(j)} ${top} ${x(k)} ${top} ${x(k)} ${base}`,
      });
    };
    const arcs = WORDS.flatMap((_, k) => WORDS.slice(0, k).map((_, j) => [j, k])),
      others = arcs.filter((pair) => !pair.includes(s.word)),
      own = arcs.filter((pair) => pair.includes(s.word));
    return group(
      others.map((pair) => arc(pair, { class: "l-muted", opacity: 0.22 })),
      own.map((pair) => arc(pair, { class: "l-purple", opacity: 0.75 })),
      WORDS.map((word, k) => {
        const dial = { x: x(k), y: foot + 24, r: 13 },
          look = k === s.word ? "l-purple bar" : "l-grid",
          left = x(k) - (SHOWN / 2) * bar;
        return [
          rect(x(k) - slot / 2 + 3, base, slot - 6, tile, `hollow ${look}`, { rx: 8 }),
          text(x(k), base + tile / 2 + size / 3, "serif mid f-ink", word, { "font-size": size }),
          ring(dial.x, dial.y, dial.r),
          s.clocks ? hand(dial, s.order.indexOf(k), "l-ink bar") : group(),
          outputs[k]
            .slice(0, SHOWN)
            .map((v, c) =>
              rect(left + c * bar + 1, zero - 26 * Math.max(v, 0), bar - 2, 26 * Math.abs(v) + 0.5, "f-green"),
            ),
          line(left, zero, left + SHOWN * bar, zero, "l-grid"),
        ];
      }),
      text(w / 2, foot + 138, "mono mid large f-green", `largest change of an output ${decimals(change(s), 2)}`),
      rect(w / 2 - 90, button, 180, 36, s.clocks ? "f-ink" : "hollow l-ink", { rx: 8 }),
      text(
        w / 2,
        button + 23,
        `mono mid ${s.clocks ? "f-paper" : "f-ink"}`,
        s.clocks ? "take the clocks away" : "give them clocks",
      ),
    );
  },
};
