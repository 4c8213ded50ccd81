// Rotary embeddings turn a query and a key by their positions, so that their score depends on the distance alone.
// Before they are turned, the score is the same at every distance.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { curve, hand, linear } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { twoHands } from "../../../pe_lib/course/explorers/scene/clocks.mjs";
import { group, line, rect, ring, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, movePair, part, reveal, speeds, stamp, typeset } from "../parts.mjs";

const WORDS = "the dog that bit Anna ran off again".split(" "),
  LAST = WORDS.length - 1,
  SPEEDS = speeds(3),
  [QUERY, KEY] = [
    [0.4, -0.5, 2.2],
    [2.6, 0.9, 2.9],
  ]; // angles of hands of length 1, before their positions turn them

const BY = 3, // how far the film moves both words
  SET = { here: 3, other: 1 }; // where both stood when their distance was set

// Σ cos(query_i − key_i + by ω_i): only the distance `by` is in it, and unturned arrows have by = 0
const score = (by) => SPEEDS.reduce((sum, v, i) => sum + Math.cos(QUERY[i] - KEY[i] + by * v), 0);

const LINE = 70, // the baseline of the words
  HIGH = 110; // the height of the curve

function layout(w) {
  const ends = typeset(WORDS, 1).at(-1),
    size = Math.min((w - 6) / (ends.x + ends.w), 30),
    set = typeset(WORDS, size),
    left = (w - set[LAST].x - set[LAST].w) / 2,
    words = set.map((word) => ({ ...word, x: left + word.x, middle: left + word.x + word.w / 2 })),
    r = Math.min(w / 6 - 10, 84),
    plot = 176 + 2 * r;
  return {
    ...{ size, words, r, plot, y: 150 + r },
    x: (i) => ((i + 0.5) * w) / 3,
    px(t) {
      const k = clamp(Math.floor(t), 0, LAST - 1);
      return between(words[k].middle, words[k + 1].middle, t - k);
    },
    step: (words[LAST].middle - words[0].middle) / LAST,
    across: linear([-LAST, LAST], [14, w - 14]).at,
    up: linear([-3, 3], [plot + HIGH, plot]).at,
  };
}

const { film, ...moves } = movePair({
  last: LAST,
  step: ({ w }) => layout(w).step,
  alone: (s, { w }, p) => p.y > LINE && p.y < 118 && Math.abs(p.x - layout(w).px(s.other)) < 30,
});

export const rotation = {
  ...moves,
  label: "Place of the query",
  hint: "Drag to the side to move both words. Drag the key to move only the key.",
  arrows: "Left and right move both words, and up and down move only the key.",
  start: { ...SET, set: SET, turned: 0 },
  rest: { here: SET.here + BY, other: SET.other + BY, set: SET, turned: 1 },
  whole: { turned: 1 },
  height: (w) => layout(w).plot + HIGH + 34,
  alt: ({ here: q, other: k }) =>
    `The query of “${WORDS[Math.round(q)]}” and the key of “${WORDS[Math.round(k)]}”, ${Math.abs(Math.round(q - k))} apart, as two hands on each of three clocks, turned by their places. Their score is ${decimals(score(q - k), 2)}, wherever both words are. The curve below shows the score for every distance.`,
  // First the arrows stand unturned, then their places turn them, and then both words move
  film: {
    lasts: 9000,
    at: (f, start) => ({ ...film(BY, 0).at(part(f, 0.6, 1), start), turned: part(f, 0.2, 0.45) }),
  },
  draw({ here: q, other: k, set, turned }, { w }) {
    const { size, words, x, y, r, px, plot, across, up } = layout(w),
      by = q - k,
      now = score(turned * by),
      near = Array.from({ length: 10 * LAST + 1 }, (_, n) => n / 5 - LAST);
    const flag = (t, name, c, top) => [
      line(px(t), top, px(t), LINE + (top < LINE ? -size : 8), `l-${c} bar`),
      rect(px(t) - 27, top - 13, 54, 26, `f-${c} knob`, { rx: 7 }),
      text(px(t), top + 4.5, "mono mid f-paper", name),
    ];
    const colour = (n) => (n === Math.round(q) ? "f-purple" : n === Math.round(k) ? "f-ink" : "f-muted");
    return group(
      words.map((word, n) =>
        text(word.x, LINE, `serif ${colour(n)}`, WORDS[n], { "font-size": size, textLength: word.w }),
      ),
      flag(q, "query", "purple", 18),
      flag(k, "key", "ink", LINE + 32),
      text(
        w / 2,
        138,
        "mono mid f-muted",
        turned < 0.5 ? "not turned, so places do not count" : "each hand is turned by its place",
      ),
      SPEEDS.map((v, i) => [
        reveal(
          0.35 * turned,
          hand({ x: x(i), y, r }, QUERY[i], "l-purple bar"),
          hand({ x: x(i), y, r }, KEY[i], "l-ink bar dash"),
        ),
        twoHands({ x: x(i), y, r }, QUERY[i] + turned * q * v, KEY[i] + turned * k * v, ["purple", "ink"]),
      ]),
      line(across(-LAST), up(0), across(LAST), up(0), "l-grid"),
      line(across(0), plot, across(0), plot + HIGH, "l-grid"),
      curve(
        "l-green wave",
        near.map((n) => [across(n), up(score(turned * n))]),
      ),
      ring(across(by), up(now), 7, "f-green knob"),
      text(14, plot + 4, "mono large bold f-green", `score ${decimals(now, 2)}`),
      stamp(156, plot - 2, turned * part(Math.abs(q - set.here), 0.5, 2.5)),
      [-6, -3, 0, 3, 6].map((n) =>
        text(across(n), plot + HIGH + 24, "mono mid f-muted", n ? decimals(n, 0) : "distance 0"),
      ),
    );
  },
};
