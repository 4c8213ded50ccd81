// Draws a sentence whose words can be moved, and what attention notices of the order, as ribbons or as scores.
import { decimals } from "../frame/controls.mjs";
import { clamp, addEncoding, attendRows, rememberLast } from "../maths.mjs";
import { curve } from "../scene/chart.mjs";
import { clock } from "../scene/clocks.mjs";
import { at, glideTo, groups } from "../scene/glide.mjs";
import { isShown, part } from "../scene/reveal.mjs";
import { boxes, d, h, line, rect, shade, text, textWidth } from "../scene/svg.mjs";
import { largestChanges, bar, cells, change, wordGestures, moveWord, indices, tile } from "../words.mjs";

const FOOT = 0.78, // the fraction of a word's place that the ends of its ribbons cover
  LIMIT = 2; // larger scores are drawn in the same colour

// Return scores, weights and outputs of words at the positions xs, which need not be whole numbers.
export const mix = (vectors, xs, positions, causal) =>
  attendRows(addEncoding(vectors, xs, Number(positions)), (q, k) => causal && xs[k] > xs[q]);

const original = rememberLast((vectors, positions, causal) => mix(vectors, indices(vectors), positions, causal));

// Return the largest change in each word's output from the original order.
export function changes(vectors, order, positions, causal) {
  const [before, after] = [indices(order), order.map((_, k) => order.indexOf(k))].map(
    (xs) => mix(vectors, xs, positions, causal).outputs,
  );
  return largestChanges(after, before);
}

// Return the span of each word's weight on a foot, as [start, end]. Words on the left come first.
// On each side, the nearest words are outermost, so that no ribbons cross. The word's own weight lies in the middle.
function feet(weights, xs) {
  return weights.map((row, k) => {
    const rank = (j) => (j === k ? 0 : 1 / (xs[j] - xs[k]));
    const spans = [];
    let from = 0;
    for (const j of indices(row).sort((a, b) => rank(a) - rank(b))) spans[j] = [from, (from += row[j])];
    return spans;
  });
}

// Return the current order of the sentence: `order`, with the chosen word at the nearest place.
const standing = ({ order, word, place }) => moveWord(order, word, Math.round(place));
const placeWord = (s, word, place) => ({ ...s, order: moveWord(standing(s), word, Math.round(place)), word, place });

// Several functions ask for the same mixture in a frame: the goals of the glide, the picture and the reading.
const mixAt = rememberLast((vectors, positions, causal) => {
  const mixtures = new Map();
  return (xs) => {
    const key = xs.join();
    if (mixtures.size > 8) mixtures.clear();
    if (!mixtures.has(key)) mixtures.set(key, mix(vectors, xs, positions, causal));
    return mixtures.get(key);
  };
});
const of = (s, xs) => mixAt(s.vectors, s.positions, s.causal)(xs);
const places = (s) => {
  const read = standing(s);
  return s.words.map((_, k) => (k === s.word ? s.place : read.indexOf(k)));
};
const { current, tick } = glideTo((s) => {
  const xs = places(s);
  return [...xs, ...feet(of(s, xs).weights, xs).flat(2)];
});

// Return the layout: ribbons on a line above the words, or the words above the columns of the table.
function layout({ words, view }, { w, h: high }) {
  const n = words.length,
    table = view === "scores",
    left = table ? w / (n + 1) : 0,
    slot = (w - left) / n,
    line = table ? 0 : high - 188;
  return {
    n,
    left,
    slot,
    line,
    foot: FOOT * slot,
    middle: table ? 20 : line + 32,
    tile: {
      w: slot - 4,
      h: table ? 34 : 42,
      size: words.every((word) => textWidth(word, 16) < slot - 12) ? "large" : "",
    },
    clock: line + 70,
    old: line + 98, // the baseline of the words in their old order
    rows: line + 122,
    thick: 26, // the height of a row of numbers
    top: 46,
    row: (high - 46 - 78) / n,
    below: high - 66, // position of the chosen word's weights
    cell: Math.min(9, (slot - 6) / 8),
    x: (place) => left + (place + 0.5) * slot,
  };
}

// Draw a word's row of numbers. A row that has not changed is the same tree as before, so the page skips it.
const rows = new Map();
function drawOutput(k, output, to) {
  const key = [to.rows, to.cell, to.thick, ...output].join();
  if (rows.get(k)?.key !== key)
    rows.set(k, { key, tree: cells(output, 2, (-output.length * to.cell) / 2, to.rows, to.cell, to.thick, to.cell) });
  return rows.get(k).tree;
}

// Draw the ribbons between words, which lie behind the words, and the marks below each word.
function ribbons(s, to, stand, feet) {
  const { word, words, vectors, positions, causal } = s,
    all = indices(words),
    { outputs, weights } = of(s, stand),
    much = largestChanges(outputs, original(vectors, positions, causal).outputs),
    still = stand.every((x, k) => x === k),
    share = (k, j) => feet.slice(2 * (to.n * k + j)).slice(0, 2),
    foot = (k, j) => share(k, j).map((end) => to.x(stand[k]) + to.foot * (end - 0.5));
  // A ribbon ends on the feet of both of its words. A Bézier curve rises to 3/4 of the height of its control points.
  function arch([j, k]) {
    const [[a, b], [c, e]] = [foot(j, k), foot(k, j)],
      outer = ((to.line - 8) * Math.min(1, (stand[k] - stand[j]) / (to.n - 1)) ** 0.75) / 0.75,
      inner = Math.max(0, outer - (b - a + e - c) / 1.5),
      [up, under] = [to.line - outer, to.line - inner];
    return h("path", {
      d: d`M${a} ${to.line}C${a} ${up} ${e} ${up} ${e} ${to.line}L${c} ${to.line}C${c} ${under} ${b} ${under} ${b} ${to.line}Z`,
    });
  }
  const pairs = all.flatMap((k) => all.slice(0, k).map((j) => (stand[j] < stand[k] ? [j, k] : [k, j]))),
    arches = (own) => pairs.filter((pair) => pair.includes(word) === own).map(arch);
  const behind = [
    part(s, "ribbons", () => [
      h("g", { class: "f-muted", "fill-opacity": 0.17 }, arches(false)),
      h("g", { class: "f-purple", "fill-opacity": 0.75 }, arches(true)),
    ]),
    // The numbers of the places, and the words of the old order, stay where they are while words move above them.
    part(s, ["places", "clocks"], () =>
      all.map((k) =>
        positions ? clock({ x: to.x(k), y: to.clock, r: 13 }, k) : text(to.x(k), to.clock + 4.5, "mono mid f-muted", k),
      ),
    ),
    part(s, "places", () =>
      still
        ? []
        : words.map((word, k) => text(to.x(k), to.old, "mono small mid f-muted", word, { "fill-opacity": 0.75 })),
    ),
    part(s, "outputs", () => (still ? text(3, to.rows - 8, "mono small f-muted", "what each word gets") : [])),
  ];
  const below = (k) => {
    const [from, end] = share(k, k);
    return [
      part(s, "ribbons", () =>
        h("g", { class: k === word ? "f-purple" : "f-muted", "fill-opacity": k === word ? 1 : 0.55 }, [
          rect(-to.foot / 2, to.line, to.foot, 4),
          rect(to.foot * (from - 0.5), to.line, to.foot * (end - from), 7),
        ]),
      ),
      part(s, "outputs", () => drawOutput(k, outputs[k], to)),
      part(s, "changes", () => (still ? [] : change(much[k], to.rows + to.thick + 2, 8 * to.cell))),
      part(s, "weights", () => text(0, to.middle + 15, "mono small mid f-purple", weights[word][k].toFixed(2))),
    ];
  };
  return { behind, below };
}

// Draw the scores row by row, and below them the chosen word's weights, which are the softmax of its row.
function scores(s, to, stand) {
  const { words, word, causal } = s,
    { scores, weights } = of(s, stand);
  const cell = (score) =>
    score === -Infinity
      ? line(-0.15 * to.slot, 0.7 * to.row, 0.15 * to.slot, 0.3 * to.row, "l-muted")
      : [
          rect(1 - to.slot / 2, 1, to.slot - 2, to.row - 2, "", shade(clamp(score / LIMIT, -1, 1), "signed", 0, 0.6)),
          text(0, to.row / 2 + 4.5, "mono small mid f-ink", decimals(score, to.slot < 46 ? 1 : 2)),
        ];
  const row = (q) =>
    at(
      0,
      to.top + stand[q] * to.row,
      part(s, "table", () => [
        text(to.left / 2, to.row / 2 + 4.5, `mono small mid ${q === word ? "bold f-ink" : "f-muted"}`, words[q]),
        scores[q].map((score, k) => at(to.x(stand[k]), 0, cell(score))),
      ]),
      part(s, "row", () =>
        q === word ? rect(to.left + 1, 1, to.n * to.slot - 2, to.row - 2, "l-purple bar", { rx: 3 }) : [],
      ),
    );
  const stairs = indices(words).flatMap((k) =>
    [k, k + 1].map((row) => [Math.min(to.left + (k + 1) * to.slot, to.x(to.n - 0.5) - 1), to.top + row * to.row]),
  );
  const behind = [
    groups(words, word, row),
    part(s, ["mask", "table"], () => (causal ? curve("l-ink bar", stairs) : [])),
    part(s, "weights", () => text(to.left / 2, to.below + 16, "mono small mid f-purple", "weights")),
  ];
  const below = (k) => {
    const share = weights[word][k];
    return part(s, "weights", () => bar(44 * share, share.toFixed(2), to.below, 0.7 * to.slot, "f-purple", "f-purple"));
  };
  return { behind, below };
}

const largestChange = (s) => Math.max(...changes(s.vectors, standing(s), s.positions, s.causal));

// Return a sentence that says whether attention notices the order.
function verdict(s) {
  const most = largestChange(s);
  if (standing(s).every((k, place) => k === place)) return "This is the old order, so there is nothing to compare yet.";
  return most
    ? `Largest change of an output: ${decimals(most)}. **Attention notices the order.**`
    : "Largest change of an output: 0 (below 10^−12^). **Each output moves with its word.**";
}

// Return a sentence that says which words the chosen word sees, with their weights.
function sees(s) {
  const own = of(s, places({ ...s, place: Math.round(s.place) })).weights[s.word],
    all = standing(s).filter((k) => own[k] > 0),
    whom = all.length === s.words.length ? "all words" : all.map((k) => s.words[k]).join(", ");
  return `**${s.words[s.word]} sees ${whom}**: weights ${all.map((k) => own[k].toFixed(2)).join(", ")}.`;
}

export const scene = () => ({
  kind: "sentence",
  shows: "The words, what each gives to each, and what it gets.",
  moves: "Left and right arrow keys move the chosen word, up and down choose the word before or after it.",
  reveals: true,
  controls: [
    { name: "place", text: (x) => x.toFixed(0) },
    { name: "positions", part: "clocks" },
    { name: "causal", label: "mask", part: "mask" },
  ],
  height: () => 348,
  draw(s, size) {
    const { words, word, view } = s,
      to = layout(s, size),
      now = current(s),
      stand = now.slice(0, to.n),
      { behind, below } = (view === "scores" ? scores : ribbons)(s, to, stand, now.slice(to.n));
    const column = (k) => {
      const look = k === word ? "l-purple bar" : "l-grid";
      return at(
        to.x(stand[k]),
        0,
        part(s, "words", () => tile(words[k], to.middle, to.tile, look)),
        below(k),
      );
    };
    return [behind, groups(words, word, column)];
  },
  reading(s) {
    const sentence = standing(s).map((k) => s.words[k]);
    const first = s.view === "scores" && isShown(s, "weights") ? sees(s) : `**${sentence.join(" ")}**`;
    return isShown(s, "places") ? `${first}\n${verdict(s)}` : first;
  },
  ...wordGestures({ order: standing, placeWord, end: ({ words }) => words.length, layout }),
  tick,
  parts: boxes(layout, {
    words: ({ middle }, { w }) => [0, middle - 24, w, 48],
    ribbons: ({ line }, { w }) => [0, 0, w, line + 8],
    weights: ({ below, middle }, { w }, s) => (s.view === "scores" ? [0, below - 2, w, 66] : [0, middle, w, 24]),
    places: ({ clock }, { w }) => [0, clock - 14, w, 46],
    clocks: ({ clock }, { w }) => [0, clock - 14, w, 28],
    outputs: ({ rows, thick }, { w }) => [0, rows - 20, w, thick + 22],
    changes: ({ rows, thick }, { w }) => [0, rows + thick, w, 38],
    table: ({ left, top, row, n }, { w }) => [left, top, w - left, n * row],
    row: ({ left, top, row }, { w }, s) => [left, top + places(s)[s.word] * row, w - left, row],
    mask: ({ left, top, row, n }, { w }) => [left, top, w - left, n * row],
  }),
  done: {
    main: (s) =>
      !s.positions && largestChange(s)
        ? "Found: a mask lets a word see only the words before it, and another order puts other words there."
        : "",
    mask: (s) =>
      s.causal && standing(s).at(-1) === 2
        ? "Found: the last word sees all the others. Under a causal mask, only the place decides who sees whom."
        : "",
  },
  fits: ({ words, order }) => [...order].sort((a, b) => a - b).join() === indices(words).join(),
  play: { trait: "place", unit: 900 },
});
