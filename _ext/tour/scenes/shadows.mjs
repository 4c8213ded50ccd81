// A sine passes each height twice, and leaves a doubt. A hand whose shadow it is has a second shadow, which answers it.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { curve, linear, tip } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { clock } from "../../../pe_lib/course/explorers/scene/clocks.mjs";
import { group, line, ring, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, part, reveal, TURN } from "../parts.mjs";

const PERIOD = 16,
  SPEED = TURN / PERIOD,
  TIMES = Array.from({ length: 65 }, (_, n) => n / 4),
  ALL = { hand: 1, cosine: 1 }; // how far the film has revealed the hand, and its second shadow
const turnTo = (s, t) => ({ ...s, t: ((t % PERIOD) + PERIOD) % PERIOD }); // after a full turn it goes on

// Return the other position with the same sine
const twinOf = (t) => turnTo({}, 1.5 * PERIOD - t).t;

const FOOT = 34; // pixels for the numbers below the picture

function layout({ w, h }) {
  const high = h - FOOT,
    r = 0.21 * Math.min(w, high),
    [x, y] = [r + 16, r + 12],
    [right, below] = [2 * r + 44, 2 * r + 40];
  return {
    ...{ x, y, r, right, below, wide: w - right - 12, tall: high - below - 12 },
    over: linear([0, PERIOD], [right, w - 12]).at,
    down: linear([0, PERIOD], [below, high - 12]).at,
  };
}

// A press on the clock turns the hand to the finger at once, and may turn it round and round. A drag elsewhere moves
// the position to the side.
const turnToPointer = (s, size, p) => {
  const { x, y } = layout(size);
  return s.hold.x === undefined
    ? turnTo(s, Math.atan2(p.x - x, y - p.y) / SPEED)
    : { ...turnTo(s, s.t + ((p.x - s.hold.x) / size.w) * PERIOD), hold: { x: p.x } };
};

// Draw what the sine alone shows: its wave, the two positions with one sine, and the question
function drawSine({ t, hand, cosine }, { x, r, below, tall, down, twin, tx, ty, ux, uy }) {
  const foot = Math.max(down(t), down(twin)),
    said = x + r + 14;
  return [
    line(x, below, x, below + tall, "l-grid"),
    text(x - 8, below + 6, "mono end f-muted", 0),
    text(x + 8, below + tall + 4, "mono f-muted", PERIOD),
    curve("l-blue wave", TIMES, (s) => [x + r * Math.sin(s * SPEED), down(s)]),
    line(tx, between(below, ty, hand), tx, foot, "l-blue dash"),
    ring(tx, down(t), 7, "f-blue knob"),
    reveal(Math.abs(uy - ty) > 3 ? 1 : 0, ring(ux, down(twin), 6, "f-paper l-blue bar")),
    reveal(
      Math.abs(down(twin) - down(t)) > 18 ? 1 : 0, // room for two lines
      text(
        said,
        down(twin) + 5,
        `mono large ${cosine < 0.5 ? "f-ink bold" : "f-muted"}`,
        cosine < 0.5 ? "or here?" : "not here",
      ),
    ),
    text(said, down(t) + 5, "mono large bold f-ink", cosine < 0.5 ? "here?" : "here"),
  ];
}

export const shadows = {
  label: "Position of the hand",
  hint: "Turn the hand, or drag to the side.",
  arrows: "The arrow keys turn the hand by one position.",
  start: { t: 2, hand: 0, cosine: 0 },
  rest: { t: 2, ...ALL },
  whole: ALL,
  height: (w) => Math.min(w, 470) + FOOT,
  alt({ t }) {
    const [sine, cosine] = [Math.sin(t * SPEED), Math.cos(t * SPEED)].map((x) => decimals(x, 2));
    return `A hand that makes a full turn in 16 positions, at position ${decimals(t, 1)}. Its shadow below draws a sine wave, which is ${sine} here. Its shadow on the right draws a cosine wave, which is ${cosine} here. At position ${decimals(twinOf(t), 1)} the sine is the same, and the cosine has the opposite sign.`;
  },
  value: ({ t }) => [t, 0, PERIOD],
  down(s, size, p) {
    const { x, y, r } = layout(size);
    return turnToPointer({ ...s, hold: Math.hypot(p.x - x, p.y - y) < r + 20 ? {} : { x: p.x } }, size, p);
  },
  move: turnToPointer,
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up, end }) => turnTo(s, end ? 0 : Math.round(s.t) + right + up),
  // First the sine and its doubt, then the hand, then the cosine; then the hand turns once, forwards.
  film: {
    lasts: 10_000,
    at: (f) => turnTo({ hand: part(f, 0.2, 0.3), cosine: part(f, 0.4, 0.5) }, 2 + PERIOD * part(f, 0.6, 1)),
  },
  draw(s, size) {
    const { t, hand, cosine } = s,
      at = layout(size),
      { x, y, r, right, wide, over } = at,
      twin = twinOf(t),
      [tx, ty] = tip({ x, y, r }, t * SPEED),
      [ux, uy] = tip({ x, y, r }, twin * SPEED),
      write = (k, c, words) => text(x + k * (right + wide / 2 - x), size.h - 8, `mono mid large ${c}`, words);
    return group(
      drawSine(s, { ...at, twin, tx, ty, ux, uy }),
      reveal(
        hand,
        reveal(Math.abs(uy - ty) > 3 ? 1 : 0, line(x, y, ux, uy, "l-muted dash"), ring(ux, uy, 6, "f-paper l-ink")),
        clock({ x, y, r }, t * SPEED),
        ring(tx, ty, 9, "f-ink knob"),
      ),
      reveal(
        cosine,
        line(right, y, right + wide, y, "l-grid"),
        curve("l-orange wave", TIMES, (k) => [over(k), y - r * Math.cos(k * SPEED)]),
        reveal(
          Math.abs(uy - ty) > 3 ? 1 : 0,
          line(ux, uy, over(twin), uy, "l-muted dash"),
          ring(over(twin), uy, 6, "f-paper l-orange bar"),
        ),
        line(tx, ty, over(t), ty, "l-orange dash"),
        ring(over(t), ty, 7, "f-orange knob"),
        write(1, "f-orange", `cosine ${decimals(Math.cos(t * SPEED), 2)}`),
      ),
      write(0, "f-blue", `sine ${decimals(Math.sin(t * SPEED), 2)}`),
    );
  },
};
