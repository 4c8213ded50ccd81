// Draws the three doors, each with a picture of what is behind it: a hand whose shadow draws a wave, a table with one
// row marked, and a ladder of frequencies with one that is wrong.
import { curve } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { clock } from "../../../pe_lib/course/explorers/scene/clocks.mjs";
import { group, line, rect, ring } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { filmTo, movePosition, rows, TURN } from "../parts.mjs";

const SHAPE = 0.4; // height to width, at every width, so that nothing below moves

const door = (last, start, to, dials = (_) => []) => ({
  ...movePosition({ last, along: ({ w }) => w, dials }),
  label: "Position",
  hint: "",
  start: { t: start },
  height: (w) => Math.round(SHAPE * w),
  rest: { t: to },
  film: filmTo(to, 3500),
});

const LAST = 24,
  SPEED = TURN / 12;
const dial = ({ w, h: high }) => ({ x: 0.2 * w, y: high / 2, r: 0.16 * w, frequency: SPEED });

export const learn = {
  ...door(LAST, 8, 20, (size) => [dial(size)]),
  alt: ({ t }) =>
    `A clock hand after ${Math.round(t)} twelfths of a turn. As it turns, the height of its tip draws a wave.`,
  draw({ t }, size) {
    const { x, y, r } = dial(size),
      from = x + r + 10,
      at = (k) => [from + ((size.w - from - 6) * k) / LAST, y - r * Math.cos(k * SPEED)];
    const wave = (c, end) => curve(c, [...Array(Math.ceil(2 * end)).keys()].map((k) => at(k / 2)).concat([at(end)]));
    const [tx, ty] = at(t);
    return group(
      wave("l-grid bar", LAST),
      wave("l-orange wave", t),
      line(x + r * Math.sin(t * SPEED), ty, tx, ty, "l-muted dash"),
      clock({ x, y, r }, t * SPEED),
      ring(tx, ty, 4, "f-ink knob"),
    );
  },
};

const ROWS = 12,
  table = rows(ROWS, 6);

export const lookup = {
  ...door(ROWS - 1, 4, 9),
  alt: ({ t }) => `A table of encodings, in which row ${Math.round(t)} is marked.`,
  draw({ t }, { w, h: high }) {
    const row = (high - 4) / ROWS;
    return group(table(2, 2, w - 4, row, ROWS), rect(2, 2 + Math.round(t) * row, w - 4, row, "l-ink bar"));
  },
};

const PAIRS = 12,
  WRONG = 7;

export const diagnose = {
  ...door(PAIRS - 1, 4, PAIRS - 1),
  alt: ({ t }) =>
    `The frequencies of pairs, each smaller than the one before by a fixed factor. They are checked up to pair ${Math.round(t)}${t < WRONG ? "" : `, and the frequency of pair ${WRONG} is too high`}.`,
  draw({ t }, { w, h: high }) {
    const x = (k) => 14 + ((w - 28) * k) / (PAIRS - 1),
      y = (k) => 14 + ((high - 28) * k) / (PAIRS - 1),
      height = (k) => (k === WRONG ? y(k - 4) : y(k)),
      lastPair = Math.floor(t + 0.001);
    return group(
      line(x(0), y(0), x(PAIRS - 1), y(PAIRS - 1), "l-grid bar"),
      line(x(t), 2, x(t), high - 2, "l-muted dash"),
      lastPair < WRONG
        ? []
        : [
            line(x(WRONG), y(WRONG), x(WRONG), height(WRONG), "l-rose dash"),
            ring(x(WRONG), height(WRONG), 11, "l-rose bar"),
          ],
      [...Array(PAIRS).keys()].map((k) =>
        ring(x(k), height(k), 5, k > lastPair ? "f-muted" : k === WRONG ? "f-rose" : "f-green"),
      ),
    );
  },
};
