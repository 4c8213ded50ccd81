// A stretch of a line from one whole number to another, whose two ends a reader drags.
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { grip, linear, ticks } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { gesturesFor } from "../../../pe_lib/course/explorers/scene/hold.mjs";
import { line, rect, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";

const MIDDLE = 46;

// With a `variance`, the answer is the weight of each number in the mean of the stretch, and the variance of this mean.
export function stretch({ most, start, marked, says, variance }) {
  const scale = (w) => linear([0, most], [16, w - 16]);
  const move = (s, end, value) => {
    const ends = [...s.ends];
    ends[end] = clamp(Math.round(value), end ? ends[0] : 0, end ? most : ends[1]);
    return { ...s, ends, end };
  };
  const add = (by) => (s) => move(s, s.end, s.ends[s.end] + by);
  return {
    first: { ends: start, end: 0 },
    moves: "Left and right arrow move one end, and up and down arrow choose the other end.",
    height: () => 84,
    draw({ ends: [low, high], end }, { w }) {
      const x = scale(w);
      return [
        rect(x.at(low), MIDDLE - 9, x.at(high) - x.at(low), 18, "f-green", { "fill-opacity": 0.35 }),
        line(x.at(0), MIDDLE, x.at(most), MIDDLE, "l-muted"),
        ticks(most + 1, 8).map((k) => [
          line(x.at(k), MIDDLE - 4, x.at(k), MIDDLE + 4, "l-muted"),
          text(x.at(k), MIDDLE + 32, "mono mid f-muted", k),
        ]),
        line(x.at(marked), MIDDLE - 16, x.at(marked), MIDDLE + 16, "l-ink bar"),
        text(clamp(x.at(marked), 12, w - 12), 18, "mono mid bold f-ink", marked),
        grip(x.at(low), MIDDLE, end ? 6 : 8),
        grip(x.at(high), MIDDLE, end ? 8 : 6),
      ];
    },
    // A finger takes the nearer end. Where both ends lie on each other, its way decides.
    ...gesturesFor(({ ends: [low, high] }, { w }, p) => {
      const at = scale(w).of(p.x),
        nearer = low === high ? Number(at > low) : Number(Math.abs(at - high) < Math.abs(at - low));
      return [{ on: true, nearer, to: (s, q) => move(s, s.hold.nearer, scale(w).of(q.x)) }];
    }),
    key(s, { right, up, page = 0, end }) {
      if (end) return move(s, s.end, end > 0 ? most : 0);
      return up ? { ...s, end: 1 - s.end } : add(right + 10 * page)(s);
    },
    buttons: [
      { says: "Other end", change: (s) => ({ ...s, end: 1 - s.end }) },
      { says: "−1", change: add(-1) },
      { says: "+1", change: add(1) },
    ],
    reading: ({ ends: [low, high] }) =>
      `**The stretch goes from ${says} ${low} to ${high}.** It holds ${high - low + 1} in all.`,
    answer({ ends: [low, high] }) {
      const count = high - low + 1;
      if (variance) return [1 / count, variance / count].map((v) => v.toFixed(6)).join(" ");
      return Array.from({ length: count }, (_, n) => low + n).join(" ");
    },
  };
}
