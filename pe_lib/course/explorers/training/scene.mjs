// A training, look by look: the loss falls, rows of the table move, attention forms. It was recorded, or it runs here.
/* global ABOUT */
import { decimals } from "../frame/controls.mjs";
import { clamp } from "../maths.mjs";
import { EVERY, LOOKS, ROWS, training } from "../model/trainer.mjs";
import { drawn } from "../scene/drawn.mjs";
import { h, line, table, text, through } from "../scene/svg.mjs";
import { stage } from "../frame/stage.mjs";
import { coach, settings } from "./coach.mjs";

const LAST = LOOKS - 1,
  STEPS = LAST * EVERY,
  MOST = 2.5; // the loss is drawn up to this many nats

const SEEDS = Array.from({ length: 10 }, (_, seed) => [seed, `here, seed ${seed}`]);
const live = ({ seed }) => seed !== null;

// Of a recording: bytes from base 64, as numbers from `low` to `high`
export const unpacked = (packed, low = 0, high = 255) =>
  Float64Array.from(atob(packed), (letter) => low + ((high - low) * letter.charCodeAt(0)) / 255);

// The looks at a recorded run, as `training` gives them
function looks({ similarity, attention, plane, reach, right }, length) {
  const maps = [unpacked(similarity, -1, 1), unpacked(attention, 0, 1)],
    places = unpacked(plane, -reach, reach),
    size = length * length;
  return right.map((share, n) => {
    const [alike, weights] = maps.map((map) => map.subarray(n * size, (n + 1) * size));
    const rows = Array.from({ length: ROWS }, (_, row) => [...places.subarray(2 * (n * ROWS + row)).subarray(0, 2)]);
    return { rows, similarity: alike, attention: weights, right: share };
  });
}

// The runs of a recording, unpacked once
let known = { of: undefined, runs: [] };
function recorded({ recording }) {
  if (known.of !== recording)
    known = { of: recording, runs: recording.runs.map((run) => ({ ...run, looks: looks(run, recording.length) })) };
  return known.runs;
}

// How a training begins, which takes no time
const begun = {};
const beginning = (s) => {
  const key = settings(s);
  begun[key] ??= training(JSON.parse(key)).next().value;
  return [begun[key]];
};

// What is shown: one run, and of a recording the other's loss
function seen(s) {
  const { runs, length } = live(s)
    ? { runs: [{ scheme: s.scheme, looks: s.run?.key === settings(s) ? s.run.looks : beginning(s) }], length: s.length }
    : { runs: recorded(s), length: s.recording.length };
  const run = runs.find(({ scheme }) => scheme === s.scheme),
    n = Math.min(s.look, run.looks.length - 1);
  return { runs, run, length, n, look: run.looks[n], step: n * EVERY };
}

// The losses so far, four steps together: [[step, loss], …]
const losses = ({ loss, looks: all }) => (loss ?? all.flatMap((one) => one.losses)).map((v, k) => [4 * k + 2, v]);

// In how many rows of an attention map, but the first, the largest weight is one place back
export function backwards(map, length) {
  let count = 0;
  for (let t = 1; t < length; t++) {
    const row = Array.from(map.slice(t * length, (t + 1) * length));
    if (row.indexOf(Math.max(...row)) === t - 1) count++;
  }
  return count;
}

// The middle of all places that rows have taken, and how far they reach from it
function frame({ looks: all }) {
  const ends = [0, 1].map((k) => {
    const places = all.flatMap(({ rows }) => rows.map((row) => row[k]));
    return [Math.min(...places), Math.max(...places)];
  });
  return {
    middle: ends.map(([low, high]) => (low + high) / 2),
    half: 0.54 * Math.max(...ends.map(([low, high]) => high - low)) || 1,
  };
}

// Where things stand: above the loss, and of a training that runs here what is right far beyond; below the rows and,
// beside them, two maps
function layout(s, { w, h: high }) {
  const big = w >= 560,
    tall = big ? 92 : 66,
    half = (w - 78) / 2,
    top = 14 + tall + 44;
  const side = Math.min(high - top - 22, big ? (w - 60) / 2.7 : 0.6 * w),
    small = big ? Math.min(side, (w - side - 74) / 2) : Math.min((high - top - 64) / 2, w - side - 34),
    left = big ? side + 44 : w - small - 4;
  return {
    loss: { x: 28, y: 14, w: live(s) ? half : w - 38, h: tall },
    right: { x: half + 68, y: 14, w: half, h: tall },
    rows: { x: 0, y: top, w: side, h: side },
    maps: [0, 1].map((n) => ({
      x: left + (big ? n * (small + 26) : 0),
      y: top + (big ? 0 : n * (small + 42)),
      w: small,
      h: small,
    })),
  };
}

// A chart's axes: numbers upward and along, and its name above
const axes = ({ x, y, w, h: high }, name, most, ups, along, last) => [
  text(x + 2, y - 4, "mono f-ink", name),
  ups.map((v) => {
    const at = y + high * (1 - v / most);
    return [line(x, at, x + w, at, "l-grid thin"), text(x - 6, at + 4.5, "mono end f-muted", v)];
  }),
  along.map((v) => text(x + (w * v) / last, y + high + 17, v === last ? "mono end f-muted" : "mono mid f-muted", v)),
];

function loss({ runs, run, step }, at) {
  const { x, y, w, h: high } = at,
    place = ([n, v]) => [x + (w * n) / STEPS, y + high * (1 - Math.min(v, MOST) / MOST)];
  const now = x + (w * step) / STEPS;
  return [
    axes(at, "loss (nats)", MOST, [0, 1, 2], w > 250 ? [0, 100, 200, 300, STEPS] : [0, STEPS], STEPS),
    runs.map((one, k) => {
      const curve = losses(one).map(place);
      return [
        curve.length
          ? h("path", { class: `${one === run ? "l-ink bar" : "l-muted"} ${k ? "dash" : ""}`, d: through(curve) })
          : [],
        runs.length > 1
          ? text(
              x + w,
              y + 8 + 17 * k,
              `mono end halo ${one === run ? "f-ink bold" : "f-muted"}`,
              `${one.scheme} ${k ? "- -" : "—"}`,
            )
          : [],
      ];
    }),
    line(now, y - 2, now, y + high, "l-ink"),
    h("circle", { class: "f-ink knob", cx: now, cy: y + high, r: 5 }),
  ];
}

// In texts of 48 words, the share of right answers at each position; where texts ended in training, a line
function far({ look, length }, at) {
  const { x, y, w, h: high } = at,
    shares = look.far ?? [],
    place = (share, t) => [x + (w * (t + 1)) / (ROWS - 1), y + high * (1 - share)];
  const end = x + (w * (length - 0.5)) / (ROWS - 1);
  return [
    axes(at, "right, by position", 1, [0, 1], [0, length - 1, ROWS - 1], ROWS - 1),
    line(end, y, end, y + high, "l-muted dash"),
    shares.length
      ? h("path", { class: "l-ink bar", d: through(shares.map(place)) })
      : text(x + w / 2, y + high / 2 + 4, "mono mid halo f-muted", "not trained yet"),
  ];
}

// Where a row is at a look, in pixels
function spots({ run }, { x, y, w, h: high }) {
  const { middle, half } = frame(run);
  return (n, row) => {
    const [right, up] = run.looks[n].rows[row].map((v, k) => (v - middle[k]) / half);
    return [x + (w / 2) * (1 + right), y + (high / 2) * (1 - up)];
  };
}

// The rows with the paths that they have come, the one that is followed in front
function rows(s, { run, length, n }, at) {
  const spot = spots({ run }, at),
    path = (row, c) => h("path", { class: c, d: through(run.looks.slice(0, n + 1).map((_, k) => spot(k, row))) });
  const [px, py] = spot(n, s.row),
    right = px > at.x + at.w / 2,
    moves = s.scheme === "learned" && n > 0;
  return [
    text(at.x, at.y - 6, "mono f-ink", `${s.scheme} table, row by row`),
    h("rect", { class: "l-grid", x: at.x + 0.5, y: at.y + 0.5, width: at.w - 1, height: at.h - 1 }),
    s.scheme === "sinusoidal"
      ? h("path", { class: "l-grid", d: through(Array.from({ length: ROWS }, (_, row) => spot(n, row))) })
      : [],
    moves ? Array.from({ length }, (_, row) => (row === s.row ? [] : path(row, "l-purple"))) : [],
    Array.from({ length: ROWS }, (_, row) => {
      const [cx, cy] = spot(n, row);
      return h("circle", { class: row < length ? "f-purple" : "f-muted", cx, cy, r: row < length ? 3.5 : 2 });
    }),
    moves && s.row < length ? path(s.row, "l-ink bar") : [],
    h("circle", { class: "f-ink knob", cx: px, cy: py, r: 5 }),
    text(px + (right ? -9 : 9), py + 4.5, `mono halo bold f-ink ${right ? "end" : ""}`, `row ${s.row}`),
  ];
}

// A map of all positions by all positions, the row that is followed framed
function map(s, { look, length }, name, as, { x, y, w }) {
  const cell = w / length;
  return [
    text(x, y - 6, "mono f-ink", name),
    table(x, y, w, w, length, look[name], as),
    h("rect", { class: "l-grid thin", x, y, width: w, height: w }),
    [0, length - 1].map((p) => [
      text(x - 4, y + (p + 0.5) * cell + 4.5, "mono end f-muted", p),
      text(x + (p + 0.5) * cell, y + w + 14, "mono mid f-muted", p),
    ]),
    s.row < length ? h("rect", { class: "l-ink", x, y: y + s.row * cell, width: w, height: cell }) : [],
  ];
}

const percent = (share) => `${Math.round(100 * share)} %`;
const moved = (s, { run, n }) => {
  const [from, to] = [0, n].map((k) => run.looks[k].rows[s.row]);
  return Math.hypot(to[0] - from[0], to[1] - from[1]);
};

// What became of the row that is followed
function followed(s, now) {
  const distance = moved(s, now);
  if (distance) return `**Row ${s.row}** has moved by ${decimals(distance, 2)} in this plane.`;
  const strange = s.scheme === "learned" && s.row >= now.length && now.n;
  return `**Row ${s.row}** has not moved${strange ? ": no text reached it" : ""}.`;
}

const go = (s, look) => ({ ...s, look: clamp(Math.round(look), 0, LAST) });
const follow = (s, row) => ({ ...s, row: clamp(row, 0, ROWS - 1) });

export const scene = {
  kind: "training",
  label:
    "The loss, the rows of the table as points that move, maps of similarity and attention. Left and right arrow go a " +
    "look back or on, up and down follow another row.",
  controls: [
    { name: "look", label: "step", min: 0, max: () => LAST, text: (look) => String(look * EVERY) },
    { name: "scheme", label: "table", options: ["learned", "sinusoidal"].map((name) => [name, name]) },
  ],
  settings: [
    {
      name: "seed",
      label: "training",
      options: ({ recording }) => [...(recording.runs ? [[null, "recorded"]] : []), ...SEEDS],
      menu: true,
    },
    { name: "length", label: "texts of", options: [8, 16, 24].map((n) => [n, String(n)]), when: live },
    { name: "causal", label: "causal mask", when: live },
    { name: "row", label: "row", min: 0, max: () => ROWS - 1 },
  ],
  height: (w) => (w < 560 ? 365 : 400),
  draw(s, size) {
    const now = seen(s),
      at = layout(s, size);
    return h(
      "g",
      {},
      loss(now, at.loss),
      live(s) ? far(now, at.right) : [],
      rows(s, now, at.rows),
      map(s, now, "similarity", "signed", at.maps[0]),
      map(s, now, "attention", "shares", at.maps[1]),
    );
  },
  alt(s) {
    const now = seen(s),
      { runs, length, n } = now;
    const told = runs.map(({ scheme, looks: all }) => {
      const { right, attention } = all[n],
        back = `attention looks one back in ${backwards(attention, length)} of ${length - 1} rows`;
      return `${scheme}: ${percent(right)} right, ${back}`;
    });
    return `Step ${now.step} of ${STEPS}, with texts of ${length} words. ${told.join("; ")}. ${followed(s, now).replaceAll("**", "")}`;
  },
  reading(s) {
    const now = seen(s),
      { look, length, n, step } = now;
    const right = `**Step ${step}:** ${percent(look.right)} right at ${length} words`,
      back = `looks one back in **${backwards(look.attention, length)} of ${length - 1}** rows`;
    const more = n < s.look ? " Training …" : "";
    return `${right}, ${back}.${more}\n${followed(s, now)}`;
  },
  // The loss is scrubbed; a row is taken hold of where it lies
  down(s, size, { x, y }) {
    const { loss: above, rows: box } = layout(s, size);
    if (y < above.y + above.h + 22) return x <= above.x + above.w + 10 ? { ...s, hold: "loss" } : s;
    return x <= box.x + box.w ? { ...s, hold: "rows" } : s;
  },
  move(s, size, { x, y }) {
    const at = layout(s, size),
      now = seen(s);
    if (s.hold === "loss") return go(s, (LAST * (x - at.loss.x)) / at.loss.w);
    const spot = spots(now, at.rows);
    const gaps = now.look.rows.map((_, row) => {
      const [px, py] = spot(now.n, row);
      return Math.hypot(px - x, py - y);
    });
    return follow(s, gaps.indexOf(Math.min(...gaps)));
  },
  up: (s) => ({ ...s, hold: undefined }),
  key: (s, { right, up, end, page = 0 }) =>
    up ? follow(s, s.row + up) : go(s, end ? end * LAST : s.look + right + 5 * page),
  parts: {
    loss: (s, size) => layout(s, size).loss,
    right: (s, size) => layout(s, size).right,
    rows: (s, size) => layout(s, size).rows,
    similarity: (s, size) => layout(s, size).maps[0],
    attention: (s, size) => layout(s, size).maps[1],
  },
  helper: coach,
};

export const done = {
  main(s) {
    if (live(s)) return "";
    const { looks: all } = recorded(s).find(({ scheme }) => scheme === "sinusoidal"),
      { length } = s.recording;
    const first = all.findIndex(({ attention }) => backwards(attention, length) === length - 1);
    return s.scheme === "sinusoidal" && s.look === first
      ? `Found: step ${first * EVERY}. The learned table was there at step 64.`
      : "";
  },
  here: (s) =>
    live(s) && s.length === 24 && s.look === LAST
      ? "Found: at position 24. Wherever training ended, the rows that follow were never trained."
      : "",
};

export default stage(ABOUT, drawn(ABOUT, scene), { done, play: { trait: "look", unit: 240 } });
