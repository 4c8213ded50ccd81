// The binary digits of the numbers from 0 to 15 ride on square waves. A dot runs along the waves; when they are rounded
// until they are sines, it no longer jumps.
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { curve, linear } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { group, h, line, rect, ring, text, through } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { part, reveal, TURN } from "../parts.mjs";

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

const write = (n) => BITS.map((bit) => (n >> bit) & 1).join("");

const track = ({ w }) => linear([0, 1], [44, w - 44]);
const setRoundness = (s, round) => ({ ...s, round: clamp(round, 0, 1) });
const setNumber = (s, t) => ({ ...s, t: clamp(t, 0, N - 1) });

export const counter = {
  label: "Number",
  hint: "Drag to the side to move the dots. The slider rounds the waves.",
  arrows: "Left and right move the dots. Up rounds the waves, and down gives them corners again.",
  start: { t: 0, round: 0 },
  rest: { t: 11, round: 1 },
  height: (w) => (w < 500 ? 350 : 400),
  alt({ t, round }) {
    const how = round < 0.02 ? "square" : round > 0.98 ? "sines" : `${Math.round(100 * round)} per cent round`;
    return `The numbers from 0 to 15 side by side, each with its four binary digits one below the other. A wave runs along each row of digits and is up where the digit is 1. Each wave is half as long as the one above it. The waves are ${how}. A dot on each wave stands at ${Math.round(t)}, which is ${write(Math.round(t))}.`;
  },
  value: ({ t }) => [t, 0, N - 1],
  down(s, size, p) {
    if (p.y < size.h - 56) return { ...s, hold: { x: p.x } };
    const next = setRoundness(s, track(size).of(p.x));
    return { ...next, hold: { off: track(size).of(p.x) - next.round } };
  },
  move(s, size, p) {
    const { off, x } = s.hold;
    if (off !== undefined) return setRoundness(s, track(size).of(p.x) - off);
    return { ...setNumber(s, s.t + ((p.x - x) / size.w) * N), hold: { x: p.x } };
  },
  up: (s) => ({ ...setNumber(s, Math.round(s.t)), hold: undefined }),
  key: (s, { right, up, end }) =>
    up ? setRoundness(s, s.round + 0.1 * up) : setNumber(s, end ? end * N : Math.round(s.t) + right),
  // The dots jump along square waves to 7½, where all digits change. There the waves become round, and the dots go on.
  film: {
    lasts: 9000,
    at: (f) => ({
      t: f < 1 ? 7.5 * clamp(f / 0.4, 0, 1) + 3.5 * clamp((f - 0.6) / 0.4, 0, 1) : 11,
      round: part(f, 0.42, 0.58),
    }),
  },
  draw({ t, round }, { w, h: high }) {
    const small = w < 500,
      { at } = track({ w }),
      rail = high - 26,
      step = (high - 104) / 4,
      x = linear([-0.5, N - 0.5], [0, w]).at,
      now = Math.round(t);
    const passed = POINTS.filter((point) => point < t).concat([t]);
    return group(
      rect(x(now - 0.5), 0, x(1) - x(0), high - 56, "f-muted", { rx: 5, "fill-opacity": 0.14 }),
      BITS.map((bit, k) => {
        const middle = 6 + (k + 0.5) * step,
          y = (s) => middle - (step / 2 - 9) * wave(s, bit, round),
          digit = (n) => `mono mid ${small ? "" : "large"} ${(n >> bit) & 1 ? "f-ink bold" : "f-muted"}`,
          place = (s) => [x(s), y(s)];
        return [
          curve("l-grid wave", POINTS, place),
          reveal(1 - round, curve("l-ink wave", passed, place)),
          reveal(round, curve("l-blue wave", passed, place)),
          reveal(
            1 - 0.6 * round,
            NUMBERS.map((n) => text(x(n), middle + 5, digit(n), (n >> bit) & 1)),
          ),
          ring(x(t), y(t), small ? 6 : 8, "f-ink knob"),
        ];
      }),
      NUMBERS.map((n) => text(x(n), high - 68, `mono mid ${n === now ? "f-ink bold" : "f-muted"}`, n)),
      line(at(0), rail, at(1), rail, "l-grid rail"),
      line(at(0), rail, at(round), rail, "l-ink rail"),
      shape(13, rail, 8, 0, "l-muted"),
      shape(w - 13, rail, 8, 1, "l-muted"),
      shape(at(round), rail, 13, round, "f-ink knob"),
    );
  },
};
