// Draws a clock for each pair, and next to it the pair's wavelength on a logarithmic scale with the context.
// A shadow covers the hands that never come round within the context.
import { BASE, groupDigits, significant, formatWavelength } from "../frame/controls.mjs";
import { clamp, frequency, range, wavelength } from "../maths.mjs";
import { arc, around, curve, hand, knob, logarithmic, tip } from "../scene/chart.mjs";
import { gesturesFor, windClock } from "../scene/hold.mjs";
import { limits } from "../scene/limits.mjs";
import { boxes, group, line, rect, ring, text } from "../scene/svg.mjs";

const CLOCKS = 8,
  SCALE = [1, 1e7], // positions at the ends of the scale
  TURN = 2 * Math.PI,
  { setValue } = limits(ABOUT);

// Returns the pairs that are drawn as clocks: at most eight, evenly spread from the first pair to the last.
export function chosen(dModel) {
  const last = dModel / 2 - 1,
    count = Math.min(CLOCKS, last + 1);
  return range(count, (k) => Math.round((k * last) / Math.max(count - 1, 1)));
}

const waves = ({ d_model, base }) => range(d_model / 2, (i) => wavelength(i, d_model, base));

// Returns the number of pairs whose wavelength is longer than the context.
export const longer = (length, d_model, base) => waves({ d_model, base }).filter((wave) => wave > length).length;
const beyond = (s) => longer(s.length, s.d_model, s.base);

// Returns the layout for a picture of this size: a row for each clock, with positions growing to the right.
function layout(s, { w, h: high }) {
  const { d_model, base, length } = s,
    pairs = chosen(d_model),
    last = d_model / 2 - 1,
    top = 22,
    foot = high - 38,
    tall = (foot - top) / pairs.length;
  const r = Math.min(tall / 2 - 3, 36),
    left = 2 * r + 16,
    right = w - 16,
    gap = last && ((pairs.length - 1) * tall) / last, // the distance between two pairs
    y = (i) => top + tall / 2 + i * gap;
  return {
    r,
    top,
    foot,
    left,
    right,
    ...logarithmic(SCALE, [left, right]),
    y,
    dials: pairs.map((i) => ({ i, x: r + 6, y: y(i), r, frequency: frequency(i, d_model, base) })),
    // Below this height, the wavelengths are longer than the context.
    border: Math.max(top, y(((d_model / 2) * Math.log(length / TURN)) / Math.log(base))),
  };
}

// Draws the shadow over the hands that never come round within the context.
const shade = (s, at, w) =>
  beyond(s) ? rect(0, at.border, w, at.foot - at.border, "f-muted", { "fill-opacity": 0.18 }) : [];

function lost(s, at) {
  const count = beyond(s);
  if (!count) return [];
  return text(at.left + 4, at.foot - 5, "mono halo f-ink", `${count} never come${count === 1 ? "s" : ""} round`);
}

function row(s, at, dial) {
  const wave = TURN / dial.frequency,
    x = at.at(wave),
    near = x > at.right - 70;
  return group(
    line(dial.x + dial.r + 4, dial.y, x, dial.y, "l-grid dash"),
    ring(dial.x, dial.y, dial.r, "f-paper"),
    ring(dial.x, dial.y, dial.r),
    arc(dial, 0, Math.min(TURN, (s.length - 1) * dial.frequency), 4, "l-green"), // its angles in the context
    hand(dial, s.position * dial.frequency, "l-ink bar"),
    knob(...tip(dial, s.position * dial.frequency), 3.5),
    ring(x, dial.y, 5, wave > s.length ? "f-paper l-ink" : "f-ink l-ink"),
    text(near ? x - 11 : x + 11, dial.y + 4.5, `mono bold halo f-ink ${near ? "end" : ""}`, formatWavelength(wave)),
  );
}

export const scene = {
  kind: "clocks and wavelengths",
  shows:
    "A clock for each of up to eight pairs, and beside it the wavelength on a logarithmic scale: hollow and in the " +
    "shade where it is longer than the context.",
  moves:
    "Left and right arrow move the position, Page Up and Page Down by a hundred; up and down arrow change the base.",
  controls: [{ name: "position", text: groupDigits }],
  settings: [
    BASE,
    {
      name: "length",
      label: "context",
      min: 2,
      max: () => 34,
      unit: "positions",
      value: (step) => Math.min(Math.round(2 ** (step / 2)), 100_000),
      step: (length) => (length === 100_000 ? 34 : Math.min(2 * Math.log2(length), 33)),
    },
  ],
  height: (w) => (w < 500 ? 330 : 384),
  draw(s, size) {
    const at = layout(s, size),
      all = waves(s),
      edge = at.at(s.length),
      decades = range(8, (k) => 10 ** k);
    return [
      group(shade(s, at, size.w)),
      decades.map((v) => line(at.at(v), at.top - 6, at.at(v), at.foot, "l-grid")),
      decades
        .filter((_, k) => k < 7 && (size.w > 560 || k % 2 === 0))
        .map((v) => text(at.at(v), at.foot + 15, "mono mid f-muted", v < 1e6 ? groupDigits(v) : "1 million")),
      text(at.right, at.foot + 32, "mono end f-muted", "wavelength in positions"),
      curve("l-ink", all, (wave, i) => [at.at(wave), at.y(i)]),
      line(edge, at.top - 6, edge, at.foot, "l-green bar"),
      group(lost(s, at)), // in front of the lines, so that it is readable
      text(clamp(edge, at.left + 50, at.right - 50), 11, "mono mid bold f-green", `context ${groupDigits(s.length)}`),
      at.dials.map((dial) => row(s, at, dial)),
    ];
  },
  reading(s) {
    const all = waves(s),
      pairs = all.length,
      count = beyond(s),
      turn = (s.length - 1) / all.at(-1),
      position = Math.round(s.position),
      round = position / all[0];
    const ratio = pairs > 1 ? `, ratio ${significant(s.base ** (2 / s.d_model))}.` : ": a single pair.",
      way = turn < 1 ? `turns by ${significant(360 * turn)}°` : `makes ${significant(turn)} turns`;
    return (
      `Wavelengths from **${formatWavelength(all[0])}** to **${formatWavelength(all.at(-1))}**${ratio} **${count} of ${pairs}** ` +
      `${pairs === 1 ? "pair" : "pairs"} ${count === 1 ? "is" : "are"} longer than the context; over it the slowest hand ${way}. ` +
      `**Position ${groupDigits(position)}:** ${round < 99.95 ? round.toFixed(1) : groupDigits(round)} turns of pair 0.`
    );
  },
  // Dragging a hand changes the position, and dragging the line of the context changes its length.
  ...gesturesFor((s, size, p) => {
    const at = layout(s, size),
      beside = at.at(s.length) - p.x;
    return [
      ...at.dials.map((dial) => windClock(setValue, dial)),
      {
        on: Math.abs(beside) < 22,
        to: (now, q) => setValue(now, "length", Number(at.of(q.x + beside).toPrecision(2))),
      },
    ];
  }),
  key(s, { right, up, page = 0, end }) {
    if (up) return setValue(s, "base", Number((s.base * 10 ** (up / 10)).toPrecision(2)));
    return setValue(s, "position", end ? end * s.length : Math.round(s.position) + right + 100 * page);
  },
  parts: boxes(layout, {
    clocks: ({ top, foot, r }) => [0, top - 4, 2 * r + 12, foot - top + 4],
    quick: ({ dials }) => around(dials[0]),
    line({ top, foot, right, at }, _, s) {
      const all = waves(s).map(at);
      return [all[0] - 12, top - 2, Math.min(all.at(-1) + 60, right + 12) - all[0] + 12, foot - top];
    },
    context: ({ foot, at }, _, { length }) => [at(length) - 14, 16, 28, foot - 16],
    lost: ({ border, foot }, { w }) => [0, border, w, foot - border],
  }),
  done: {
    hands: ({ d_model, base, position }) =>
      d_model > 2 && Math.cos(position * frequency(1, d_model, base)) < -0.99
        ? `Found: at ${groupDigits(position)}. Half a wavelength is half a turn.`
        : "",
    context(s) {
      const count = beyond(s);
      return Math.abs(count - s.d_model / 4) <= s.d_model / 64
        ? `Found: in ${groupDigits(s.length)} positions ${count} of ${s.d_model / 2} hands never come round.`
        : "";
    },
  },
  play: { trait: "position", unit: 120 },
};
