// Draws the machine of the course: a sentence, eight clocks, and a table with a row for each position.
// Each part of the machine has its own module part. All parts have the same layout, which is in picture.mjs.
import { clamp } from "../maths.mjs";
import { glideTo } from "../scene/glide.mjs";
import { gesturesFor, windClock } from "../scene/hold.mjs";
import { basics } from "./basics.mjs";
import { beyond } from "./beyond.mjs";
import { wordPlaces } from "./moving.mjs";
import { rowAt, wordAt } from "./picture.mjs";
import { relations } from "./relations.mjs";

/** @type {Record<string, any>} by the values of the trait `part` */
const PARTS = { ...basics, ...relations, ...beyond };
const partOf = (s) => PARTS[s.part];
// Return the state as the part needs it. Only the longer text has more positions than the sentence. The `stage` counts
// the steps of the story that have named something, and beyond the story it is infinite.
const inPart = (s) => ({
  ...s,
  position: Math.min(s.position, partOf(s).last),
  stage: s.revealed?.length ?? Infinity,
});
const moveTo = ({ setValue }, s, position) => setValue(s, "position", clamp(position, 0, partOf(s).last));
const rest = (limits, s) => moveTo(limits, s, Math.round(s.position));

// Return what moves the position: a clock that is wound, the sentence that is pulled, and a row that is pressed.
function holdPosition(limits, s, size, p) {
  const to = partOf(s).layout(s, size),
    word = wordAt(to, p),
    row = rowAt(to, p),
    step = size.w / (partOf(s).last + 1);
  return [
    ...to.dials.map((dial) => {
      const start = Math.atan2(p.x - dial.x, dial.y - p.y) - s.position * dial.frequency;
      const hold = windClock(limits.setValue, { ...dial, start });
      return {
        ...hold,
        on: dial,
        to: (now, q) => moveTo(limits, hold.to(now, q), hold.to(now, q).position),
        end: (now) => rest(limits, now),
      };
    }),
    { on: row >= 0, to: (now, q) => moveTo(limits, now, rowAt(to, q) < 0 ? now.position : rowAt(to, q)) },
    {
      on: p.y < to.dials[0].y,
      to: (now, q) => moveTo(limits, now, (word < 0 ? Math.round(s.position) : word) + (q.x - p.x) / step),
      end: (now) => rest(limits, now),
    },
  ];
}

const { current, tick } = glideTo(wordPlaces);

export const scene = (limits, { stories }) => ({
  kind: "machine",
  shows: (s) =>
    partOf(s).shows ??
    "A sentence, clocks whose hands turn from word to word, and a table with a row for each position.",
  moves: "Left and right arrow move the word or the position, up and down choose another one.",
  controls: [
    {
      name: "position",
      max: (s) => partOf(s).last,
      set: (s, position) => moveTo(limits, s, position),
      when: (s) => !partOf(s).isStill,
    },
    { name: "key", label: "other word", text: (k) => Math.round(k), when: (s) => ["angle", "rotary"].includes(s.part) },
    ...Object.entries(PARTS).flatMap(([part, { controls = [] }]) =>
      controls.map((row) => ({ ...row, when: (s) => s.part === part && (row.when?.(s) ?? true) })),
    ),
  ],
  height: (w, s) => Math.ceil(partOf(s).layout(s, { w }).foot) + 3,
  draw: (s, size) => partOf(s).draw({ ...inPart(s), gliding: current(s) }, size),
  reading: (s) => partOf(s).reading(inPart(s)),
  ...gesturesFor((s, size, p) => partOf(s).holds?.(inPart(s), size, p) ?? holdPosition(limits, inPart(s), size, p)),
  key(s, press) {
    const { right, up, end } = press;
    if (!right && !up && !end) return s;
    if (partOf(s).key) return partOf(s).key(inPart(s), press);
    return moveTo(limits, s, end ? end * partOf(s).last : Math.round(s.position) + right - up);
  },
  tick,
  reveals: true,
  // The steps of the stories name parts one after the other. Each part of the machine counts them, and draws no more.
  parts: Object.fromEntries(
    Object.values(stories).flatMap(({ steps }) =>
      steps.flatMap(({ look }) => look.map((name) => [name, () => undefined])),
    ),
  ),
  done: Object.fromEntries(Object.entries(PARTS).map(([part, { done }]) => [part, done])),
  fits: ({ order }) => [...order].sort((a, b) => a - b).every((word, k) => word === k) && order.length === 9,
  play: { trait: "position", unit: 700, high: (s) => partOf(s).last },
});
