// Words that a reader carries into another order. Each word has two numbers.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { gesturesFor } from "../../../pe_lib/course/explorers/scene/hold.mjs";
import { rect, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";

const TALL = 78,
  TOP = 26;

export function tiles({ rows, order, row }) {
  const count = rows.length,
    wide = (w) => Math.min((w - 4) / count, 96),
    placeOf = (w, x) => clamp(Math.floor((x - 2) / wide(w)), 0, count - 1);
  const carry = (s, from, to) => {
    const at = [...s.at];
    at.splice(to, 0, ...at.splice(from, 1));
    return { ...s, at, place: to };
  };
  const mean = [0, 1].map((part) => rows.reduce((sum, entries) => sum + entries[part], 0) / count);
  return {
    first: { at: rows.map((_, n) => n), place: 0 },
    moves: "Left and right arrow go to another place. Up and down arrow carry its row on or back by one place.",
    height: () => TOP + TALL + 22,
    draw: ({ at, place, hold }, { w }) => [
      text(2, 16, "mono f-muted", `order: ${order.join(", ")}`),
      at.map((old, n) => {
        const x = 2 + n * wide(w),
          inner = wide(w) - 5;
        return [
          rect(x, TOP, inner, TALL, n === row ? "f-green" : "f-paper l-muted", {
            rx: 4,
            "fill-opacity": n === row ? 0.25 : 1,
          }),
          n === place ? rect(x, TOP, inner, TALL, hold ? "l-ink thick" : "l-ink bar", { rx: 4 }) : [],
          text(x + inner / 2, TOP + 20, "mono mid bold f-ink", `old ${old}`),
          rows[old].map((v, k) => text(x + inner / 2, TOP + 44 + 20 * k, "mono mid f-ink", decimals(v, 1))),
          text(x + inner / 2, TOP + TALL + 17, `mono mid ${n === row ? "bold f-ink" : "f-muted"}`, `new ${n}`),
        ];
      }),
    ],
    ...gesturesFor((_, { w }, p) => [
      {
        on: true,
        from: placeOf(w, p.x),
        to(s, q) {
          const to = placeOf(w, q.x),
            next = to === s.hold.from ? { ...s, place: to } : carry(s, s.hold.from, to);
          return { ...next, hold: { ...s.hold, from: to } };
        },
      },
    ]),
    key(s, { right, up }) {
      if (up) return carry(s, s.place, clamp(s.place + up, 0, count - 1));
      return { ...s, place: clamp(s.place + right, 0, count - 1) };
    },
    reading: ({ at }) =>
      `**The rows stand in the order ${at.join(", ")}.** New row ${row} (green) holds old row ${at[row]}. The mean of all rows is ${mean.map((v) => decimals(v, 2)).join(" and ")} in every order.`,
    answer: ({ at }) => [...rows[at[row]], ...mean].map((v) => Number(v.toFixed(4))).join(" "),
  };
}
