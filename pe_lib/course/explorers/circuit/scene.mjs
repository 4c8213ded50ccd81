// Draws two causal layers without positions: where a word looks, where the word before it looked, and the answer.
import { decimals } from "../frame/controls.mjs";
import { clamp, range, rememberLast } from "../maths.mjs";
import { at } from "../scene/glide.mjs";
import { gesturesFor } from "../scene/hold.mjs";
import { isShown, part } from "../scene/reveal.mjs";
import { boxes, d, h, line, path, ring, text } from "../scene/svg.mjs";

const LENGTH = 16,
  LETTERS = "abcdefgh",
  HOP = 430; // milliseconds for each layer

// Return the weights of each word, row by row, decoded from base 64 with one byte per weight.
export function weights(packed) {
  const shares = Array.from(atob(packed), (letter) => letter.charCodeAt(0) / 255);
  return range(LENGTH, (t) => shares.slice(t * LENGTH, (t + 1) * LENGTH));
}

const networkState = ({ text, trained }) => text[trained ? "trained" : "untrained"];
const unpackMaps = rememberLast((maps) => maps.map(weights));
const layers = (s) => unpackMaps(networkState(s).maps);
const letter = ({ text }, t) => LETTERS[text.words[t]];

// Return a sentence that says how a row's weights divide among the previous word, the word itself and the others.
function describeWeights(row, t) {
  if (t === 0) return "itself alone";
  const rest = row.slice(0, t - 1).reduce((sum, share) => sum + share, 0),
    others = t > 1 ? `, ${t - 1} others ${decimals(rest, 2)} together` : "";
  return `word before ${decimals(row[t - 1], 2)}, itself ${decimals(row[t], 2)}${others}`;
}

// Return whether the network names the previous word correctly.
const isRight = ({ text, position: t }, { answers }) => answers[t] === text.words[t - 1];
function describeAnswer(s) {
  const t = s.position;
  if (t === 0) return "There is no word before the first one.";
  const which = isRight(s, networkState(s)) ? "right." : `wrong. The letter before is ${letter(s, t - 1)}.`;
  return `It answers ${LETTERS[networkState(s).answers[t]]}, which is ${which}`;
}

const layout = (_, { w, h: high }) => ({
  x: (t) => ((t + 0.5) * w) / LENGTH,
  level: (n) => high - 32 - (n * (high - 74)) / 2, // the words, layer 1, layer 2
});

// Draw the letter before the chosen one on its way through both layers, and the answer where it arrives.
function traveller(s, { x, level }, w, done) {
  const t = s.position,
    from = Math.max(t - 1, 0),
    state = networkState(s),
    [first, second] = [clamp(done, 0, 1), clamp(done - 1, 0, 1)],
    right = x(from) + second * (x(t) - x(from)),
    down = level(0) + first * (level(1) - level(0)) + second * (level(2) - level(1));
  const hasArrived = done === 2,
    isWell = isRight(s, state),
    says = t === 0 ? "–" : hasArrived ? LETTERS[state.answers[t]] : letter(s, from),
    isNearEdge = right > w - 60;
  return [
    at(
      right,
      down,
      ring(0, 0, 12, `f-paper l-ink ${hasArrived ? "bar" : ""}`),
      text(0, 5, "mono mid large bold f-ink", says),
      hasArrived && t > 0
        ? text(
            isNearEdge ? -18 : 18,
            5,
            `mono halo bold f-ink ${isNearEdge ? "end" : ""}`,
            isWell ? "✓ right" : "✗ wrong",
          )
        : [],
    ),
  ];
}

const between =
  (low, up) =>
  ({ level }, { w }) => [0, level(up) - 6, w, level(low) - level(up) + 12];

export const scene = ({ setValue }) => ({
  kind: "two layers of attention",
  shows:
    "Three rows of sixteen letters: before the layers, after layer 1 and after layer 2. Lines go up to the letter " +
    "before, and from there to the chosen letter, thicker for more weight. The answer stands where the letter before " +
    "arrives.",
  moves: "The arrow keys choose the word.",
  controls: [{ name: "position", label: "word" }, { name: "trained" }],
  reveals: true,
  height: (w) => (w < 500 ? 270 : 316),
  draw(s, size) {
    const { position: t, hop = { done: 2 } } = s,
      places = layout(s, size),
      { x, level } = places,
      [first, second] = layers(s),
      top = Math.max(t - 1, 0),
      upTo = range(t + 1);
    // Draw the line from place `from` below a layer to place `to` above the layer, as far as the animation has come.
    const flow = (n, from, to, share) => {
      const f = clamp(hop.done - n, 0, 1);
      return line(x(from), level(n), x(from) + f * (x(to) - x(from)), level(n) + f * (level(n + 1) - level(n)), "", {
        "stroke-width": Math.max(26 * share, 0.3),
        opacity: f ? 1 : 0,
      });
    };
    const saw = (to) => range(to + 1, (from) => d`M${x(from)} ${level(0)}L${x(to)} ${level(1)}`);
    // Each large weight of layer 2 is written next to the lower end of its line.
    const weight = (n) => {
      const own = n === t && n < LENGTH - 1,
        says = decimals(second[t][n], 2).replace("0.", ".");
      return text(x(n) + (own ? 6 : -6), level(1) - 9, `mono small halo f-ink ${own ? "" : "end"}`, says);
    };
    const dots = (n) =>
      range(LENGTH, (k) => {
        const isVisible = n === 2 ? k === t : k <= t;
        return ring(x(k), level(n), isVisible ? 4 : 3, isVisible ? "f-ink" : "f-grid");
      });
    const name = (n) => text(2, (level(n - 1) + level(n)) / 2, "mono halo f-muted", `layer ${n}`);
    return [
      // Layer 1 has thin lines for all words, and lines as thick as the weights for the word before the chosen word.
      part(s, "first", () => path("l-grid", upTo.flatMap(saw), { "stroke-width": 0.5 })),
      part(s, "first", () =>
        h(
          "g",
          { class: "l-purple" },
          range(top + 1, (from) => flow(0, from, top, first[top][from])),
        ),
      ),
      part(s, "second", () =>
        h(
          "g",
          { class: "l-purple" },
          upTo.map((from) => flow(1, from, t, second[t][from])),
        ),
      ),
      dots(0),
      part(s, ["first", "second"], () => dots(1)),
      part(s, "second", () => dots(2)),
      range(LENGTH, (n) => {
        const look = `mono mid ${n === t ? "bold f-ink" : "f-muted"}`;
        return [text(x(n), 12, look, n), text(x(n), level(0) + 24, look, letter(s, n))];
      }),
      part(s, "second", () => [upTo.filter((n) => second[t][n] >= 0.095).map(weight), name(2)]),
      part(s, "first", () => name(1)),
      part(s, "answer", () => traveller(s, places, size.w, hop.done)),
    ];
  },
  reading(s) {
    const { position: t } = s,
      [first, second] = layers(s);
    const describeRow = (n, t, map) => `**Layer ${n}, from ${letter(s, t)} at ${t}:** ${describeWeights(map[t], t)}.`;
    return [describeRow(2, t, second), describeRow(1, Math.max(t - 1, 0), first), describeAnswer(s)].join("\n");
  },
  ...gesturesFor((_, { w }) => [{ on: true, to: (now, q) => setValue(now, "position", (q.x / w) * LENGTH - 0.5) }]),
  key: (s, { right, end }) => (right || end ? setValue(s, "position", end ? end * LENGTH : s.position + right) : s),
  // The animation takes two steps: layer 1 leads to the previous word, and layer 2 from there to the chosen word.
  tick(s, ms) {
    const of = `${s.position} ${s.trained} ${isShown(s, "answer")}`, // a story's step may show the way anew
      done = s.hold || !s.hop ? 2 : s.hop.of === of ? Math.min(s.hop.done + ms / HOP, 2) : 0;
    return s.hop?.of === of && s.hop.done === done ? s : { ...s, hop: { of, done } };
  },
  parts: boxes(layout, {
    first: between(0, 1),
    second: between(1, 2),
    letters: ({ level }, { w }) => [0, level(0) - 8, w, 40],
    answer: ({ x, level }, _, { position }) => [x(position) - 14, level(2) - 14, 28, 28],
  }),
  done: {
    main: (s) => (s.trained && s.position > 0 && !isRight(s, s.text.trained) ? `Found: ${describeAnswer(s)}` : ""),
  },
  play: { trait: "position", unit: 900 },
});
