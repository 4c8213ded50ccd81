// Two positions are two hands on each clock: when both move, all hands turn, and the angles between them stay.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { linear } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { twoHands } from "../../../pe_lib/course/explorers/scene/clocks.mjs";
import { d, group, h, line, ring, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { movePair, part, reveal, speeds, stamp } from "../parts.mjs";

const SPEEDS = speeds(4),
  LAST = 15,
  BY = 9, // how far the film moves both positions
  SET = { here: 2, other: 5 }; // where both stood when their distance was set

function layout(w) {
  const r = Math.min(w / 8 - 7, 66);
  return { r, y: 104 + r, x: (i) => ((i + 0.5) * w) / 4, at: linear([0, LAST], [14, w - 14]).at };
}

const { film, ...moves } = movePair({
  last: LAST,
  step: ({ w }) => (w - 28) / LAST,
  alone(s, { w }, p) {
    const [both, one] = [s.here, s.other].map((t) => Math.abs(p.x - layout(w).at(t)));
    return p.y < 80 && one < Math.min(20, both);
  },
});

// PE(t) · PE(t + by) = Σ cos(by ω_i), which does not depend on t
const product = (by) => SPEEDS.reduce((sum, speed) => sum + Math.cos(by * speed), 0);

export const distance = {
  ...moves,
  label: "The first of two positions",
  hint: "Drag to the side to move both positions. Drag the open dot to move only this one.",
  arrows: "Left and right move both positions, and up and down change the distance between them.",
  start: { ...SET, set: SET },
  rest: { here: SET.here + BY, other: SET.other + BY, set: SET },
  height: (w) => layout(w).y + layout(w).r + 112,
  alt: ({ here, other }) =>
    `Positions ${Math.round(here)} and ${Math.round(other)}, ${Math.abs(Math.round(other - here))} apart, as two hands on each of four clocks. The cosines of the angles between the hands add up to the dot product of the two rows, ${decimals(product(other - here), 2)}. It is the same wherever both positions are, if their distance is the same.`,
  film: { lasts: 6500, at: (f, start) => film(BY, 0).at(Math.min(f / 0.8, 1), start) },
  draw({ here, other, set }, { w }) {
    const { r, x, y, at } = layout(w),
      by = other - here,
      apart = Math.abs(by),
      [from, to] = [here, other].map(at),
      moved = part(Math.abs(here - set.here), 0.5, 2.5); // the stamp comes when both have moved
    return group(
      line(at(0), 40, at(LAST), 40, "l-grid"),
      Array.from({ length: LAST + 1 }, (_, n) => text(at(n), 72, "mono mid f-muted", n)),
      reveal(
        0.5 * moved,
        [set.here, set.other].map((t) => ring(at(t), 40, 7, "l-muted dash")),
      ),
      h("path", { class: "l-green bar", d: d`M${from} 26V18H${to}V26` }),
      text((from + to) / 2, 12, "mono mid f-green", `${decimals(apart, Number.isInteger(apart) ? 0 : 1)} apart`),
      ring(to, 40, 9, "f-paper l-ink bar"),
      ring(from, 40, 9, "f-ink knob"),
      SPEEDS.map((speed, i) => [
        reveal(0.3 * moved, twoHands({ x: x(i), y, r }, set.here * speed, set.other * speed)),
        twoHands({ x: x(i), y, r }, here * speed, other * speed),
        stamp(x(i), y + r + 24, moved),
        text(x(i), y + r + 62, "mono mid f-green", decimals(Math.cos(by * speed), 2)),
        i ? text(x(i - 0.5), y + r + 62, "mono mid f-muted", "+") : undefined,
      ]),
      text(w / 2, y + r + 96, "mono mid large bold f-green", `dot product ${decimals(product(by), 2)}`),
    );
  },
};
