// From clock to clock, the slowest on top: each has a place in every turn, and takes the one that is nearest to what the
// clock above says. Each row shows, larger, what lies around the guess so far, and below it who prints the same.
import { clamp } from "../maths.mjs";
import { decimals } from "../frame/controls.mjs";
import { curve, knob, linear, tip } from "../scene/chart.mjs";
import { h, line, ring, text } from "../scene/svg.mjs";
import { guesses, misread, speed, whole } from "./printed.mjs";

export function layout(s, { w, h: high }) {
  const pairs = Array.from({ length: s.d_model / 2 }, (_, n) => s.d_model / 2 - 1 - n),
    steps = new Map(guesses(s).map((step) => [step.pair, step])),
    tall = high / pairs.length,
    r = Math.min(tall / 2 - 6, 34);
  const rows = pairs.map((pair, n) => {
    const step = steps.get(pair),
      y = n * tall,
      ends =
        step && step.before !== undefined ? [-1.25, 1.25].map((f) => step.before + f * step.turn) : [0, s.positions];
    const low = Math.min(step?.guess ?? 0, Math.max(0, ends[0]));
    return {
      pair,
      step,
      y,
      x: linear([low, ends[1]], [2 * r + 24, w - 10]),
      ends: [low, ends[1]],
      head: y + 34,
      foot: Math.max(y + 40, y + tall - 22),
      dial: { x: r + 6, y: y + tall / 2, r, frequency: speed(pair, s.d_model), start: misread(pair, s) },
    };
  });
  return { rows, tall, left: 2 * r + 24, right: w - 10 };
}

// Positions as lines along their row, those side by side in one piece
function stretches(found, { x, ends: [low, high], foot }, c) {
  const parts = [];
  for (const k of found.filter((one) => one > low && one < high))
    if (parts.at(-1)?.[1] === k - 1) parts.at(-1)[1] = k;
    else parts.push([k, k]);
  return parts.map(([a, b]) => line(x.at(Math.max(a - 0.4, low)), foot, x.at(Math.min(b + 0.4, high)), foot, c));
}

// A clock that is read: its places, and the one that it takes
function found(row, s, left, right) {
  const { pair, step, y, x, head, foot, ends } = row,
    { before, guess, turn, same } = step,
    [low, high] = ends;
  const first = Math.ceil((low - guess) / turn),
    places = Array.from(
      { length: Math.floor((high - guess) / turn) - first + 1 },
      (_, n) => guess + (first + n) * turn,
    ),
    at = (place) => clamp(x.at(place), left + 18, right - 18);
  const half = before !== undefined && [before - turn / 2, before + turn / 2].map((end) => x.at(Math.max(end, low))),
    end = Math.round(guess);
  return [
    half ? h("rect", { class: "f-grid", x: half[0], y: head, width: half[1] - half[0], height: foot - head }) : [],
    half ? line(x.at(before), head, x.at(before), foot, "l-ink dash") : [],
    places.map((place) => [
      line(x.at(place), head, x.at(place), foot, place === guess ? "l-ink thick" : "l-muted bar"),
      places.length > 6
        ? []
        : text(at(place), head - 4, `mono mid ${place === guess ? "bold f-ink" : "f-muted"}`, decimals(place, 1)),
    ]),
    line(left, foot, right, foot, "l-muted"),
    h("g", { "stroke-width": 5, "stroke-opacity": 0.5 }, stretches(same, row, "l-muted")),
    h("g", { "stroke-width": 7 }, stretches(step.left, row, "l-green")),
    text(left, y + 13, "mono f-ink", `pair ${pair}: near ${decimals(guess, 1)}`),
    text(left, foot + 15, "mono f-muted", decimals(low, 0)),
    text(right, foot + 15, "mono end f-muted", decimals(high, 0)),
    text((left + right) / 2, foot + 15, "mono mid f-green", `${step.left.length} left`),
    pair ? [] : text(right, y + 14, "mono large bold end f-ink", `${end === whole(s) ? "✓" : "✗"} ${decimals(end, 0)}`),
  ];
}

export function draw(s, size) {
  const { rows, left, right } = layout(s, size),
    read = rows.filter(({ step }) => step),
    at = Math.min(s.position, s.positions - 1);
  return h(
    "g",
    {},
    // what lies around a guess is drawn larger in the next row
    read.slice(1).map(({ ends: [low, high], head }, n) => {
      const [a, b] = [low, high].map((end) => clamp(read[n].x.at(end), left, right)),
        { foot } = read[n];
      return h("path", {
        class: "f-grid",
        "fill-opacity": 0.35,
        d: `M${a} ${foot}L${b} ${foot}L${right} ${head}L${left} ${head}Z`,
      });
    }),
    rows.map((row) => {
      const { pair, step, y, foot, dial } = row,
        angle = at * dial.frequency,
        [tx, ty] = tip(dial, angle + dial.start);
      return h(
        "g",
        {},
        ring(dial.x, dial.y, dial.r),
        s.off && step ? line(dial.x, dial.y, ...tip(dial, angle), "l-muted dash") : [],
        line(dial.x, dial.y, tx, ty, step ? "l-ink bar" : "l-grid bar"),
        step
          ? [knob(tx, ty, 4), found(row, s, left, right)]
          : text(left, y + 13, "mono f-muted", `pair ${pair}: not read`),
        step
          ? []
          : curve("l-grid dash", [
              [left, foot],
              [right, foot],
            ]),
      );
    }),
  );
}
