// Two positions as two hands on each clock: when both move, all hands turn and the angles between them stay.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { linear } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { two } from "../../../pe_lib/course/explorers/scene/clocks.mjs";
import { d, h, line, ring, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, eased, speeds } from "../parts.mjs";

const SPEEDS = speeds(4),
  LAST = 15,
  MOST = 8; // positions between the two

function layout(w) {
  const r = Math.min(w / 8 - 7, 66);
  return { r, y: 104 + r, x: (i) => ((i + 0.5) * w) / 4, line: linear([0, LAST], [14, w - 14]) };
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
    const { at, of } = layout(w).line,
      [both, one] = [s.t, s.t + s.by].map((t) => Math.abs(p.x - at(t)));
    return { ...s, hold: { off: of(p.x) - s.t, by: s.by, alone: p.y < 80 && one < Math.min(20, both) } };
  },
  move(s, { w }, p) {
    const { off, by, alone } = s.hold,
      t = layout(w).line.of(p.x) - off;
    return alone ? put(s, s.t, Math.min(by + t - s.t, LAST - s.t)) : put(s, t);
  },
  up: (s) => ({ ...put(s, Math.round(s.t), Math.round(s.by)), hold: undefined }),
  key: (s, { right, up, end }) => (up ? put(s, s.t, s.by + up) : put(s, end ? end * LAST : s.t + right)),
  film: { lasts: 4500, at: (f, start) => put(start, f < 1 ? between(start.t, 11, eased(f)) : 11) },
  draw({ t, by }, { w }) {
    const { r, x, y, line: rail } = layout(w),
      [from, to] = [t, t + by].map(rail.at);
    return h(
      "g",
      {},
      line(rail.at(0), 40, rail.at(LAST), 40, "l-grid"),
      Array.from({ length: LAST + 1 }, (_, n) => text(rail.at(n), 72, "mono mid f-muted", n)),
      h("path", { class: "l-green bar", d: d`M${from} 26V18H${to}V26` }),
      text((from + to) / 2, 12, "mono mid f-green", decimals(by, Number.isInteger(by) ? 0 : 1)),
      ring(to, 40, 9, "f-paper l-ink bar"),
      ring(from, 40, 9, "f-ink knob"),
      SPEEDS.map((speed, i) => [
        two({ x: x(i), y, r }, t * speed, (t + by) * speed),
        text(x(i), y + r + 26, "mono mid f-green", decimals(Math.cos(by * speed), 2)),
        i ? text(x(i - 0.5), y + r + 26, "mono mid f-muted", "+") : undefined,
      ]),
      text(w / 2, y + r + 60, "mono mid large bold f-green", `dot product ${decimals(product(by), 2)}`),
    );
  },
};
