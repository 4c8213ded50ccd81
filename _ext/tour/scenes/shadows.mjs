// A hand's shadow is a wave that passes each height twice; with the other shadow there is one place left.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { curve, linear, tip } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { clock } from "../../../pe_lib/course/explorers/scene/clocks.mjs";
import { group, h, line, ring, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { filmTo, TURN } from "../parts.mjs";

const PERIOD = 16,
  SPEED = TURN / PERIOD,
  TIMES = Array.from({ length: 65 }, (_, n) => n / 4);
const turnTo = (s, t) => ({ ...s, t: ((t % PERIOD) + PERIOD) % PERIOD }); // after a full turn it goes on

function layout({ w, h: high }) {
  const r = 0.21 * Math.min(w, high),
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

export const shadows = {
  label: "Position of the hand",
  hint: "Turn the hand, or use the arrow keys.",
  start: { t: 6 },
  height: (w) => Math.min(w, 470),
  alt({ t }) {
    const [sine, cosine] = [Math.sin(t * SPEED), Math.cos(t * SPEED)].map((x) => decimals(x, 2));
    return `A hand that comes round in 16 positions, at position ${decimals(t, 1)}. Its shadow below writes a sine wave, ${sine} here; its shadow to the right a cosine wave, ${cosine}. At position ${decimals(turnTo({}, 1.5 * PERIOD - t).t, 1)} the sine is the same and the cosine the opposite.`;
  },
  value: ({ t }) => [t, 0, PERIOD],
  down(s, size, p) {
    const { x, y, r } = layout(size);
    return turnToPointer({ ...s, hold: Math.hypot(p.x - x, p.y - y) < r + 20 ? {} : { x: p.x } }, size, p);
  },
  move: turnToPointer,
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up, end }) => turnTo(s, end ? 0 : Math.round(s.t) + right + up),
  film: filmTo(3, 5000),
  draw({ t }, size) {
    const { x, y, r, right, below, wide, tall, over, down } = layout(size),
      twin = turnTo({}, 1.5 * PERIOD - t).t,
      [[tx, ty], [ux, uy]] = [t, twin].map((s) => tip({ x, y, r }, s * SPEED)),
      write = (k, c, words) => text(right + wide / 2, below + 0.62 * tall + 28 * k, `mono mid large ${c}`, words);
    return group(
      line(right, y, right + wide, y, "l-grid"),
      line(x, below, x, below + tall, "l-grid"),
      curve(
        "l-orange wave",
        TIMES.map((s) => [over(s), y - r * Math.cos(s * SPEED)]),
      ),
      curve(
        "l-blue wave",
        TIMES.map((s) => [x + r * Math.sin(s * SPEED), down(s)]),
      ),
      // the other position with this sine
      h(
        "g",
        { opacity: Math.abs(uy - ty) > 3 ? 1 : 0 },
        line(ux, uy, ux, down(twin), "l-muted dash"),
        line(x, y, ux, uy, "l-muted dash"),
        ring(ux, uy, 5, "f-paper l-ink"),
        ring(ux, down(twin), 5, "f-paper l-blue"),
        ring(over(twin), uy, 5, "f-paper l-orange"),
        text(ux + 12, down(twin) + 4, "mono f-muted", "or here?"),
      ),
      line(tx, ty, tx, down(t), "l-blue dash"),
      line(tx, ty, over(t), ty, "l-orange dash"),
      clock({ x, y, r }, t * SPEED),
      ring(tx, ty, 9, "f-ink knob"),
      ring(tx, down(t), 6, "f-blue knob"),
      ring(over(t), ty, 6, "f-orange knob"),
      write(0, "f-muted", `position ${decimals(t, 1)}`),
      write(1, "f-blue", `sine ${decimals(Math.sin(t * SPEED), 2)}`),
      write(2, "f-orange", `cosine ${decimals(Math.cos(t * SPEED), 2)}`),
    );
  },
};
