// The chord between the hands of two positions: its length knows the offset, and nothing else.
/* global ABOUT */
import { decimals, place, significant } from "../frame/controls.mjs";
import { stage } from "../frame/stage.mjs";
import { frequency, range } from "../maths.mjs";
import { axes } from "../scene/axes.mjs";
import { around, curve, knob, linear, tip } from "../scene/chart.mjs";
import { gripped, two } from "../scene/clocks.mjs";
import { holding } from "../scene/held.mjs";
import { limits } from "../scene/limits.mjs";
import { boxes, line, ring, text } from "../scene/svg.mjs";

const REACH = 20, // the largest offset
  inside = limits(ABOUT),
  { put, step } = inside;

const speed = (pair) => frequency(pair, 16, 10_000);

// Half the chord is opposite half the angle: 2 |sin(ωk / 2)|
export const chord = (pair, offset) => 2 * Math.abs(Math.sin((speed(pair) * offset) / 2));

// Where things stand: the clock, and a curve in which 1 is as long as the clock's radius
function layout({ pair, position, offset }, { w, h }) {
  const phone = w < 560,
    r = phone ? (h - 110) / 4 : (h - 60) / 2,
    y = r + 24;
  const [left, right] = [phone ? 30 : 2 * r + 142, w - 12],
    foot = phone ? y + 3 * r + 40 : y + r,
    omega = speed(pair),
    [here, there] = [position * omega, (position + offset) * omega];
  return {
    dial: { x: phone ? w / 2 : r + 42, y, r, frequency: omega, here, there },
    left,
    right,
    foot,
    x: linear([0, REACH], [left, right]),
    y: linear([0, 2], [foot, foot - 2 * r]).at,
    curve: [left, foot - 2 * r, right - left, 2 * r],
  };
}

// The clock: the steps between the two hands as dots on its rim, and half the angle
function clock({ dial }, { pair, position, offset }) {
  const { here, there } = dial,
    ends = [tip(dial, here), tip(dial, there)],
    foot = ends[0].map((v, n) => (v + ends[1][n]) / 2);
  const crowded = Math.abs(Math.sin((here - there) / 2)) < 0.12; // names on top of each other
  const name = (angle, says) => {
    const [x, y] = tip({ ...dial, r: dial.r + 15 }, angle);
    return text(x, y + 4.5, "mono mid bold f-ink", says);
  };
  return [
    two(dial, here, there),
    range(Math.max(0, Math.ceil(offset) - 1), (k) => ring(...tip(dial, here + (k + 1) * speed(pair)), 2, "f-ink")),
    line(dial.x, dial.y, ...foot, "l-muted dash"),
    line(...ends[0], ...ends[1], "l-green thick"),
    ring(...ends[1], 7, "f-paper l-ink bar"),
    knob(...ends[0], 7.5),
    name(here, place(position) + (crowded && offset ? `, ${place(position + offset)}` : "")),
    crowded ? [] : name(there, place(position + offset)),
  ];
}

// The curve that the chord writes: it stands in it, as long as it is
function graph(at, { pair, offset }) {
  const { left, x, y } = at,
    length = chord(pair, offset),
    side = offset > 0.8 * REACH ? -1 : 1; // where its length has room
  const written = (to) => range(161, (n) => [x.at((n * to) / 160), y(chord(pair, (n * to) / 160))]);
  return [
    axes(at, [0, 5, 10, 15, 20], [0, 1, 2], "offset"),
    text(left, y(2) - 8, "mono f-muted", "length of the chord"),
    curve("l-muted", written(REACH)),
    curve("l-green wave", written(offset)),
    line(x.at(offset), y(0), x.at(offset), y(length), "l-green thick"),
    knob(x.at(offset), y(length), 6),
    text(
      x.at(offset) + 10 * side,
      y(length / 2) + 4.5,
      `mono large bold f-ink ${side < 0 ? "end" : ""}`,
      decimals(length, 3),
    ),
  ];
}

export const scene = {
  kind: "clock and curve",
  shows:
    "A clock with the hands of two positions, the chord between their tips, and the curve of its length against the " +
    "offset.",
  moves: "Left and right arrow change the offset, up and down the position, Page Up and Page Down the pair.",
  controls: [{ name: "offset" }],
  settings: [{ name: "position" }, { name: "pair" }],
  height: (w) => (w < 560 ? 336 : 288),
  draw(s, size) {
    const at = layout(s, size);
    return [clock(at, s), graph(at, s)];
  },
  reading({ pair, position, offset }) {
    const angle = speed(pair) * offset;
    return (
      `**Positions ${place(position)} and ${place(position + offset)}, pair ${pair}:** ${significant(angle)} radians ` +
      `apart, chord 2 |sin ${significant(angle / 2)}| = ${decimals(chord(pair, offset))}. ` +
      `One step is ${decimals(chord(pair, 1))}.`
    );
  },
  // The second tip takes the offset along, the first one both; the curve is pointed at
  ...holding((s, size, p) => {
    const { dial, x, curve } = layout(s, size),
      [first, both] = s.offset ? ["position", "position"] : ["offset", "offset"];
    const pointed = { to: (now, q) => put(now, "offset", x.of(q.x)), end: (now) => step(now, "offset", 0) };
    return [
      ...gripped(s, p, [dial], { here: first, there: "offset", both }, inside),
      { on: p.x > curve[0] - 10 && p.y > curve[1] - 10, ...pointed },
    ];
  }),
  key: (s, { right, up, end, page = 0 }) =>
    end ? put(s, "offset", end * REACH) : step(step(step(s, "offset", right), "position", up), "pair", page),
  parts: boxes(layout, { clock: ({ dial }) => around(dial), curve: ({ curve }) => curve }),
  done: {
    main({ pair, offset }) {
      const found = pair === 0 && Number.isInteger(offset) && offset > 1 && chord(0, offset) < chord(0, 1);
      return found
        ? `Found: ${offset} positions apart the hands are ${decimals(chord(0, offset), 2)} apart, neighbours ${decimals(chord(0, 1), 2)}.`
        : "";
    },
  },
  play: { trait: "offset", unit: 350 },
};

export default stage(ABOUT, scene);
