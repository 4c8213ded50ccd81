// The binary digits of the numbers from 0 to 15 ride on square waves, which a slider rounds until they are sines.
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { h, line, text, through } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { eased, TURN } from "../parts.mjs";

const BITS = [3, 2, 1, 0],
  N = 16;

// Up where the digit is 1. A sine's size to the power of `round` is its sign at 0 and itself at 1.
function wave(t, bit, round) {
  const sine = -Math.sin((TURN * (t + 0.5)) / 2 ** (bit + 1)); // the half keeps whole numbers off its zeros
  return Math.abs(sine) < 1e-9 ? 0 : Math.sign(sine) * Math.abs(sine) ** round;
}

// A square (0), a circle (1), or between
const shape = (x, y, r, round) =>
  `${through(
    Array.from({ length: 32 }, (_, n) => (TURN * (n + 0.5)) / 32).map((a) =>
      [x, y].map((middle, k) => {
        const v = k ? Math.cos(a) : Math.sin(a);
        return middle + r * Math.sign(v) * Math.abs(v) ** round;
      }),
    ),
  )}Z`;

// Where the waves are drawn: between any two numbers, and on both sides of each edge of a square one
const POINTS = Array.from({ length: N }, (_, n) =>
  Array.from({ length: 11 }, (_, k) => n - 0.5 + clamp(0.5 - Math.cos((Math.PI * k) / 10) / 2, 1e-6, 1 - 1e-6)),
).flat();

const track = (w) => ({ from: 44, to: w - 44 });
const height = (w) => (w < 500 ? 330 : 390);
const put = (s, round) => ({ ...s, round: clamp(round, 0, 1) });

export const counter = {
  label: "Roundness of the waves, in per cent",
  hint: "Drag to the side, or use the arrow keys.",
  start: { round: 0 },
  height,
  alt({ round }) {
    const how = round < 0.02 ? "square" : round > 0.98 ? "sines" : `${Math.round(100 * round)} per cent round`;
    return `The numbers from 0 to 15 side by side, each with its four binary digits one below the other. Along each digit runs a wave, up where it is 1, and each is half as long as the one above. The waves are ${how}.`;
  },
  value: ({ round }) => [100 * round, 0, 100],
  down(s, { w, h: high }, p) {
    const { from, to } = track(w),
      next = p.y > high - 56 ? put(s, (p.x - from) / (to - from)) : s;
    return { ...next, hold: { x: p.x, round: next.round } };
  },
  move(s, { w }, p) {
    const { from, to } = track(w);
    return put(s, s.hold.round + (p.x - s.hold.x) / (to - from));
  },
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up, end }) => put(s, end ? Math.max(end, 0) : s.round + 0.05 * (right + up)),
  film: { lasts: 3500, at: (f) => ({ round: eased(f) }) },
  draw({ round }, { w, h: high }) {
    const small = w < 500,
      { from, to } = track(w),
      rail = high - 24;
    const step = (high - 84) / 4,
      tall = step / 2 - 9;
    const x = (t) => ((t + 0.5) * w) / N,
      y = (k) => 6 + (k + 0.5) * step;
    return h(
      "g",
      {},
      BITS.map((bit, k) => [
        h("path", { class: "l-blue wave", d: through(POINTS.map((t) => [x(t), y(k) - tall * wave(t, bit, round)])) }),
        Array.from({ length: N }, (_, t) => {
          const digit = (t >> bit) & 1;
          return [
            h("circle", { class: "f-blue", cx: x(t), cy: y(k) - tall * wave(t, bit, round), r: small ? 2.8 : 4 }),
            text(x(t), y(k) + 5, `mono mid ${small ? "" : "large"} ${digit ? "f-ink bold" : "f-muted"}`, digit, {
              opacity: 1 - 0.6 * round,
            }),
          ];
        }),
      ]),
      Array.from({ length: N }, (_, t) => text(x(t), high - 60, "mono mid f-muted", t)),
      line(from, rail, to, rail, "l-grid rail"),
      line(from, rail, from + (to - from) * round, rail, "l-blue rail"),
      h("path", { class: "l-muted", d: shape(13, rail, 8, 0) }),
      h("path", { class: "l-muted", d: shape(w - 13, rail, 8, 1) }),
      h("path", { class: "f-blue knob", d: shape(from + (to - from) * round, rail, 13, round) }),
    );
  },
};
