// Draws a row for each clock, with the slowest clock at the top. A clock has one possible place in each of its turns.
// Each clock takes the possible place nearest to the guess of the clock above it.
// Each row magnifies the surroundings of the guess so far, and marks the positions that print the same values.
import { decimals } from "../frame/controls.mjs";
import { clamp, range } from "../maths.mjs";
import { hand, knob, linear, tip } from "../scene/chart.mjs";
import { isShown } from "../scene/reveal.mjs";
import { d, group, h, line, path, rect, ring, text } from "../scene/svg.mjs";
import { guesses, misread, PAIRS, speed, whole } from "./printed.mjs";

const NAMES = ["first", "second", "third", "fourth"]; // of the rows, from the slowest clock to the fastest

export function layout(s, { w, h: high }) {
  const pairs = PAIRS.toReversed(),
    steps = new Map(guesses(s).map((step) => [step.pair, step])),
    tall = high / pairs.length,
    r = Math.min(tall / 2 - 6, 34),
    [left, right] = [2 * r + 24, w - 10];
  const rows = pairs.map((pair, n) => {
    const step = steps.get(pair),
      y = n * tall,
      around = step && step.before !== undefined,
      [first, high] = around ? [-1.25, 1.25].map((f) => step.before + f * step.turn) : [0, s.positions],
      low = Math.min(step?.guess ?? 0, Math.max(0, first));
    return {
      pair,
      step,
      y,
      x: linear([low, high], [left, right]),
      ends: [low, high],
      head: y + 35,
      foot: Math.max(y + 42, y + tall - 18),
      dial: { x: r + 6, y: y + tall / 2, r, frequency: speed(pair), start: misread(pair, s) },
    };
  });
  return {
    rows,
    left,
    right,
    dials: rows.map(({ dial }) => dial),
    // A position can be chosen along the first row, which shows all positions.
    lines: rows
      .filter(({ step }) => step)
      .slice(0, 1)
      .map(({ x, y }) => ({ on: { x: left, y, w: right - left, h: tall }, at: (p) => x.of(p.x) })),
    parts: Object.fromEntries(
      NAMES.map((name, n) => [name, [4, n * tall + 2, right, tall - 4]]),
    ),
  };
}

// Draw positions as pieces of a row's line, where neighbouring positions join.
const stretches = (positions, { x, ends: [low, high], foot }, c) => {
  const pieces = positions
    .filter((k) => k > low && k < high)
    .map((k) => d`M${x.at(Math.max(k - 0.5, low))} ${foot}L${x.at(Math.min(k + 0.5, high))} ${foot}`);
  return pieces.length ? path(c, pieces) : [];
};

// Draw the possible places of a clock, and the place that it takes.
function drawPlaces(row, s, left, right) {
  const { pair, step, y, x, head, foot, ends } = row,
    { before, guess, turn, same } = step,
    [low, high] = ends;
  const first = Math.ceil((low - guess) / turn),
    places = range(Math.floor((high - guess) / turn) - first + 1, (n) => guess + (first + n) * turn),
    at = (place) => clamp(x.at(place), left + 18, right - 18),
    end = Math.round(guess);
  const [from, to] = [before - turn / 2, before + turn / 2].map((edge) => x.at(Math.max(edge, low)));
  const mine = at(guess);
  return [
    before === undefined
      ? []
      : [
          rect(from, head, to - from, foot - head, "f-grid"),
          line(x.at(before), head, x.at(before), foot, "l-ink dash"),
        ],
    places.map((place) => {
      const isChosen = place === guess;
      return [
        line(x.at(place), head, x.at(place), foot, isChosen ? "l-ink thick" : "l-muted bar"),
        places.length > 6 || (!isChosen && Math.abs(at(place) - mine) < 44)
          ? []
          : text(at(place), head - 4, `mono mid ${isChosen ? "bold f-ink" : "f-muted"}`, decimals(place, 1)),
      ];
    }),
    line(left, foot, right, foot, "l-muted"),
    h("g", { "stroke-width": 5, "stroke-opacity": 0.5 }, stretches(same, row, "l-muted")),
    h("g", { "stroke-width": 7 }, stretches(step.left, row, "l-green")),
    text(left, y + 14, "mono f-ink", `pair ${pair}: ${decimals(guess, 1)}`),
    pair ? [] : text(left + 96, y + 14, "mono bold f-ink", `${end === whole(s) ? "✓" : "✗"} ${decimals(end, 0)}`),
    text(right, y + 14, "mono end f-green", `${step.left.length} left`),
    text(left, foot + 14, "mono f-muted", decimals(low, 0)),
    text(right, foot + 14, "mono end f-muted", decimals(high, 0)),
  ];
}

export function draw(s, size) {
  const { rows, left, right } = layout(s, size),
    read = rows.filter(({ step }) => step);
  // The next row magnifies the surroundings of the guess in this row.
  const larger = ({ ends, head }, { x, foot }) => {
    const [a, b] = ends.map((end) => clamp(x.at(end), left, right));
    const shape = d`M${a} ${foot}L${b} ${foot}L${right} ${head}L${left} ${head}Z`;
    return path("f-grid", shape, { "fill-opacity": 0.35 });
  };
  return [
    group(read.slice(1).map((row, n) => larger(row, read[n]))),
    rows.map((row, n) => {
      const { step, dial } = row,
        angle = s.position * dial.frequency,
        end = tip(dial, angle + dial.start);
      if (!step && !isShown(s, NAMES[n])) return group();
      return group(
        ring(dial.x, dial.y, dial.r),
        s.off && step ? hand(dial, angle, "l-muted dash") : [],
        line(dial.x, dial.y, ...end, step ? "l-ink bar" : "l-grid bar"),
        step ? [knob(...end, 4), drawPlaces(row, s, left, right)] : [],
      );
    }),
  ];
}
