// Two positions as two hands on each clock: when both move, all hands turn and the angles between them stay.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { d, h, line, ring, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, eased, speeds, tip, wrapped } from "../parts.mjs";

const SPEEDS = speeds(4),
  LAST = 15,
  MOST = 8; // positions between the two

function layout(w) {
  const r = Math.min(w / 8 - 7, 66);
  return { step: (w - 28) / LAST, r, y: 104 + r, x: (i) => ((i + 0.5) * w) / 4, px: (t) => 14 + (t * (w - 28)) / LAST };
}

function put(s, t, by = s.by) {
  const apart = clamp(by, 0, MOST);
  return { ...s, by: apart, t: clamp(t, 0, LAST - apart) };
}

// PE(t) · PE(t + by) = Σ cos(by ω_i): t is not in it
const product = (by) => SPEEDS.reduce((sum, speed) => sum + Math.cos(by * speed), 0);

export const distance = {
  label: "The earlier of two positions",
  hint: "Drag the filled dot to move both, the open one to move it alone. Arrow keys: left and right move both, up and down change the distance.",
  start: { t: 2, by: 3 },
  height: (w) => layout(w).y + layout(w).r + 78,
  alt: ({ t, by }) =>
    `Positions ${Math.round(t)} and ${Math.round(t + by)}, ${Math.round(by)} apart, as two hands on each of four clocks. The cosines of the angles between the hands add up to the dot product of the two rows, ${decimals(product(by), 2)}, wherever both stand.`,
  value: ({ t }) => [t, 0, LAST],
  down(s, { w }, p) {
    const { px } = layout(w),
      alone = p.y < 80 && Math.abs(p.x - px(s.t + s.by)) < Math.min(20, Math.abs(p.x - px(s.t)));
    return { ...s, hold: { x: p.x, t: s.t, by: s.by, alone } };
  },
  move(s, { w }, p) {
    const { alone, x, t, by } = s.hold,
      far = (p.x - x) / layout(w).step;
    return alone ? put(s, s.t, Math.min(by + far, LAST - s.t)) : put(s, t + far);
  },
  up: (s) => ({ ...put(s, Math.round(s.t), Math.round(s.by)), hold: undefined }),
  key: (s, { right, up, end }) => (up ? put(s, s.t, s.by + up) : put(s, end ? end * LAST : s.t + right)),
  film: { lasts: 4500, at: (f, start) => put(start, f < 1 ? between(start.t, 11, eased(f)) : 11) },
  draw({ t, by }, { w }) {
    const { r, x, y, px } = layout(w),
      later = t + by;
    return h(
      "g",
      {},
      line(px(0), 40, px(LAST), 40, "l-grid"),
      Array.from({ length: LAST + 1 }, (_, n) => text(px(n), 72, "mono mid f-muted", n)),
      h("path", { class: "l-green bar", d: d`M${px(t)} 26V18H${px(later)}V26` }),
      text((px(t) + px(later)) / 2, 12, "mono mid f-green", decimals(by, Number.isInteger(by) ? 0 : 1)),
      ring(px(later), 40, 9, "f-paper l-ink bar"),
      ring(px(t), 40, 9, "f-ink knob"),
      SPEEDS.map((speed, i) => {
        const [ax, ay] = tip(x(i), y, r, t * speed),
          [bx, by2] = tip(x(i), y, r, later * speed);
        const [cx, cy] = tip(x(i), y, 0.5 * r, t * speed),
          [ex, ey] = tip(x(i), y, 0.5 * r, later * speed);
        const clockwise = wrapped(by * speed) > 0 ? 1 : 0;
        return [
          ring(x(i), y, r),
          h("path", {
            class: "f-green",
            opacity: 0.3,
            d: d`M${x(i)} ${y}L${cx} ${cy}A${r / 2} ${r / 2} 0 0 ${clockwise} ${ex} ${ey}Z`,
          }),
          line(x(i), y, bx, by2, "l-ink bar dash"),
          line(x(i), y, ax, ay, "l-ink bar"),
          ring(bx, by2, 5, "f-paper l-ink"),
          ring(ax, ay, 4, "f-ink"),
          text(x(i), y + r + 26, "mono mid f-green", decimals(Math.cos(by * speed), 2)),
          i ? text((x(i - 1) + x(i)) / 2, y + r + 26, "mono mid f-muted", "+") : undefined,
        ];
      }),
      text(w / 2, y + r + 60, "mono mid large bold f-green", `dot product ${decimals(product(by), 2)}`),
    );
  },
};
