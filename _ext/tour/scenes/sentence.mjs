// Shows the whole course in one picture: a position in a sentence turns eight clocks, and they write its row of the
// table.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { clock } from "../../../pe_lib/course/explorers/scene/clocks.mjs";
import { group, line, rect, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, filmTo, movePosition, pair, rows, speeds, typeset } from "../parts.mjs";

const WORDS = "Every word carries its place with it, as a row that clocks write.".split(" "),
  LAST = WORDS.length - 1,
  SPEEDS = speeds(8),
  table = rows(WORDS.length, SPEEDS.length);

function layout({ w }) {
  const ends = typeset(WORDS, 1).at(-1),
    size = w < 500 ? 20 : Math.min(w / (ends.x + ends.w), 26),
    words = typeset(WORDS, size, w, 2.4 * size),
    r = Math.min(w / 16 - 3, 36),
    y = words[LAST].y + size + 42 + r,
    dials = SPEEDS.map((frequency, i) => ({ x: ((i + 0.5) * w) / 8, y, r, frequency }));
  return { size, words, dials, numbers: y + r + 22, top: y + r + 56, row: w < 500 ? 16 : 20 };
}

export const sentence = {
  ...movePosition({
    last: LAST,
    along: ({ w }) => w,
    dials: (size) => layout(size).dials,
    jump(_, size, p) {
      const { words, size: em, top, row } = layout(size),
        over = ({ x, y, w }) => p.x > x - 3 && p.x < x + w + 3 && p.y > y && p.y < y + 1.7 * em,
        word = words.findIndex(over);
      return word >= 0 ? word : p.y > top ? Math.floor((p.y - top) / row) : undefined;
    },
  }),
  label: "Position in the sentence",
  hint: "Pull the sentence to the side, wind a clock, or use the arrow keys.",
  start: { t: 4 },
  height(w) {
    const { top, row } = layout({ w });
    return top + row * WORDS.length + 2;
  },
  alt({ t }) {
    const k = Math.round(t),
      [s, c] = [Math.sin(k), Math.cos(k)].map((x) => decimals(x, 2));
    return `Position ${k}, “${WORDS[k]}”: eight clocks, each slower than the one before. How far right and how far up their hands point, ${s}, ${c} and so on, is the row of this position in the table below.`;
  },
  film: filmTo(LAST, 5000),
  draw({ t }, { w }) {
    const { size, words, dials, numbers, top, row } = layout({ w }),
      k = Math.min(Math.floor(t), LAST - 1),
      [one, two] = [words[k], words[k + 1]],
      f = one.y === two.y ? t - k : Math.round(t - k), // the mark jumps to another line
      [x, wide] = [between(one.x, two.x, f), between(one.w, two.w, f)],
      under = between(one.y, two.y, f) + size + 8;
    return group(
      words.map((at, n) =>
        text(at.x, at.y + size, "serif f-ink", WORDS[n], {
          "font-size": size,
          textLength: at.w,
          opacity: clamp(Math.round(100 - 40 * (n - t)) / 100, 0.6, 1),
        }),
      ),
      line(x, under, x + wide, under, "l-ink bar"),
      text(x + wide / 2, under + 17, "mono mid f-muted", Math.round(t)),
      dials.map((dial) => [clock(dial, t * dial.frequency), pair(dial.x, numbers, t * dial.frequency)]),
      table(0, top, w, row, t + 1),
      rect(1, top + t * row, w - 2, row, "l-ink"),
    );
  },
};
