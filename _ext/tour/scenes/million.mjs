// The 64 hands of Llama 2 along a text of a million words. Training had 4,096 positions, so a slow hand has seen only an
// arc of its circle, and later it points where it never pointed in training.
import { groupDigits } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp, frequency, range, rememberLast } from "../../../pe_lib/course/explorers/maths.mjs";
import { linear, tip, wedge } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { d, group, line, path, ring, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { TURN, typeset } from "../parts.mjs";
import { CHAPTERS, PASSAGES } from "./gibbon.mjs";

const PAIRS = 64,
  TRAINED = 4096, // positions
  SPEEDS = range(PAIRS, (i) => frequency(i, 2 * PAIRS, 10_000)),
  SEEN = SPEEDS.map((speed) => Math.min((TRAINED - 1) * speed, TURN)), // the angles from 0 on that training had
  STOPS = PASSAGES.map(({ number }) => Math.log10(number)),
  END = 6; // the logarithm of a million

// Return the angle of each hand at a position, and whether training never had it
export const hands = (position) =>
  SPEEDS.map((speed, i) => {
    const angle = (position * speed) % TURN;
    return { angle, isNew: angle > SEEN[i] + 1e-9 };
  });

// Return the index of the last passage at or before a point of the slider, and of the nearest one
const passageAt = (x) => STOPS.findLastIndex((stop) => stop <= x + 1e-9);
const nearest = (x) => STOPS.reduce((best, stop, k) => (Math.abs(stop - x) < Math.abs(STOPS[best] - x) ? k : best), 0);
const goTo = (s, k) => ({ ...s, x: STOPS[clamp(k, 0, STOPS.length - 1)] });
const countNew = (x) => hands(10 ** x - 1).filter(({ isNew }) => isNew).length;
const track = ({ w }) => linear([0, END], [14, w - 14]);

function layout(w) {
  const columns = w < 500 ? 8 : 16,
    cell = w / columns,
    top = 188;
  return {
    ...{ columns, cell, top },
    r: Math.floor(Math.min(cell / 2 - 3, 20)), // a whole number, so that rounded arcs close
    height: top + (PAIRS / columns) * cell,
  };
}

// Draw what stays: the clocks, and in green the angles that training had
const drawFaces = rememberLast((w) => {
  const { columns, cell, top, r } = layout(w),
    faces = range(PAIRS, (i) => ({
      x: ((i % columns) + 0.5) * cell,
      y: top + (Math.floor(i / columns) + 0.5) * cell,
      r,
    }));
  const circles = faces.map(({ x, y }) => d`M${x} ${y - r}a${r} ${r} 0 1 1 0 ${2 * r}a${r} ${r} 0 1 1 0 ${-2 * r}`),
    slices = faces.map((face, i) => wedge(face, 0, SEEN[i]));
  return { faces, marks: [path("l-grid", circles), path("f-green", slices, { "fill-opacity": 0.32 })] };
});

// Draw all hands in two paths, those that training had and those that are new
function drawHands(faces, position) {
  const now = hands(position),
    pointers = (isNew) => faces.map((face, i) => (now[i].isNew === isNew ? through(face, now[i].angle) : "")),
    through = ({ x, y, r }, angle) => {
      const [tx, ty] = tip({ x, y, r }, angle);
      return d`M${x} ${y}L${tx} ${ty}`;
    };
  return [path("l-ink bar", pointers(false)), path("l-rose thick", pointers(true))];
}

// Write a passage in at most two lines, with its word in ink
function writePassage({ before, word, after }, w) {
  const all = [before, word, after].flatMap((words) => words.split(" ").filter(Boolean)),
    at = before.split(" ").filter(Boolean).length;
  return typeset(all, 18, w, 25).map(({ x, y, w: wide }, k) => [
    text(x, 52 + y, `serif ${k === at ? "f-ink" : "f-muted"}`, all[k], { "font-size": 18, textLength: wide }),
    k === at ? line(x, 58 + y, x + wide, 58 + y, "l-ink bar") : undefined,
  ]);
}

export const million = {
  label: "Number of the word",
  hint: "Drag the slider along the text.",
  arrows: "The arrow keys go from passage to passage.",
  start: { x: 0 },
  rest: { x: END },
  height: (w) => layout(w).height,
  alt({ x }) {
    const { number, chapter, word } = PASSAGES[passageAt(x)],
      fresh = countNew(x);
    return `Word ${groupDigits(number)} of a long text, “${word}”, in chapter ${chapter} of ${CHAPTERS}. Of the 64 hands of Llama 2, ${fresh || "none"} ${fresh > 1 ? "point where they" : "points where it"} never pointed in training, which had ${groupDigits(TRAINED)} positions.`;
  },
  value: ({ x }) => [PASSAGES[passageAt(x)].number, 1, 10 ** END],
  down(s, size, p) {
    const x = clamp(track(size).of(p.x), 0, END),
      next = p.y > 90 && p.y < 162 ? { ...s, x } : s;
    return { ...next, hold: { off: track(size).of(p.x) - next.x } };
  },
  move: (s, size, p) => ({ ...s, x: clamp(track(size).of(p.x) - s.hold.off, 0, END) }),
  up: (s) => ({ ...goTo(s, nearest(s.x)), hold: undefined }),
  key: (s, { right, up, end }) => goTo(s, end ? end * STOPS.length : nearest(s.x) + right + up),
  film: { lasts: 12_000, at: (f) => ({ x: END * f }) },
  draw({ x }, { w }) {
    const { faces, marks } = drawFaces(w),
      passage = PASSAGES[passageAt(x)],
      { at } = track({ w }),
      rail = 122,
      border = at(Math.log10(TRAINED)),
      fresh = countNew(x);
    return group(
      text(0, 20, "mono huge bold f-ink", `word ${groupDigits(passage.number)}`),
      text(w, 20, "mono end f-muted", `chapter ${passage.chapter} of ${CHAPTERS}`),
      writePassage(passage, w),
      line(border, rail, at(END), rail, "l-grid rail"),
      line(at(0), rail, border, rail, "l-green rail"),
      text(border - 4, rail - 19, "mono end f-green", "seen in training"),
      ring(at(x), rail, 12, "f-ink knob"),
      [0, 2, 4, 6].map((power) =>
        text(
          power === END ? w : power ? at(power) : 0,
          rail + 34,
          `mono ${power === END ? "end" : power ? "mid" : ""} f-muted`,
          groupDigits(10 ** power),
        ),
      ),
      text(
        w / 2,
        180,
        `mono mid ${fresh ? "f-rose bold" : "f-green bold"}`,
        fresh ? `${fresh} of 64 hands point outside the green` : "all 64 hands point into the green",
      ),
      marks,
      drawHands(faces, 10 ** x - 1),
    );
  },
};
