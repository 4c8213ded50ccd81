// A hand's shadow is a wave that passes each height twice; with the other shadow there is one place left.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { h, line, ring, text, through } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, eased, moved, tip, TURN } from "../parts.mjs";

const PERIOD = 16,
  SPEED = TURN / PERIOD;
const round = (t) => ((t % PERIOD) + PERIOD) % PERIOD; // once round, and on

function layout({ w, h: high }) {
  const r = 0.21 * Math.min(w, high),
    x = r + 16,
    y = r + 12;
  return { r, x, y, right: 2 * r + 44, below: 2 * r + 40, wide: w - 2 * r - 56, tall: high - 2 * r - 52 };
}

const gestures = moved({
  last: PERIOD,
  along: ({ w }) => w,
  dials: (size) => {
    const { x, y, r } = layout(size);
    return [{ x, y, r: r + 12, speed: SPEED }];
  },
  rests: (t) => t,
});

export const shadows = {
  ...gestures,
  label: "Position of the hand",
  hint: "Turn the hand, or use the arrow keys.",
  start: { t: 6 },
  height: (w) => Math.min(w, 470),
  alt({ t }) {
    const [sine, cosine] = [Math.sin(t * SPEED), Math.cos(t * SPEED)].map((x) => decimals(x, 2));
    return `A hand that comes round in 16 positions, at position ${decimals(t, 1)}. Its shadow below writes a sine wave, ${sine} here; its shadow to the right a cosine wave, ${cosine}. At position ${decimals(round(1.5 * PERIOD - t), 1)} the sine is the same and the cosine the opposite.`;
  },
  // the hand goes to the finger at once, and may go round and round
  down(s, size, p) {
    const { x, y, r } = layout(size),
      on = Math.hypot(p.x - x, p.y - y) < r + 20;
    return gestures.down(on ? { ...s, t: round(Math.atan2(p.x - x, y - p.y) / SPEED) } : s, size, p);
  },
  move(s, size, p) {
    if (!s.hold.dial) return gestures.move(s, size, p);
    const { x, y } = layout(size);
    return { ...s, t: round(Math.atan2(p.x - x, y - p.y) / SPEED) };
  },
  film: { lasts: 5000, at: (f, { t }) => ({ t: between(t, 3, eased(f)) }) },
  draw({ t }, size) {
    const { r, x, y, right, below, wide, tall } = layout(size),
      twin = round(1.5 * PERIOD - t);
    const [tx, ty] = tip(x, y, r, t * SPEED),
      [ux, uy] = tip(x, y, r, twin * SPEED);
    const over = (s) => right + (s / PERIOD) * wide,
      down = (s) => below + (s / PERIOD) * tall;
    const times = Array.from({ length: 65 }, (_, n) => n / 4),
      apart = Math.abs(uy - ty) > 3;
    const says = (k, c, words) => text(right + wide / 2, below + 0.62 * tall + 28 * k, `mono mid large ${c}`, words);
    return h(
      "g",
      {},
      line(right, y, right + wide, y, "l-grid"),
      line(x, below, x, below + tall, "l-grid"),
      h("path", { class: "l-orange wave", d: through(times.map((s) => [over(s), y - r * Math.cos(s * SPEED)])) }),
      h("path", { class: "l-blue wave", d: through(times.map((s) => [x + r * Math.sin(s * SPEED), down(s)])) }),
      // the other place with this sine
      h(
        "g",
        { opacity: apart ? 1 : 0 },
        line(ux, uy, ux, down(twin), "l-muted dash"),
        line(x, y, ux, uy, "l-muted dash"),
        ring(ux, uy, 5, "f-paper l-ink"),
        ring(ux, down(twin), 5, "f-paper l-blue"),
        ring(over(twin), uy, 5, "f-paper l-orange"),
        text(ux + 12, down(twin) + 4, "mono f-muted", "or here?"),
      ),
      line(tx, ty, tx, down(t), "l-blue dash"),
      line(tx, ty, over(t), ty, "l-orange dash"),
      ring(x, y, r),
      line(x, y, tx, y, "l-blue thick"),
      line(tx, y, tx, ty, "l-orange thick"),
      line(x, y, tx, ty, "l-ink thick"),
      ring(tx, ty, 9, "f-ink knob"),
      ring(tx, down(t), 6, "f-blue knob"),
      ring(over(t), ty, 6, "f-orange knob"),
      says(0, "f-muted", `position ${decimals(t, 1)}`),
      says(1, "f-blue", `sine ${decimals(Math.sin(t * SPEED), 2)}`),
      says(2, "f-orange", `cosine ${decimals(Math.cos(t * SPEED), 2)}`),
    );
  },
};
