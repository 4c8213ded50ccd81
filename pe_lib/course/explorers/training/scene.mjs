// Draws the snapshots of a training: the loss falls, the rows of the table move, and attention forms.
// The training was recorded, or it runs in the browser.
import { decimals } from "../frame/controls.mjs";
import { range, rememberLast } from "../maths.mjs";
import { EVERY, LAST, ROWS, training } from "../model/trainer.mjs";
import { axes } from "../scene/axes.mjs";
import { curve, knob, linear } from "../scene/chart.mjs";
import { gesturesFor } from "../scene/hold.mjs";
import { isShown, part } from "../scene/reveal.mjs";
import { line, partsOf, rect, ring, table, text, textWidth } from "../scene/svg.mjs";
import { coach, settings } from "./coach.mjs";

const STEPS = LAST * EVERY,
  MOST = 2.5, // the loss is drawn up to this number of nats
  SEEDS = range(10, (seed) => [seed, `here, seed ${seed}`]);

const live = ({ seed }) => seed !== null;

// Decode the bytes of a recording from base 64 to numbers from `low` to `high`.
export const unpacked = (packed, low = 0, high = 255) =>
  Float64Array.from(atob(packed), (letter) => low + ((high - low) * letter.charCodeAt(0)) / 255);

// Return the runs of a recording, with snapshots in the same format as `training` yields them.
const recorded = rememberLast(({ runs, length }) =>
  runs.map(({ similarity, attention, plane, reach, right, ...run }) => {
    const part = (all, size, n) => all.subarray(n * size, (n + 1) * size),
      [alike, weights, places] = [
        unpacked(similarity, -1, 1),
        unpacked(attention, 0, 1),
        unpacked(plane, -reach, reach),
      ];
    const looks = right.map((share, n) => ({
      rows: range(ROWS, (row) => [...part(places, 2, n * ROWS + row)]),
      similarity: part(alike, length ** 2, n),
      attention: part(weights, length ** 2, n),
      right: share,
    }));
    return { ...run, looks };
  }),
);

// Return the first snapshot of a training, which takes no time to compute.
const beginning = rememberLast((key) => [training(JSON.parse(key)).next().value]);

// Return the data that a state shows: one run, its snapshot, and for a recording also the loss of the other run.
function currentLook(s) {
  const key = settings(s),
    length = live(s) ? s.length : s.recording.length,
    here = () => [{ scheme: s.scheme, looks: s.run?.key === key ? s.run.looks : beginning(key) }],
    runs = live(s) ? here() : recorded(s.recording),
    run = runs.find(({ scheme }) => scheme === s.scheme),
    n = Math.min(s.look, run.looks.length - 1);
  return { runs, run, length, n, look: run.looks[n], step: n * EVERY };
}

// Return the losses so far, as means of four steps, in the form [[step, loss], …].
const losses = ({ loss, looks }) => (loss ?? looks.flatMap((one) => one.losses)).map((v, k) => [4 * k + 2, v]);

// Return the number of rows of an attention map, except the first row, whose largest weight is one place back.
export const backwards = (map, length) =>
  range(length, (t) => Array.from(map.slice(t * length, (t + 1) * length))).filter(
    (row, t) => t && row.indexOf(Math.max(...row)) === t - 1,
  ).length;

// Return the layout: at the top are the loss and, for a training in the browser, the accuracy by position.
// Below them are the rows of the table and a map. A phone has room for one of them, which `view` chooses.
function layout(s, { w, h: high }) {
  const isWide = w >= 560,
    tall = isWide ? 84 : 58,
    half = (w - 78) / 2,
    top = 14 + tall + 46,
    side = Math.min(high - top - 18, w - 30), // of a map
    map = { x: isWide ? w - side - 4 : (w - side) / 2, y: top, w: side, h: side };
  return {
    loss: { x: 28, y: 16, w: live(s) ? half : w - 38, h: tall },
    right: { x: half + 68, y: 16, w: half, h: tall },
    rows: { x: 0, y: top, w: isWide ? w - side - 44 : w, h: high - top - 4 },
    similarity: map,
    attention: map,
    hasRows: isWide || s.view === "rows",
    map: s.view === "similarity" ? "similarity" : isWide || s.view === "attention" ? "attention" : "",
  };
}

// Draw a chart from 0 to the last number in `along`, and up to `most`, with its name above it.
function chart({ x, y, w, h: high }, name, along, ups, most) {
  const at = { left: x, right: x + w, foot: y + high, x: linear([0, along.at(-1)], [x, x + w]) },
    up = linear([0, most], [y + high, y]).at,
    start = Math.min(x + 2, x + w - textWidth(name));
  return { frame: [text(start, y - 4, "mono f-ink", name), axes({ ...at, y: up }, along, ups)], across: at.x.at, up };
}

function loss({ runs, run, step }, at) {
  const along = at.w > 250 ? [0, 100, 200, 300, STEPS] : [0, STEPS],
    { frame, across, up } = chart(at, "loss (nats)", along, [0, 1, 2], MOST),
    now = across(step);
  const drawRun = (one, k) => {
    const [pen, ink] = one === run ? ["l-ink bar", "f-ink bold"] : ["l-muted", "f-muted"],
      points = losses(one).map(([n, v]) => [across(n), up(Math.min(v, MOST))]);
    return [
      points.length ? curve(`${pen} ${k ? "dash" : ""}`, points) : [],
      runs.length > 1
        ? text(at.x + at.w, at.y + 8 + 17 * k, `mono end halo ${ink}`, `${one.scheme} ${k ? "- -" : "—"}`)
        : [],
    ];
  };
  return [frame, runs.map(drawRun), line(now, at.y - 2, now, up(0), "l-ink"), knob(now, up(0))];
}

// Draw the accuracy by position in texts of 48 words, with a line at the length of the training texts.
function far({ look: { far: shares = [] }, length }, at) {
  const { frame, across, up } = chart(at, "right, by position", [0, length - 1, ROWS - 1], [0, 1], 1),
    end = across(length - 0.5);
  return [
    frame,
    line(end, at.y, end, up(0), "l-muted dash"),
    shares.length
      ? curve("l-ink bar", shares, (share, t) => [across(t + 1), up(share)])
      : text(at.x + at.w / 2, up(0.5) + 4, "mono mid halo f-muted", "not trained yet"),
  ];
}

// Return the pixel of a row in a snapshot; the box contains all places where rows have been.
function spots({ looks }, box) {
  const ends = [0, 1].map((k) => {
      const places = looks.flatMap(({ rows }) => rows.map((row) => row[k]));
      return [Math.min(...places), Math.max(...places)];
    }),
    [wide, tall] = ends.map(([low, high]) => high - low || 1),
    scale = Math.min(box.w / wide, box.h / tall) / 1.1,
    off = (v, k) => scale * (v - (ends[k][0] + ends[k][1]) / 2);
  return (n, row) => {
    const [right, up] = looks[n].rows[row].map(off);
    return [box.x + box.w / 2 + right, box.y + box.h / 2 - up];
  };
}

// Draw the rows with the paths that they have taken, with the followed row in front.
function rows(s, { run, length, n }, at) {
  const spot = spots(run, at),
    path = (row, c) => curve(c, range(n + 1), (k) => spot(k, row)),
    all = range(ROWS, (row) => spot(n, row)),
    [x, y] = all[s.row],
    right = x > at.x + at.w / 2,
    full = `${s.scheme} table, row by row`,
    trained = s.scheme === "learned" && n > 0 ? range(length) : [];
  return [
    text(at.x, at.y - 6, "mono f-ink", textWidth(full) < at.w + 24 ? full : `${s.scheme} table`),
    rect(at.x + 0.5, at.y + 0.5, at.w - 1, at.h - 1, "l-grid"),
    s.scheme === "sinusoidal" ? curve("l-grid", all) : [],
    trained.map((row) => path(row, row === s.row ? "l-ink bar" : "l-purple")),
    all.map(([cx, cy], row) => (row < length ? ring(cx, cy, 3.5, "f-purple") : ring(cx, cy, 2, "f-muted"))),
    knob(x, y),
    text(x + (right ? -9 : 9), y + 4.5, `mono halo bold f-ink ${right ? "end" : ""}`, `row ${s.row}`),
  ];
}

// Attention has its full colour at half of the weight, so that a small weight is visible.
const deepen = rememberLast((weights) => Array.from(weights, (weight) => Math.min(1, 2 * weight)));

// Draw a map of all positions by all positions, with a frame around the followed row.
function map(s, { look, length }, name, { x, y, w }) {
  const cell = w / length,
    [says, values, as] =
      name === "attention"
        ? ["attention: line by line, where a position looks", deepen(look.attention), "shares"]
        : ["similarity of two rows", look.similarity, "signed"];
  return [
    text(x - 18, y - 6, "mono f-ink", textWidth(says) < w + 24 ? says : name),
    table(x, y, w, w, length, values, as),
    rect(x, y, w, w, "l-grid thin"),
    [0, length - 1].map((p) => [
      text(x - 4, y + (p + 0.5) * cell + 4.5, "mono end f-muted", p),
      text(x + (p + 0.5) * cell, y + w + 14, "mono mid f-muted", p),
    ]),
    s.row < length ? rect(x, y + s.row * cell, w, cell, "l-ink") : [],
  ];
}

// Return a sentence about the followed row.
function followed(s, { run, length, n }) {
  const [from, to] = [0, n].map((k) => run.looks[k].rows[s.row]),
    distance = Math.hypot(to[0] - from[0], to[1] - from[1]);
  if (distance) return `**Row ${s.row}** has moved by ${decimals(distance, 2)} in this plane.`;
  const strange = s.scheme === "learned" && s.row >= length && n;
  return `**Row ${s.row}** has not moved${strange ? ": no text reached it" : ""}.`;
}

export const scene = ({ setValue }, { worker }) => ({
  kind: "training",
  shows: "The loss over the steps, and below it the rows of the table as points that move, or a map of positions.",
  moves: "Left and right arrow go a look back or on, up and down follow another row.",
  reveals: true,
  controls: [
    { name: "look", label: "step", text: (look) => String(look * EVERY) },
    { name: "scheme", label: "table" },
    {
      name: "view",
      label: "show",
      options: [
        ["rows", "rows"],
        ["attention", "attention"],
        ["similarity", "similar"],
      ],
    },
    { name: "length", label: "texts of", when: live },
  ],
  settings: [
    { name: "row" },
    {
      name: "seed",
      label: "training",
      options: ({ recording }) => [...(recording.runs ? [[null, "recorded"]] : []), ...SEEDS],
      menu: true,
    },
  ],
  height: (w) => (w < 320 ? 228 : w < 560 ? 264 : 420), // a card in a card on a phone has little room
  draw(s, size) {
    const now = currentLook(s),
      at = layout(s, size);
    return [
      part(s, "loss", () => loss(now, at.loss)),
      part(s, "right", () => (live(s) ? far(now, at.right) : [])),
      part(s, "rows", () => (at.hasRows ? rows(s, now, at.rows) : [])),
      part(s, ["similarity", "attention"], () => (at.map && isShown(s, at.map) ? map(s, now, at.map, at[at.map]) : [])),
    ];
  },
  reading(s) {
    const now = currentLook(s),
      { look, length, n, step } = now;
    const right = `**Step ${step}:** ${Math.round(100 * look.right)} % right at ${length} words`,
      back = `looks one back in **${backwards(look.attention, length)} of ${length - 1}** rows`;
    return `${right}, ${back}.${n < s.look ? " Training …" : ""}\n${followed(s, now)}`;
  },
  // Dragging moves along the loss, or chooses the nearest row of the table.
  ...gesturesFor((s, size) => {
    const { loss, rows: box, hasRows } = layout(s, size);
    const nearest = (now, q) => {
      const { run, n } = currentLook(now),
        spot = spots(run, box),
        gaps = range(ROWS, (row) => spot(n, row)).map(([x, y]) => Math.hypot(x - q.x, y - q.y));
      return gaps.indexOf(Math.min(...gaps));
    };
    return [
      {
        on: { x: 0, y: 0, w: loss.x + loss.w + 10, h: loss.y + loss.h + 22 },
        to: (now, q) => setValue(now, "look", (LAST * (q.x - loss.x)) / loss.w),
      },
      { on: hasRows && box, to: (now, q) => setValue(now, "row", nearest(now, q)) },
    ];
  }),
  key: (s, { right, up, end, page = 0 }) =>
    up ? setValue(s, "row", s.row + up) : setValue(s, "look", end ? end * LAST : s.look + right + 5 * page),
  parts: partsOf(layout, ["loss", "right", "rows", "similarity", "attention"]),
  helper: (update) => coach(update, worker),
  done: {
    main(s) {
      if (live(s) || s.scheme !== "sinusoidal") return "";
      const now = currentLook(s),
        first = now.run.looks.findIndex(({ attention }) => backwards(attention, now.length) === now.length - 1);
      return s.look === first ? `Found: step ${now.step}. The learned table was there at step 64.` : "";
    },
    here: (s) =>
      live(s) && s.length === 24 && s.look === LAST
        ? "Found: at position 24. Wherever training ended, the rows that follow were never trained."
        : "",
  },
  play: { trait: "look", unit: 240 },
});
