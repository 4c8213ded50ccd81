// Questions in the order of chapter 11's table, each answer taking schemes away, until advice is left.
/* global ABOUT */
import { wrapped } from "../frame/share.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, line, text, wide } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";

const STEP = 28, // pixels from question to question
  LINE = 20; // of what they lead to
const COMPARE = "Between two that fit, train both on your task, with several seeds, at every length that will occur.";

// Each question with its answer, and where they lead: a question that is open, or advice; undefined for
// answers that a question does not have
export function follow({ questions, advice, first }, answers) {
  const asked = [];
  let at = first;
  for (const answer of answers) {
    const found = advice[at] ? undefined : questions[at].answers.find((one) => one.answer === answer);
    if (!found) return undefined;
    asked.push({ asks: questions[at].asks, says: found.says });
    at = found.to;
  }
  return { asked, at };
}

// The schemes in the advice that can still be reached
export const possible = ({ questions, advice }, at) =>
  new Set(
    advice[at]
      ? advice[at].schemes
      : questions[at].answers.flatMap(({ to }) => [...possible({ questions, advice }, to)]),
  );

const now = ({ answers }) => follow(ABOUT.table, answers);
const back = (s, n = s.answers.length - 1) => ({ ...s, answers: s.answers.slice(0, n) });

// Names of all schemes in two rows or one, those that are out struck through
function schemes(left, { w }) {
  const columns = w < 560 ? 3 : 6,
    room = w / columns;
  return ABOUT.table.schemes.map(({ scheme, says }, n) => {
    const x = (n % columns) * room + 2,
      y = Math.floor(n / columns) * 34 + 1,
      out = !left.has(scheme),
      half = wide(says) / 2 + 2;
    return [
      h("rect", { class: out ? "l-grid dash" : "l-ink", x, y, width: room - 4, height: 28, rx: 6 }),
      text(x + room / 2 - 2, y + 18.5, `mono mid ${out ? "f-muted" : "bold f-ink"}`, says),
      out ? line(x + room / 2 - 2 - half, y + 14, x + room / 2 - 2 + half, y + 14, "l-muted") : [],
    ];
  });
}

// Where things stand: the questions so far above the one that is open, or the advice, which ends at the buttons below
function layout(s, { w, h: high }) {
  const { asked, at } = now(s),
    says = ABOUT.table.advice[at]?.says ?? ABOUT.table.questions[at].asks,
    words = wrapped(says, (part) => wide(part, 16) < w - 26),
    last = high - 14 - LINE * (words.length - 1);
  return { asked, at, words, y: (n) => last - (asked.length - n) * STEP, last };
}

// A stop on the way
const stop = (n, y, c) => [
  n ? line(8, y - STEP, 8, y, "l-muted") : [],
  h("circle", { class: `${c} knob`, cx: 8, cy: y, r: 6 }),
];

export const scene = {
  kind: "questions",
  label:
    "The schemes that are still possible, and the questions so far with their answers. The up arrow key takes the last " +
    "answer back.",
  controls: [
    ...Object.entries(ABOUT.table.questions).flatMap(([question, { answers }]) =>
      answers.map(({ answer, says }) => ({
        label: says,
        when: (s) => now(s).at === question,
        act: (s) => ({ ...s, answers: [...s.answers, answer] }),
      })),
    ),
    { label: "back one question", when: ({ answers }) => answers.length > 0, act: (s) => back(s) },
  ],
  height: (w) => (w < 560 ? 316 : 232),
  draw(s, size) {
    const { asked, at, words, y, last } = layout(s, size);
    return h(
      "g",
      {},
      schemes(possible(ABOUT.table, at), size),
      asked.map((one, n) => [
        stop(n, y(n), "f-muted"),
        text(24, y(n) + 4.5, "mono f-ink", one.asks),
        text(size.w - 2, y(n) + 4.5, "mono bold end f-ink halo", one.says),
      ]),
      stop(asked.length, last, ABOUT.table.advice[at] ? "f-green" : "f-purple"),
      words.map((part, n) => text(24, last + 5 + LINE * n, "mono large bold f-ink", part)),
    );
  },
  alt(s) {
    const { table } = ABOUT,
      { asked, at } = now(s),
      open = table.questions[at];
    const told = asked.map(({ asks, says }) => `${asks} ${says}`).join("; ");
    const last =
      table.advice[at]?.says ??
      `The next question: ${open.asks} ${open.answers.map(({ says }) => says).join("; or ")}.`;
    return `${told && `${told}. `}${last}`;
  },
  reading(s) {
    const { table } = ABOUT,
      { at } = now(s),
      found = table.advice[at];
    if (!found) {
      const [left, all] = [possible(table, at).size, table.schemes.length];
      return `${table.questions[at].asks} ${left} of ${all} kinds of schemes are still possible.`;
    }
    const reasons = found.reasons.map(({ says, shown }) => `${says} ([chapter ${parseInt(shown, 10)}](${shown}))`);
    return [found.says, ...reasons, ...(found.schemes.length === 2 ? [COMPARE] : [])].join("\n");
  },
  // A question that was answered is asked again
  down(s, size, p) {
    const n = Math.floor((p.y - layout(s, size).y(0)) / STEP + 0.5);
    return n >= 0 && n < s.answers.length ? back(s, n) : s;
  },
  move: (s) => s,
  up: (s) => s,
  key: (s, { up }) => (up > 0 && s.answers.length ? back(s) : s),
  parts: {
    schemes: (_, { w }) => ({ x: 0, y: 0, w, h: w < 560 ? 64 : 30 }),
    path(s, size) {
      const { asked, y } = layout(s, size);
      return { x: 0, y: y(0) - 14, w: size.w, h: STEP * asked.length };
    },
    advice(s, size) {
      const { last } = layout(s, size);
      return { x: 0, y: last - 14, w: size.w, h: size.h - last + 14 };
    },
  },
};

// The only advice with ALiBi in it, but for weights that have it already
export const done = {
  main: ({ answers }) =>
    answers.join() === "no,sequence,no,yes,yes"
      ? "Found: a causal text model that reads further than in training. ALiBi can, and looks at what is near."
      : "",
};

export default stage(ABOUT, drawn(ABOUT, scene), { done, fits: (s) => Boolean(now(s)) });
