// Draws one clock between two walls. The shadow that its tip casts straight down is the sine.
// The shadow that the tip casts sideways is the cosine. Each wall keeps the shadows of all positions.
// The positions run down the page for the sine, and to the right for the cosine.
import { clamp, range } from "../maths.mjs";
import { arc, around, curve, hand, knob, linear, tip } from "../scene/chart.mjs";
import { part } from "../scene/reveal.mjs";
import { line, rect, ring, text } from "../scene/svg.mjs";
import { agreeing, print, speed, whole } from "./printed.mjs";

// Draw text with a halo, so that it can be read on top of a wave.
const over = (x, y, c, says) => text(x, y, `${c} halo`, says);

export function layout({ read, positions, cosines }, { w, h }) {
  const pair = read[0] ?? 0,
    r = Math.min(0.17 * w, 0.24 * h, 90),
    dial = { x: r + 30, y: r + 24, r, frequency: speed(pair) };
  const floor = { x: 30, y: dial.y + r + 24, w: 2 * r, h: h - dial.y - r - 48 },
    wall = { x: dial.x + r + 24, y: 24, w: w - dial.x - r - 40, h: 2 * r },
    down = linear([-0.5, positions - 0.5], [floor.y, floor.y + floor.h]),
    across = linear([-0.5, positions - 0.5], [wall.x, wall.x + wall.w]);
  return {
    pair,
    down,
    across,
    dials: [dial],
    lines: [
      { on: floor, at: (p) => down.of(p.y) },
      { on: wall, at: (p) => across.of(p.x) },
    ],
    // Without the cosine, the place of its wall is free for the answer.
    parts: { clock: around(dial), floor, wall, answer: { ...wall, y: cosines ? floor.y : wall.y } },
  };
}

// Draw a wall: its frame, and its wave if there is room. `size` is the length of all positions together in pixels.
function wall({ x, y, w, h }, counts, size, { positions }, { frequency }, colour, place) {
  const frame = rect(x, y, w, h, "l-grid");
  if (!counts) return [];
  if ((2 * Math.PI * size) / frequency / positions < 9) return frame;
  const pixels = Math.ceil(size),
    points = range(pixels + 1, (k) => place((k / pixels) * positions - 0.5));
  return [frame, curve(`l-${colour}`, points)];
}

// Draw the strip of the wall that a printed value stands for; light through it falls on two parts of the clock's rim.
function lit({ dials, parts: { floor, wall: side } }, printed, digits, cosines) {
  const [dial] = dials,
    { x, y, r } = dial,
    half = Math.max(10 ** -digits, 1.5 / r) / 2,
    [sine, cosine] = printed.map((value) => Number(value.replace("−", "-"))),
    ends = (value) => [-half, half].map((by) => clamp(value + by, -1, 1)),
    light = { "fill-opacity": 0.16 };
  const [low, high] = ends(sine).map(Math.asin),
    [far, near] = ends(cosine).map(Math.acos);
  return [
    rect(x + r * (sine - half), y - r - 6, 2 * r * half, floor.y + floor.h - y + r + 6, "f-blue", light),
    arc(dial, low, high, 5, "l-blue"),
    arc(dial, Math.PI - high, Math.PI - low, 5, "l-blue"),
    cosines
      ? [
          rect(x - r - 6, y - r * (cosine + half), side.x + side.w - x + r + 6, 2 * r * half, "f-orange", light),
          arc(dial, near, far, 5, "l-orange"),
          arc(dial, -far, -near, 5, "l-orange"),
        ]
      : [],
  ];
}

export function draw(s, size) {
  const at = layout(s, size),
    { pair, down, across } = at,
    [dial] = at.dials,
    { floor, wall: side, answer } = at.parts,
    { digits, cosines, positions, position: t } = s;
  const ends = (k) => tip(dial, k * dial.frequency),
    onFloor = (k) => [ends(k)[0], down.at(k)],
    onWall = (k) => [across.at(k), ends(k)[1]];
  const printed = print(pair, s),
    alike = agreeing(pair, whole(s), positions, digits, false),
    same = cosines ? agreeing(pair, whole(s), positions, digits, true) : alike;

  // All these positions cast the same shadow on the floor. Positions with another shadow on the wall are hollow.
  const mark = (k, [x, y]) => (same.includes(k) ? knob(x, y, 4.5) : ring(x, y, 4, "f-paper l-muted"));
  const last = [-99, -99],
    writePosition = (n, k, x, y, c) => {
      const along = n ? x : y;
      if ((alike.length > 4 && !same.includes(k)) || Math.abs(along - last[n]) < (n ? 24 : 14)) return []; // it does not fit
      last[n] = along;
      return over(x, y + 4.5, `mono bold ${c} ${same.includes(k) ? "f-ink" : "f-muted"}`, k);
    };
  const marks = alike.map((k) => {
    const [x, y] = onFloor(k),
      [u, v] = onWall(k),
      left = x > dial.x;
    return [
      alike.length < 12 ? hand(dial, k * dial.frequency, "l-muted dash") : [],
      mark(k, [x, y]),
      cosines ? mark(k, [u, v]) : [],
      writePosition(0, k, x + (left ? -7 : 7), y, left ? "end" : ""), // the wave must not look like a minus
      cosines ? writePosition(1, k, u, v + (v < dial.y ? 16 : -16), "mid") : [],
    ];
  });

  const tips = ends(t),
    shadows = [onFloor(t), ...(cosines ? [onWall(t)] : [])],
    who = same.length > 2 ? `${same.length} positions` : same.join(" or ");
  const says = [[`sine ${printed[0]}`, "blue"], ...(cosines ? [[`cosine ${printed[1]}`, "orange"]] : []), [who, "ink"]];
  return [
    ring(dial.x, dial.y, dial.r),
    lit(at, printed, digits, cosines),
    wall(floor, true, floor.h, s, dial, "blue", onFloor),
    wall(side, cosines, side.w, s, dial, "orange", onWall),
    over(dial.x, floor.y - 6, "mono mid f-blue", "sine"),
    text(dial.x, floor.y + floor.h + 18, "mono mid f-muted", "position ↓"),
    [0, positions - 1].map((k) => text(floor.x - 4, down.at(k) + 4.5, "mono end f-muted", k)),
    cosines
      ? [
          over(side.x, side.y - 8, "mono f-orange", "cosine"),
          text(side.x + side.w / 2, side.y + side.h + 16, "mono mid f-muted", "position →"),
          [0, positions - 1].map((k) => text(across.at(k), side.y + side.h + 16, "mono mid f-muted", k)),
        ]
      : [],
    marks,
    shadows.map((end, n) => line(tips[0], tips[1], end[0], end[1], n ? "l-orange dash" : "l-blue dash")),
    hand(dial, t * dial.frequency, "l-ink bar"),
    [tips, ...shadows].map(([u, v]) => knob(u, v, 4.5)),
    part(s, "answer", () =>
      says.map(([words, c], n) =>
        text(answer.x + 12, answer.y + 30 + n * 32, `mono bold ${size.w < 500 ? "large" : "huge"} f-${c}`, words),
      ),
    ),
  ];
}
