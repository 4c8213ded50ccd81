// Two causal layers without positions: where the word at a place looks, where the word before it looked, and the answer.
/* global ABOUT */
import { decimals } from "../frame/controls.mjs";
import { clamp, remembering } from "../maths.mjs";
import { knob } from "../scene/chart.mjs";
import { d, h, line, plain, ring, text } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";

const LENGTH = 16,
  LAST = LENGTH - 1,
  LETTERS = "abcdefgh",
  HOP = 350; // milliseconds of one layer

// The weights that the word at each place gives, row by row, from a byte each in base 64
export function weights(packed) {
  const shares = Array.from(atob(packed), (letter) => letter.charCodeAt(0) / 255);
  return Array.from({ length: LENGTH }, (_, t) => shares.slice(t * LENGTH, (t + 1) * LENGTH));
}

const given = ({ text, trained }) => text[trained ? "trained" : "untrained"];
const unpacked = remembering((maps) => maps.map(weights));
const layers = (s) => unpacked(given(s).maps);
const letter = ({ text }, t) => LETTERS[text.words[t]];

// What a row looks at, in a sentence: the word before, itself, and the others
function looks(row, t) {
  if (t === 0) return "itself alone";
  const rest = row.slice(0, t - 1).reduce((sum, share) => sum + share, 0),
    others = t > 1 ? `, ${t - 1} others ${decimals(rest, 2)} together` : "";
  return `word before ${decimals(row[t - 1], 2)}, itself ${decimals(row[t], 2)}${others}`;
}

// What it answers when it is asked for the word before, and whether that is so
const right = ({ text, position: t }, { answers }) => answers[t] === text.words[t - 1];
function answered(s) {
  const t = s.position;
  if (t === 0) return "Before the first word stands none.";
  const which = right(s, given(s)) ? "right." : `wrong: before it stands ${letter(s, t - 1)}.`;
  return `It answers ${LETTERS[given(s).answers[t]]}, which is ${which}`;
}

const places = ({ w, h: high }) => ({
  x: (t) => ((t + 0.5) * w) / LENGTH,
  level: (n) => high - 30 - (n * (high - 60)) / 2, // words, after layer 1, after layer 2
});
const place = (s, t) => ({ ...s, position: clamp(Math.round(t), 0, LAST) });
const band = (low, high) => (_, size) => {
  const { level } = places(size);
  return { x: 0, y: level(high) - 6, w: size.w, h: level(low) - level(high) + 12 };
};
const upTo = (t) => Array.from({ length: t + 1 }, (_, s) => s);

export const scene = {
  kind: "two layers of attention",
  label:
    "Three rows of sixteen words: before, after layer 1, after layer 2. Lines go up from the words to the word before, " +
    "and from layer 1 to the chosen one, thicker for more weight. The arrow keys choose the word.",
  controls: [
    { name: "position", label: "word", min: 0, max: () => LAST },
    {
      name: "trained",
      label: "network",
      options: [
        [true, "trained"],
        [false, "untrained"],
      ],
    },
  ],
  height: (w) => (w < 500 ? 256 : 304),
  draw(s, size) {
    const { position: t, hop = { done: 2 } } = s,
      { x, level } = places(size),
      [first, second] = layers(s),
      top = Math.max(t - 1, 0);
    // What goes from place `from` below a layer to `to` above it, as far as it came
    const flow = (n, from, to, share) => {
      const f = clamp(hop.done - n, 0, 1);
      return line(x(from), level(n), x(from) + f * (x(to) - x(from)), level(n) + f * (level(n + 1) - level(n)), "", {
        "stroke-width": Math.max(26 * share, 0.3),
        opacity: f ? 1 : 0,
      });
    };
    // What a weight of layer 2 is, beside the foot of its line: of words before to the left, of the word itself to the
    // right if there is room
    const weight = (n) => {
      const beside = n === t && n < LAST ? { x: 6, end: "" } : { x: -6, end: "end" };
      const says = decimals(second[t][n], 2).replace("0.", ".");
      return text(x(n) + beside.x, level(1) - 9, `mono small halo f-ink ${beside.end}`, says);
    };
    return h(
      "g",
      {},
      // of layer 1 what every word saw, and with its weights what the word before saw
      h("path", {
        class: "l-grid",
        "stroke-width": 0.5,
        d: upTo(t)
          .flatMap((to) => upTo(to).map((from) => d`M${x(from)} ${level(0)}L${x(to)} ${level(1)}`))
          .join(""),
      }),
      h(
        "g",
        { class: "l-purple" },
        upTo(top).map((from) => flow(0, from, top, first[top][from])),
        upTo(t).map((from) => flow(1, from, t, second[t][from])),
      ),
      [0, 1, 2].map((n) =>
        upTo(LAST).map((s) => {
          const seen = n === 2 ? s === t : s <= t;
          return ring(x(s), level(n), seen ? 4 : 3, seen ? "f-ink" : "f-grid");
        }),
      ),
      knob(x(t), level(2), 6),
      upTo(LAST).map((n) => {
        const look = `mono mid ${n === t ? "bold f-ink" : "f-muted"}`;
        return [text(x(n), level(2) - 13, look, n), text(x(n), level(0) + 22, look, letter(s, n))];
      }),
      upTo(t)
        .filter((n) => second[t][n] >= 0.095)
        .map(weight),
      [1, 2].map((n) => text(2, (level(n - 1) + level(n)) / 2, "mono halo f-muted", `layer ${n}`)),
    );
  },
  alt: (s) => `Two ${s.trained ? "trained" : "untrained"} layers. ${plain(scene.reading(s))}`,
  reading(s) {
    const { position: t } = s,
      [first, second] = layers(s);
    const said = (n, t, map) => `**Layer ${n}, from ${letter(s, t)} at ${t}:** ${looks(map[t], t)}.`;
    return [said(2, t, second), said(1, Math.max(t - 1, 0), first), answered(s)].join("\n");
  },
  down: (s) => ({ ...s, hold: {} }),
  move: (s, { w }, p) => place(s, (p.x / w) * LENGTH - 0.5),
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, end }) => (end || right ? place(s, end ? end * LAST : s.position + right) : s),
  // Two hops: layer 1 brings the past to the word before, and then layer 2 brings that to the word
  tick(s, ms) {
    const of = `${s.position} ${s.trained}`,
      done = s.hold || !s.hop ? 2 : s.hop.of === of ? Math.min(s.hop.done + ms / HOP, 2) : 0;
    return s.hop?.of === of && s.hop.done === done ? s : { ...s, hop: { of, done } };
  },
  parts: { first: band(0, 1), second: band(1, 2) },
};

export const done = {
  main: (s) => (s.trained && s.position > 0 && !right(s, s.text.trained) ? `Found: ${answered(s)}` : ""),
};

export default stage(ABOUT, scene, { done, play: { trait: "position", unit: 900 } });
