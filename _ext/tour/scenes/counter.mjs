// The binary digits of the numbers from 0 to 15 ride on square waves, which a slider rounds until they are sines.
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { curve, linear } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { group, h, line, ring, text, through } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { ease, TURN } from "../parts.mjs";

const BITS = [3, 2, 1, 0],
  N = 16,
  NUMBERS = Array.from({ length: N }, (_, n) => n);

// Return what becomes of a sine or cosine `v`: a square wave (`round` 0), a sine wave (1), or a wave between them
const roundWave = (v, round) => (Math.abs(v) < 1e-9 ? 0 : Math.sign(v) * Math.abs(v) ** round);

// The wave of a digit is up where the digit is 1. The half keeps whole numbers away from its zeros.
const wave = (t, bit, round) => roundWave(-Math.sin((TURN * (t + 0.5)) / 2 ** (bit + 1)), round);

// Draw a square (`round` 0), a circle (1), or a shape between them
const RIM = Array.from({ length: 32 }, (_, n) => (TURN * (n + 0.5)) / 32);
const shape = (x, y, r, round, c) => {
  const points = RIM.map((a) => [x + r * roundWave(Math.sin(a), round), y + r * roundWave(Math.cos(a), round)]);
  return h("path", { class: c, d: `${through(points)}Z` });
};

// The points of a wave lie between any two numbers, and on both sides of each edge of a square wave
const POINTS = NUMBERS.flatMap((n) =>
  Array.from({ length: 11 }, (_, k) => n - 0.5 + clamp(0.5 - Math.cos((Math.PI * k) / 10) / 2, 1e-6, 1 - 1e-6)),
);

const track = ({ w }) => linear([0, 1], [44, w - 44]);
const setRoundness = (s, round) => ({ ...s, round: clamp(round, 0, 1) });

export const counter = {
  label: "Roundness of the waves, in per cent",
  hint: "Drag to the side, or use the arrow keys.",
  start: { round: 0 },
  height: (w) => (w < 500 ? 330 : 390),
  alt({ round }) {
    const how = round < 0.02 ? "square" : round > 0.98 ? "sines" : `${Math.round(100 * round)} per cent round`;
    return `The numbers from 0 to 15 side by side, each with its four binary digits one below the other. Along each digit runs a wave, up where it is 1, and each is half as long as the one above. The waves are ${how}.`;
  },
  value: ({ round }) => [100 * round, 0, 100],
  down(s, size, p) {
    const here = track(size).of(p.x),
      next = p.y > size.h - 56 ? setRoundness(s, here) : s;
    return { ...next, hold: { off: here - next.round } };
  },
  move: (s, size, p) => setRoundness(s, track(size).of(p.x) - s.hold.off),
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up, end }) => setRoundness(s, end ? Math.max(end, 0) : s.round + 0.05 * (right + up)),
  film: { lasts: 3500, at: (f) => ({ round: ease(f) }) },
  draw({ round }, { w, h: high }) {
    const small = w < 500,
      { at } = track({ w }),
      rail = high - 24,
      step = (high - 84) / 4,
      x = linear([-0.5, N - 0.5], [0, w]).at,
      fades = { opacity: 1 - 0.6 * round };
    return group(
      BITS.map((bit, k) => {
        const middle = 6 + (k + 0.5) * step,
          y = (t) => middle - (step / 2 - 9) * wave(t, bit, round),
          digit = (t) => `mono mid ${small ? "" : "large"} ${(t >> bit) & 1 ? "f-ink bold" : "f-muted"}`;
        return [
          curve(
            "l-blue wave",
            POINTS.map((t) => [x(t), y(t)]),
          ),
          NUMBERS.map((t) => [
            ring(x(t), y(t), small ? 2.8 : 4, "f-blue"),
            text(x(t), middle + 5, digit(t), (t >> bit) & 1, fades),
          ]),
        ];
      }),
      NUMBERS.map((t) => text(x(t), high - 60, "mono mid f-muted", t)),
      line(at(0), rail, at(1), rail, "l-grid rail"),
      line(at(0), rail, at(round), rail, "l-blue rail"),
      shape(13, rail, 8, 0, "l-muted"),
      shape(w - 13, rail, 8, 1, "l-muted"),
      shape(at(round), rail, 13, round, "f-blue knob"),
    );
  },
};
