// The chord between the hands of two positions: its length knows the offset, and nothing else.
/* global ABOUT */
import { decimals, significant } from "../frame/controls.mjs";
import { wound } from "../frame/drag.mjs";
import { clamp, frequency } from "../maths.mjs";
import { around, curve, knob, linear, tip } from "../scene/chart.mjs";
import { bounded, held, place, taken, two } from "../scene/clocks.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, line, ring, text } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";

const LIMITS = { pair: [0, 7], position: [0, 100], offset: [0, 20] }, // as in __init__.py
  REACH = 20;

const speed = (pair) => frequency(pair, 16, 10_000);

// Half the chord is opposite half the angle: 2 |sin(ωk / 2)|
export const chord = (pair, offset) => 2 * Math.abs(Math.sin((speed(pair) * offset) / 2));

// Where things stand: the clock, and a curve in which 1 is as long as the clock's radius
function layout({ pair, position, offset }, { w, h: high }) {
  const phone = w < 560,
    r = phone ? (high - 110) / 4 : (high - 60) / 2,
    y = r + 24;
  const left = phone ? 30 : 2 * r + 142,
    foot = phone ? y + 3 * r + 40 : y + r,
    omega = speed(pair);
  return {
    dial: {
      x: phone ? w / 2 : r + 42,
      y,
      r,
      frequency: omega,
      here: position * omega,
      there: (position + offset) * omega,
    },
    left,
    right: w - 12,
    x: linear([0, REACH], [left, w - 12]),
    y: linear([0, 2], [foot, foot - 2 * r]).at,
  };
}

const { put, step } = bounded(LIMITS);

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
    Array.from({ length: Math.max(0, Math.ceil(offset) - 1) }, (_, k) =>
      ring(...tip(dial, here + (k + 1) * speed(pair)), 2, "f-ink"),
    ),
    line(dial.x, dial.y, ...foot, "l-muted dash"),
    line(...ends[0], ...ends[1], "l-green thick"),
    ring(...ends[1], 7, "f-paper l-ink bar"),
    knob(...ends[0], 7.5),
    name(here, place(position) + (crowded && offset ? `, ${place(position + offset)}` : "")),
    crowded ? [] : name(there, place(position + offset)),
  ];
}

// The curve that the chord writes: it stands in it, as long as it is
function graph({ left, right, x, y }, { pair, offset }) {
  const length = chord(pair, offset),
    beyond = offset > 0.8 * REACH;
  const written = (to) =>
    Array.from({ length: 161 }, (_, n) => (n * to) / 160).map((k) => [x.at(k), y(chord(pair, k))]);
  return [
    [0, 1, 2].map((v) => [line(left, y(v), right, y(v), "l-grid"), text(left - 8, y(v) + 4.5, "mono end f-muted", v)]),
    [0, 5, 10, 15, 20].map((k) => text(x.at(k), y(0) + 18, "mono mid f-muted", k)),
    text(right, y(0) + 34, "mono end f-muted", "offset"),
    text(left, y(2) - 8, "mono f-muted", "length of the chord"),
    curve("l-muted", written(REACH)),
    curve("l-green wave", written(offset)),
    line(x.at(offset), y(0), x.at(offset), y(length), "l-green thick"),
    knob(x.at(offset), y(length), 6),
    text(
      x.at(offset) + (beyond ? -10 : 10),
      y(length / 2) + 4.5,
      `mono large bold f-ink ${beyond ? "end" : ""}`,
      decimals(length, 3),
    ),
  ];
}

const slider = (name) => ({ name, label: name, min: 0, max: () => LIMITS[name][1], text: place });

export const scene = {
  kind: "clock and curve",
  label:
    "A clock with the hands of two positions, the chord between their tips, and the curve of its length against the " +
    "offset. Left and right arrow change the offset, up and down the position, Page Up and Page Down the " +
    "pair.",
  controls: [slider("offset")],
  settings: [slider("position"), slider("pair")],
  height: (w) => (w < 560 ? 336 : 288),
  draw(s, size) {
    const at = layout(s, size);
    return h("g", {}, clock(at, s), graph(at, s));
  },
  alt: ({ pair, position, offset }) =>
    `The hands of positions ${place(position)} and ${place(position + offset)} in pair ${pair}, ` +
    `${significant(speed(pair))} radians a position: the chord between their tips is ` +
    `${decimals(chord(pair, offset))} long, and so it is wherever the step of ${place(offset)} starts.`,
  reading({ pair, position, offset }) {
    const angle = speed(pair) * offset;
    return (
      `**Positions ${place(position)} and ${place(position + offset)}, pair ${pair}:** ${significant(angle)} radians ` +
      `apart, chord 2 |sin ${significant(angle / 2)}| = ${decimals(chord(pair, offset))}. ` +
      `One step is ${decimals(chord(pair, 1))}.`
    );
  },
  // The second tip takes the offset along, the first one both; the curve is pointed at
  down(s, size, p) {
    const { dial, left, y } = layout(s, size),
      touched = taken([dial], p);
    if (!touched) return p.x > left - 10 && p.y > y(2) - 10 ? { ...s, hold: { name: "offset" } } : s;
    const name = touched.hand === "there" || !s.offset ? "offset" : "position";
    return { ...s, hold: { name, ...held(touched, s[name]) } };
  },
  move(s, size, p) {
    const { name, dial, at } = s.hold;
    if (!dial) return put(s, name, layout(s, size).x.of(p.x));
    const now = clamp(wound(dial, at, p), ...LIMITS[name]);
    return { ...put(s, name, now), hold: { name, dial, at: now } };
  },
  up: (s) => ({ ...(s.hold ? step(s, s.hold.name, 0) : s), hold: undefined }),
  key: (s, { right, up, end, page = 0 }) =>
    end ? put(s, "offset", end * REACH) : step(step(step(s, "offset", right), "position", up), "pair", page),
  parts: {
    clock: (s, size) => around(layout(s, size).dial),
    curve(s, size) {
      const { left, right, y } = layout(s, size);
      return { x: left, y: y(2), w: right - left, h: y(0) - y(2) };
    },
  },
};

export const done = {
  main({ pair, offset }) {
    const found = pair === 0 && Number.isInteger(offset) && offset > 1 && chord(0, offset) < chord(0, 1);
    return found
      ? `Found: ${offset} positions apart the hands are ${decimals(chord(0, offset), 2)} apart, neighbours ${decimals(chord(0, 1), 2)}.`
      : "";
  },
};

export default stage(ABOUT, drawn(ABOUT, scene), { done, play: { trait: "offset", unit: 350 } });
