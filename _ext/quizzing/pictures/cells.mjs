// Numbered cells, of which a reader chooses some by a touch, or by drawing a finger over them.
import { clamp, range } from "../../../pe_lib/course/explorers/maths.mjs";
import { gesturesFor } from "../../../pe_lib/course/explorers/scene/hold.mjs";
import { rect, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";

const SIDE = 44; // a cell is as wide as a finger

export function cells({ count, says, marked = [] }) {
  const layout = (w) => {
    const columns = Math.max(1, Math.min(count, Math.floor((w - 4) / SIDE)));
    return range(count, (n) => ({
      n,
      x: 2 + SIDE * (n % columns),
      y: 2 + SIDE * Math.floor(n / columns),
      w: SIDE - 6,
      h: SIDE - 6,
    }));
  };
  const choose = (s, n, isChosen) => ({
    ...s,
    at: n,
    chosen: isChosen ? [...new Set([...s.chosen, n])].sort((a, b) => a - b) : s.chosen.filter((other) => other !== n),
  });
  return {
    first: { chosen: [], at: 0 },
    moves: "Left and right arrow go to another cell, up chooses it, and down takes it back.",
    height: (w) => layout(w).at(-1).y + SIDE,
    draw: ({ chosen, at }, { w }) =>
      layout(w).map(({ n, ...box }) => {
        const isChosen = chosen.includes(n),
          { x, y, w: wide, h: tall } = box;
        return [
          rect(x, y, wide, tall, isChosen ? "f-green" : "f-paper l-muted", {
            rx: 4,
            "fill-opacity": isChosen ? 0.35 : 1,
          }),
          n === at ? rect(x, y, wide, tall, "l-ink bar", { rx: 4 }) : [],
          text(x + wide / 2, y + tall / 2 + 5, `mono mid ${marked.includes(n) ? "bold f-ink" : "f-muted"}`, n),
        ];
      }),
    ...gesturesFor((s, { w }) => [
      {
        on: true,
        // The first cell under the finger decides whether the finger chooses cells or takes them back
        to(now, p) {
          const cell = layout(w).find(({ x, y }) => p.x >= x && p.x < x + SIDE && p.y >= y && p.y < y + SIDE);
          if (!cell) return now;
          const isChoosing = now.hold.isChoosing ?? !s.chosen.includes(cell.n);
          return { ...choose(now, cell.n, isChoosing), hold: { ...now.hold, isChoosing } };
        },
      },
    ]),
    key(s, { right, up, end }) {
      if (up) return choose(s, s.at, up > 0);
      return { ...s, at: end ? (end > 0 ? count - 1 : 0) : clamp(s.at + right, 0, count - 1) };
    },
    reading: ({ chosen, at }) =>
      `**You have chosen ${chosen.join(", ") || `no ${says} yet`}.** The frame is at ${says} ${at}.`,
    answer: ({ chosen }) => chosen.join(" "),
  };
}
