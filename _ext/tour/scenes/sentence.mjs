// The whole course in one picture: a place in a sentence turns eight clocks, and they write its row of the table.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { clock } from "../../../pe_lib/course/explorers/scene/clocks.mjs";
import { h, line, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, eased, moved, pair, speeds, table, typeset } from "../parts.mjs";

const WORDS = "Every word carries its place with it, as a row that clocks write.".split(" ");
const LAST = WORDS.length - 1,
  SPEEDS = speeds(8);

function layout(w) {
  const ends = typeset(WORDS, 1).at(-1);
  const size = w < 500 ? 20 : Math.min(w / (ends.x + ends.w), 26),
    words = typeset(WORDS, size, w, 2.4 * size);
  const foot = words[LAST].y + size,
    r = Math.min(w / 16 - 3, 36),
    dials = foot + 42 + r;
  return {
    size,
    words,
    r,
    dials,
    numbers: dials + r + 22,
    top: dials + r + 56,
    row: w < 500 ? 16 : 20,
    x: (i) => ((i + 0.5) * w) / 8,
  };
}

const gestures = moved({
  last: LAST,
  along: ({ w }) => w,
  dials: ({ w }) => {
    const { x, dials, r } = layout(w);
    return SPEEDS.map((speed, i) => ({ x: x(i), y: dials, r, speed }));
  },
  jump(_, { w }, p) {
    const at = layout(w);
    const word = at.words.findIndex(
      ({ x, y, w: wide }) => p.x > x - 3 && p.x < x + wide + 3 && p.y > y && p.y < y + 1.7 * at.size,
    );
    if (word >= 0) return word;
    return p.y > at.top ? Math.floor((p.y - at.top) / at.row) : undefined;
  },
});

export const sentence = {
  ...gestures,
  label: "Position in the sentence",
  hint: "Pull the sentence to the side, wind a clock, or use the arrow keys.",
  start: { t: 4 },
  height(w) {
    const { top, row } = layout(w);
    return top + row * WORDS.length + 2;
  },
  alt({ t }) {
    const k = Math.round(t),
      [s, c] = [Math.sin(k), Math.cos(k)].map((x) => decimals(x, 2));
    return `Position ${k}, “${WORDS[k]}”: eight clocks, each slower than the one before. How far right and how far up their hands point, ${s}, ${c} and so on, is the row of this position in the table below.`;
  },
  film: { lasts: 5000, at: (f, { t }) => ({ t: f < 1 ? between(t, LAST, eased(f)) : LAST }) },
  draw({ t }, { w }) {
    const at = layout(w),
      k = Math.min(Math.floor(t), LAST - 1),
      [one, two] = [at.words[k], at.words[k + 1]],
      f = t - k;
    const under =
      one.y === two.y ? { x: between(one.x, two.x, f), w: between(one.w, two.w, f), y: one.y } : f < 0.5 ? one : two;
    return h(
      "g",
      {},
      at.words.map(({ x, y, w: wide }, n) =>
        text(x, y + at.size, "serif f-ink", WORDS[n], {
          "font-size": at.size,
          textLength: wide,
          opacity: clamp(Math.round(100 - 40 * (n - t)) / 100, 0.6, 1),
        }),
      ),
      line(under.x, under.y + at.size + 8, under.x + under.w, under.y + at.size + 8, "l-ink bar"),
      text(under.x + under.w / 2, under.y + at.size + 25, "mono mid f-muted", Math.round(t)),
      SPEEDS.map((speed, i) => [
        clock({ x: at.x(i), y: at.dials, r: at.r }, t * speed),
        pair(at.x(i), at.numbers, t * speed),
      ]),
      table(`sentence-${w}`, {
        x: 0,
        y: at.top,
        w,
        high: at.row * WORDS.length,
        rows: WORDS.length,
        speeds: SPEEDS,
        done: t + 1,
      }),
      h("rect", { class: "l-ink", x: 1, y: at.top + t * at.row, width: w - 2, height: at.row }),
    );
  },
};
