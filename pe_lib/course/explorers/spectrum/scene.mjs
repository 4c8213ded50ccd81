// Draws a clock for each pair, and next to it a road on a logarithmic scale, which ends at the pair's wavelength.
// When the position has gone the whole road, the hand has come round once. In the story "hands" the roads are gone up to
// the position, and in other stories up to the end of the context, where a shadow covers the hands that never come round.
import { BASE, decimals, formatPosition, groupDigits, significant, formatWavelength } from "../frame/controls.mjs";
import { clamp, frequency, range, wavelength } from "../maths.mjs";
import { arc, around, curve, hand, knob, logarithmic, tip } from "../scene/chart.mjs";
import { gesturesFor, windClock } from "../scene/hold.mjs";
import { isShown, part } from "../scene/reveal.mjs";
import { boxes, group, line, rect, ring, text, textWidth } from "../scene/svg.mjs";

const CLOCKS = 8,
  SCALE = [1, 1e7], // positions at the ends of the scale
  TURN = 2 * Math.PI;

// Return the pairs that are drawn as clocks: at most eight, evenly spread from the first pair to the last.
export function chosen(dModel) {
  const last = dModel / 2 - 1,
    count = Math.min(CLOCKS, last + 1);
  return range(count, (k) => Math.round((k * last) / Math.max(count - 1, 1)));
}

const waves = ({ d_model, base }) => range(d_model / 2, (i) => wavelength(i, d_model, base));

// Return the number of pairs whose wavelength is longer than the context.
export const longer = (length, d_model, base) => waves({ d_model, base }).filter((wave) => wave > length).length;
const beyond = (s) => longer(s.length, s.d_model, s.base);

// Return the layout for a picture of this size: a row for each clock, with positions growing to the right.
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

// Draw the shadow over the hands that never come round within the context.
const shade = (s, at, w) =>
  beyond(s) ? rect(0, at.border, w, at.foot - at.border, "f-muted", { "fill-opacity": 0.18 }) : [];

// Return the name of the green line, with the number of hands that never come round once the story has named them.
function nameContext(s) {
  const count = isShown(s, "lost") ? beyond(s) : 0,
    lost = `: ${count} never come${count === 1 ? "s" : ""} round`;
  return `context ${groupDigits(s.length)}${count ? lost : ""}`;
}

// Whether the roads are gone up to the position, or else up to the end of the context.
const goesByPosition = ({ story }) => story === "hands";

function drawClock(s, dial) {
  const angle = s.position * dial.frequency;
  return group(
    ring(dial.x, dial.y, dial.r, "f-paper"),
    ring(dial.x, dial.y, dial.r),
    goesByPosition(s) ? [] : arc(dial, 0, Math.min(TURN, (s.length - 1) * dial.frequency), 4, "l-green"), // its angles in the context
    hand(dial, angle, "l-ink bar"),
    knob(...tip(dial, angle), 3.5),
  );
}

function drawRoad(s, at, dial) {
  const wave = TURN / dial.frequency,
    gone = Math.max(1, goesByPosition(s) ? s.position : s.length),
    [start, x] = [dial.x + dial.r + 4, at.at(wave)],
    near = x > at.right - 70,
    isWhole = wave <= gone + 0.01;
  return group(
    line(start, dial.y, x, dial.y, "l-grid dash"),
    line(start, dial.y, Math.min(at.at(gone), x), dial.y, goesByPosition(s) ? "l-ink bar" : "l-green bar"),
    ring(x, dial.y, 5, isWhole ? "f-ink l-ink" : "f-paper l-ink"),
    text(near ? x - 11 : x + 11, dial.y + 4.5, `mono bold halo f-ink ${near ? "end" : ""}`, formatWavelength(wave)),
  );
}

// Draw an upright line over the roads, with its name above it.
function upright(at, value, says, c) {
  const x = at.at(Math.max(1, value)),
    half = textWidth(says) / 2;
  return [
    line(x, at.top - 6, x, at.foot, `l-${c} bar`),
    text(clamp(x, at.left + half - 6, at.right - half), 11, `mono mid bold f-${c}`, says),
  ];
}

export const scene = ({ setValue }) => ({
  kind: "clocks and wavelengths",
  shows:
    "Each pair has a clock, and a line as long as its wavelength, on a logarithmic scale. " +
    "The dot at its end is filled after a full turn.",
  moves:
    "Left and right arrow move the position, Page Up and Page Down by a hundred; up and down arrow change the base.",
  reveals: true,
  controls: [
    { name: "position", text: groupDigits },
    {
      name: "length",
      label: "context",
      min: 2,
      max: () => 34,
      unit: "positions",
      value: (step) => Math.min(Math.round(2 ** (step / 2)), 100_000),
      step: (length) => (length === 100_000 ? 34 : Math.min(2 * Math.log2(length), 33)),
      when: (s) => !goesByPosition(s),
    },
  ],
  settings: [BASE],
  height: (w) => (w < 500 ? 306 : 384),
  draw(s, size) {
    const at = layout(s, size),
      all = waves(s),
      isMoving = goesByPosition(s),
      decades = range(8, (k) => 10 ** k);
    return [
      part(s, "lost", () => (isMoving ? [] : shade(s, at, size.w))),
      part(s, "line", () => [
        decades.map((v) => line(at.at(v), at.top - 6, at.at(v), at.foot, "l-grid")),
        decades
          .filter((_, k) => k < 7 && (size.w > 560 || k % 2 === 0))
          .map((v) => text(at.at(v), at.foot + 15, "mono mid f-muted", v < 1e6 ? groupDigits(v) : "1 million")),
        text(at.right, at.foot + 32, "mono end f-muted", "positions"),
        curve("l-ink thin", all, (wave, i) => [at.at(wave), at.y(i)]),
      ]),
      part(s, ["line", "context"], () =>
        isMoving
          ? upright(at, s.position, `position ${formatPosition(s.position)}`, "ink")
          : isShown(s, "context")
            ? upright(at, s.length, nameContext(s), "green")
            : [],
      ),
      part(s, "line", () => at.dials.map((dial) => drawRoad(s, at, dial))),
      part(s, "clocks", () => at.dials.map((dial) => drawClock(s, dial))),
    ];
  },
  reading(s) {
    if (goesByPosition(s) && s.d_model <= 8) {
      const turns = waves(s).map((wave) => decimals(s.position / wave, 2)),
        last = turns.length > 1 ? ` and ${turns.at(-1)}` : turns[0];
      return `**Position ${formatPosition(s.position)}:** the hands have made ${turns.slice(0, -1).join(", ")}${last} turns.`;
    }
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
});
