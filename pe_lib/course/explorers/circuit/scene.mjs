// Two causal layers without positions: where the word at a place looks, where the word before it looked, and the answer.
/* global ABOUT */
import { decimals } from "../frame/controls.mjs";
import { clamp } from "../maths.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, line, text } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";

const LENGTH = 16,
  LAST = LENGTH - 1,
  LETTERS = "abcdefgh",
  HOP = 350; // milliseconds of one layer

// The weights that the word at each place gives, row by row, from a byte each in base 64
export function weights(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return Array.from({ length: LENGTH }, (_, t) =>
    Array.from(bytes.subarray(t * LENGTH, (t + 1) * LENGTH), (byte) => byte / 255),
  );
}

// What a row looks at, in a sentence: the word before, itself, and the others
export function looks(row, t) {
  if (t === 0) return "itself alone";
  const rest = row.slice(0, t - 1).reduce((sum, share) => sum + share, 0);
  const others = t > 1 ? `, ${t - 1} others ${decimals(rest, 2)} together` : "";
  return `word before ${decimals(row[t - 1], 2)}, itself ${decimals(row[t], 2)}${others}`;
}

// What the word at a place answers when it is asked for the word before, and whether that is so
export function answered({ words }, { answers }, t) {
  if (t === 0) return "Before the first word stands none.";
  const [answer, asked] = [LETTERS[answers[t]], LETTERS[words[t - 1]]];
  return answer === asked
    ? `It answers ${answer}, which is right.`
    : `It answers ${answer}, which is wrong: before it stands ${asked}.`;
}

const given = ({ text, trained }) => text[trained ? "trained" : "untrained"];
const read = new Map();
function layers(s) {
  const { maps } = given(s),
    key = maps.join();
  if (!read.has(key)) read.set(key, maps.map(weights));
  return read.get(key);
}
const letter = ({ text }, t) => LETTERS[text.words[t]];

const places = ({ w, h: high }) => ({
  x: (t) => ((t + 0.5) * w) / LENGTH,
  level: (n) => high - 30 - (n * (high - 60)) / 2, // words, after layer 1, after layer 2
});
const place = (s, t) => ({ ...s, position: clamp(Math.round(t), 0, LAST) });
const band = (low, high) => (_, size) => {
  const { level } = places(size);
  return { x: 0, y: level(high) - 6, w: size.w, h: level(low) - level(high) + 12 };
};

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
    const past = (t) => Array.from({ length: t + 1 }, (_, s) => s);
    return h(
      "g",
      {},
      // of layer 1 what every word saw, and with its weights what the word before saw
      h(
        "g",
        { class: "l-grid", "stroke-width": 0.5 },
        past(t).map((to) => past(to).map((from) => line(x(from), level(0), x(to), level(1)))),
      ),
      h(
        "g",
        { class: "l-purple" },
        past(top).map((from) => flow(0, from, top, first[top][from])),
        past(t).map((from) => flow(1, from, t, second[t][from])),
      ),
      [0, 1, 2].map((n) =>
        past(LAST).map((s) => {
          const seen = n === 2 ? s === t : s <= t;
          return h("circle", { class: seen ? "f-ink" : "f-grid", cx: x(s), cy: level(n), r: seen ? 4 : 3 });
        }),
      ),
      h("circle", { class: "f-ink knob", cx: x(t), cy: level(2), r: 6 }),
      past(LAST).map((n) => {
        const look = `mono mid ${n === t ? "bold f-ink" : "f-muted"}`;
        return [text(x(n), level(2) - 13, look, n), text(x(n), level(0) + 22, look, letter(s, n))];
      }),
      // what the weights of layer 2 are, where they are more than a trifle
      past(t)
        .filter((n) => second[t][n] >= 0.095)
        .map((n) =>
          // beside the foot of its line: words before to the left, the word itself to the right if there is room
          text(
            x(n) + (n === t && n < 15 ? 6 : -6),
            level(1) - 9,
            `mono small halo f-ink${n === t && n < 15 ? "" : " end"}`,
            decimals(second[t][n], 2).replace("0.", "."),
          ),
        ),
      [1, 2].map((n) => text(2, (level(n - 1) + level(n)) / 2, "mono halo f-muted", `layer ${n}`)),
    );
  },
  alt(s) {
    const { position: t, trained, text } = s,
      which = `Two ${trained ? "trained" : "untrained"} layers`;
    if (t === 0) return `${which}: word 0, ${letter(s, 0)}, sees itself alone, in both.`;
    const [first, second] = layers(s).map((map) => map[t]),
      [least, most] = [Math.min, Math.max].map((end) => decimals(end(...first.slice(0, t + 1)), 2)),
      [answer, asked] = [LETTERS[given(s).answers[t]], LETTERS[text.words[t - 1]]];
    return (
      `${which}, from word ${t}, ${letter(s, t)}: layer 2 gives ${decimals(second[t - 1], 2)} to the word before and ` +
      `${decimals(second[t], 2)} to itself; layer 1 gives ${least} to ${most} to each word. ` +
      `It answers ${answer}: ${answer === asked ? "right" : `before it stands ${asked}`}.`
    );
  },
  reading(s) {
    const t = s.position,
      [first, second] = layers(s);
    const said = (n, t, map) => `**Layer ${n}, from ${letter(s, t)} at ${t}:** ${looks(map[t], t)}.`;
    return [said(2, t, second), said(1, Math.max(t - 1, 0), first), answered(s.text, given(s), t)].join("\n");
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
  main: (s) =>
    s.trained && s.position > 0 && s.text.trained.answers[s.position] !== s.text.words[s.position - 1]
      ? `Found: ${answered(s.text, s.text.trained, s.position)}`
      : "",
};

const whole = (words) =>
  Array.isArray(words) && words.length === LENGTH && words.every((word) => LETTERS[word] !== undefined);
function packed(map) {
  try {
    return typeof map === "string" && atob(map).length === LENGTH ** 2;
  } catch {
    return false;
  }
}
const fits = ({ text }) =>
  whole(text?.words) &&
  ["trained", "untrained"].every(
    (name) => whole(text[name]?.answers) && text[name].maps?.length === 2 && text[name].maps.every(packed),
  );

export default stage(ABOUT, drawn(ABOUT, scene), { done, fits, play: { trait: "position", unit: 900 } });
