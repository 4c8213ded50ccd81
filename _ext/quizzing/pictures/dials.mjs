// Clocks whose hands a reader turns to a position. A clock shows what the question tells of its hand.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { hand, knob, tip, wedge } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { gesturesFor, windClock } from "../../../pe_lib/course/explorers/scene/hold.mjs";
import { line, path, ring, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";

const TURN = 2 * Math.PI;

export function dials({ clocks, most, least = 0, start, marks = false, gives = "position" }) {
  const setPosition = (s, _, value) => ({ ...s, position: clamp(value, least, most) }),
    whole = (s) => ({ ...s, position: Math.round(s.position) }),
    add = (by) => (s) => setPosition(s, "position", Math.round(s.position) + by);
  const angleAt = ({ frequency, at, from = 0 }, position) => from + frequency * (at ?? position);
  const layout = (w) => {
    const r = Math.min(w / clocks.length / 2 - 14, 76);
    return clocks.map((clock, n) => ({
      ...clock,
      x: ((2 * n + 1) * w) / clocks.length / 2,
      y: r + 12,
      r,
      start: clock.from ?? 0,
    }));
  };
  const READS = {
    sine: (angle, digits) => `has the sine ${decimals(Math.sin(angle), digits)}`,
    cosine: (angle, digits) => `has the cosine ${decimals(Math.cos(angle), digits)}`,
    angle: (angle, digits) => `is ${decimals(angle - TURN * Math.floor(angle / TURN), digits)} radians into its turn`,
    turns: (angle, digits) => `has made ${decimals(angle / TURN, digits)} turns`,
  };
  const toggle = (s) => {
    const k = Math.round(s.position);
    return {
      ...s,
      marked: s.marked.includes(k) ? s.marked.filter((other) => other !== k) : [...s.marked, k].sort((a, b) => a - b),
    };
  };

  // Draw what the question tells of a hand: a strip for a sine or a cosine, or a dashed hand and how far it may be off.
  function drawMarks(dial) {
    const { x, y, r, sine, cosine, angle, error = 0 } = dial;
    return [
      sine === undefined ? [] : line(x + r * sine, y - r - 6, x + r * sine, y + r + 6, "l-blue bar"),
      cosine === undefined ? [] : line(x - r - 6, y - r * cosine, x + r + 6, y - r * cosine, "l-orange bar"),
      angle === undefined
        ? []
        : [path("f-grid", wedge(dial, angle - error, angle + error)), hand(dial, angle, "l-muted bar dash")],
      dial.from === undefined ? [] : hand(dial, dial.from, "l-muted bar dash"),
    ];
  }

  return {
    first: { position: start, marked: [] },
    moves: `The arrow keys turn the hand by one position, Page Up and Page Down by ten.${marks ? " Up marks the position, or takes the mark away." : ""}`,
    height: (w) => 2 * layout(w)[0].r + 46,
    draw: ({ position, marked }, { w }) =>
      layout(w).map((dial) => {
        const angle = angleAt(dial, position),
          [tx, ty] = tip(dial, angle);
        return [
          ring(dial.x, dial.y, dial.r),
          drawMarks(dial),
          marked.map((k) => ring(...tip(dial, angleAt(dial, k)), 4, "f-green")),
          hand(dial, angle, "l-ink bar"),
          knob(tx, ty, 6),
          text(dial.x, dial.y + dial.r + 26, "mono mid f-muted", dial.says),
        ];
      }),
    ...gesturesFor((_, { w }) =>
      layout(w)
        .filter(({ at }) => at === undefined)
        .map((dial) => ({ ...windClock(setPosition, dial), end: whole })),
    ),
    key(s, { right, up, end, page = 0 }) {
      if (end) return setPosition(s, "position", end > 0 ? most : least);
      if (marks && up) return toggle(s);
      return add(right + up + 10 * page)(s);
    },
    buttons: [
      { says: "−10", change: add(-10) },
      { says: "−1", change: add(-1) },
      { says: "+1", change: add(1) },
      { says: "+10", change: add(10) },
      ...(marks ? [{ says: "Mark", change: toggle }] : []),
    ],
    reading: ({ position, marked }) =>
      [
        `**${gives === "entries" ? "You have turned by" : "You are at position"} ${decimals(position, Number.isInteger(position) ? 0 : 1)}.**`,
        ...clocks.map((clock) => {
          const angle = angleAt(clock, position);
          return `${clock.name} ${clock.reads.map((name) => READS[name](angle, clock.digits)).join(" and ")}.`;
        }),
        marks ? `You have marked ${marked.join(", ") || "no position yet"}.` : "",
      ].join(" "),
    answer({ position, marked }) {
      if (marks) return marked.join(" ");
      if (gives === "position") return String(Math.round(position));
      const angle = angleAt(clocks[0], Math.round(position));
      return [Math.sin(angle), Math.cos(angle)].map((v) => v.toFixed(4)).join(" ");
    },
  };
}
