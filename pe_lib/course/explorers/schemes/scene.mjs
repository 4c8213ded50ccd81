// Recorded experiments as six curves: which scheme of position learns which task, and how far it goes.
/* global ABOUT */
import { clamp } from "../maths.mjs";
import { line, redrawOn } from "../frame/draw.mjs";
import { bold, checkbox, choice, element, fill, menu, slider } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";

const TRAITS = ["task", "causal", "layers", "scheme", "length"];
const TASKS = [
  ["previous", "the word before"],
  ["order", "who bites whom"],
  ["counting", "more praise or complaint"],
];
const GUESS = { previous: 1 / 8, order: 1 / 2, counting: 1 / 2 };
const SHOWN = [16, 24, 32, 48]; // the columns of the table

export const mean = (shares) => shares.reduce((a, b) => a + b, 0) / shares.length;

// The shares of each scheme by length: [scheme, [[share of each seed], …]]
export function chosen(recording, task, causal, layers) {
  return recording.settings
    .filter((cell) => cell.task === task && cell.causal === causal && cell.layers === layers)
    .map((cell) => [cell.scheme, recording.lengths.map((_, n) => cell.right.map((seed) => seed[n]))]);
}

// The shares of the seeds at a length, on a line between those recorded
export function sharesAt(lengths, shares, length) {
  const n = clamp(
    lengths.findLastIndex((one) => one <= length),
    0,
    lengths.length - 2,
  );
  const part = (length - lengths[n]) / (lengths[n + 1] - lengths[n]);
  return shares[n].map((share, seed) => share + part * (shares[n + 1][seed] - share));
}

// Heights for labels, none nearer to the next than `gap`, in the order of where they belong
export function apart(wanted, gap, low, high) {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b]),
    placed = [...wanted];
  let least = low;
  for (const k of order) least = (placed[k] = Math.max(placed[k], least)) + gap;
  let most = high;
  for (const k of order.reverse()) most = (placed[k] = Math.min(placed[k], most)) - gap;
  return placed;
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const recording = model.get("recording"),
    { lengths } = recording,
    last = lengths.at(-1),
    first = lengths[0];
  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const schemes = [...new Set(recording.settings.map(({ scheme }) => scheme))];
  const read = (length) => set("length", clamp(length, first, last));
  const controls = [
    menu(
      "task",
      TASKS,
      () => model.get("task"),
      (task) => set("task", task),
    ),
    choice(
      "layers",
      [
        ["1", "one"],
        ["2", "two"],
      ],
      () => String(model.get("layers")),
      (n) => set("layers", Number(n)),
    ),
    checkbox(
      "causal mask",
      () => model.get("causal"),
      (on) => set("causal", on),
    ),
    slider(model, {
      name: "length",
      label: "words",
      min: first,
      max: () => last,
      step: Math.round,
      text: (x) => String(Math.round(x)),
      unit: "words",
    }),
  ];
  const [task, layers, mask, length] = controls.map((part) => part.row);
  const canvas = element("canvas", {
    class: "ex-canvas ex-curves",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "six curves",
    "aria-label":
      "The share of right answers of six schemes against the number of words. Left and right arrow " +
      "shorten and lengthen the text, up and down bring another scheme to the front. The table below has the numbers.",
  });
  const body = element("tbody");
  const table = element(
    "table",
    { class: "ex-shares" },
    element("caption", {}, `Share right: mean, and lowest–highest of the seeds; trained at ${first} words`),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        element("th", { scope: "col" }, "scheme"),
        ...SHOWN.map((one) => element("th", { scope: "col" }, `at ${one}`)),
      ),
    ),
    body,
  );
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(
    el,
    element("div", { class: "ex-controls" }, task, element("div", { class: "ex-settings" }, layers, mask), length),
    canvas,
    reading,
    element("details", { class: "ex-folded" }, element("summary", {}, "the numbers as a table"), table),
  );

  let known = "",
    told = "",
    found,
    at = { x: 40, y: 14, w: 500, h: 250 },
    ends = [];

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const [task, causal, layers, scheme, now] = TRAITS.map((name) => model.get(name));
    for (const part of controls) part.refresh();
    if (known !== (known = [task, causal, layers].join())) {
      found = chosen(recording, task, causal, layers);
      fillTable();
    }
    at = { x: 36, y: 14, w: width - 36 - 84, h: height - 52 };
    const across = (one) => at.x + ((one - first) / (last - first)) * at.w,
      up = (share) => at.y + at.h * (1 - share);
    Object.assign(context, {
      font: `12px ${colour.font}`,
      textBaseline: "middle",
      lineCap: "round",
      lineJoin: "round",
    });
    const label = (text, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      line(context, colour.grid, 1, [
        [at.x, up(share)],
        [at.x + at.w, up(share)],
      ]);
      label(String(share), at.x - 6, up(share), "right");
    }
    for (const one of lengths.filter((_, n) => n % 2 === 0)) label(one, across(one), at.y + at.h + 12, "center");
    // of the word before, longer texts are asked for what is new in them alone
    label(
      task === "previous" ? `share right ↑ (past ${first}: new words)  words →` : "share right ↑  words in the text →",
      at.x,
      at.y + at.h + 29,
      "left",
    );
    line(
      context,
      colour.muted,
      1,
      [
        [at.x, up(GUESS[task])],
        [at.x + at.w, up(GUESS[task])],
      ],
      [2, 4],
    );
    label("guessing", at.x + at.w - 4, up(GUESS[task]) + 9, "right");

    // as far as the texts have come: the seeds thin and the mean thick of the scheme in front
    const passed = lengths.filter((one) => one < now);
    const run = (shares, value) => [
      ...passed.map((one, n) => [across(one), up(value(shares[n]))]),
      [across(now), up(value(sharesAt(lengths, shares, now)))],
    ];
    ends = found.map(([name, shares]) => ({
      name,
      share: mean(sharesAt(lengths, shares, now)),
      curve: run(shares, mean),
    }));
    for (const { name, curve } of ends) if (name !== scheme) line(context, colour.muted, 1.6, curve);
    const [, mine] = found.find(([name]) => name === scheme);
    mine[0].forEach((_, seed) =>
      line(
        context,
        colour.orange,
        0.9,
        run(mine, (shares) => shares[seed]),
      ),
    );
    line(context, colour.orange, 3.5, ends.find(({ name }) => name === scheme).curve);
    line(context, colour.ink, 1, [
      [across(now), at.y - 8],
      [across(now), at.y + at.h],
    ]);
    label(`${Math.round(now)} words`, Math.min(across(now), at.x + at.w - 10), 5, "center", colour.ink);
    const places = apart(
      ends.map(({ share }) => up(share)),
      15,
      at.y,
      at.y + at.h,
    );
    ends.forEach((end, k) => {
      const chosen = end.name === scheme,
        [x, y] = end.curve.at(-1);
      context.fillStyle = chosen ? colour.orange : colour.muted;
      context.beginPath();
      context.arc(x, y, chosen ? 5 : 3.5, 0, 2 * Math.PI);
      context.fill();
      end.label = { x: x + 10, y: places[k] };
      context.font = `${chosen ? "700 " : ""}13px ${colour.font}`;
      label(end.name, end.label.x, end.label.y, "left", chosen ? colour.orange : colour.ink);
    });
    tell(scheme, now);
  }

  // At whole words: nothing is told anew while a curve runs from one to the next
  function tell(scheme, now) {
    const words = Math.round(now);
    if (told === (told = [known, scheme, words].join())) return;
    const at = found.map(([name, shares]) => ({ name, shares: sharesAt(lengths, shares, words) }));
    const ranked = at.map((one) => ({ ...one, share: mean(one.shares) })).sort((a, b) => b.share - a.share);
    const { shares } = at.find(({ name }) => name === scheme);
    const [low, high] = [Math.min(...shares), Math.max(...shares)].map((v) => v.toFixed(2));
    reading.replaceChildren(
      element(
        "p",
        {},
        ...bold(
          `**${scheme} at ${words} words: ${mean(shares).toFixed(2)} right**, five seeds from ${low} to ${high}.`,
        ),
      ),
      element("p", {}, `${ranked.map(({ name, share }) => `${name} ${share.toFixed(2)}`).join(", ")}.`),
    );
  }

  function fillTable() {
    body.replaceChildren(
      ...found.map(([scheme, shares]) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, scheme),
          ...SHOWN.map((one) => {
            const here = shares[lengths.indexOf(one)],
              [low, high] = [Math.min(...here), Math.max(...here)].map((v) => v.toFixed(2));
            const cell = element(
              "td",
              {},
              element("b", {}, mean(here).toFixed(2)),
              element("small", {}, ` ${low}–${high}`),
            );
            cell.style.setProperty("--share", `${Math.round(100 * mean(here))}%`);
            return cell;
          }),
        ),
      ),
    );
  }

  canvas.addEventListener("keydown", (event) => {
    const [words, other] =
      {
        ArrowLeft: [-1],
        ArrowRight: [1],
        PageDown: [-8],
        PageUp: [8],
        Home: [-last],
        End: [last],
        ArrowUp: [0, -1],
        ArrowDown: [0, 1],
      }[event.key] ?? [];
    if (words === undefined) return;
    event.preventDefault();
    if (other) set("scheme", schemes[clamp(schemes.indexOf(model.get("scheme")) + other, 0, schemes.length - 1)]);
    else read(Math.round(model.get("length")) + words);
  });
  // A curve or its name comes to the front; elsewhere the texts are made longer or shorter
  const near = ({ x, y }) => {
    const now = at.x + ((model.get("length") - first) / (last - first)) * at.w;
    const gaps = ends.map(({ name, label, curve }) => ({
      name,
      gap:
        x > now + 6
          ? Math.abs(label.y - y)
          : Math.min(...curve.map(([cx, cy], n) => (n ? along([curve[n - 1], [cx, cy]], x, y) : Infinity))),
    }));
    const best = gaps.reduce((a, b) => (b.gap < a.gap ? b : a));
    return Math.abs(x - now) > 6 && best.gap < (x > now ? 9 : 7) ? best.name : undefined;
  };
  drag(canvas, {
    grab: (point) => ({ scheme: near(point) }),
    move({ scheme }, { x }) {
      if (scheme) set("scheme", scheme);
      else read(Math.round(first + ((x - at.x) / at.w) * (last - first)));
    },
  });
  return { stop: redrawOn(model, TRAITS, el, canvas, draw), parts: { chart: () => at } };
}

// How far above or below a piece of a curve a point is
function along([[x1, y1], [x2, y2]], x, y) {
  return x < x1 || x > x2 ? Infinity : Math.abs(y1 + ((x - x1) / (x2 - x1 || 1)) * (y2 - y1) - y);
}

export const done = {
  main({ recording, task, causal, layers, length }) {
    const of = (name) =>
      chosen(recording, task, causal, layers)
        .find(([scheme]) => scheme === name)[1]
        .map(mean);
    const [none, sinusoidal] = [of("none"), of("sinusoidal")];
    return length > 47 && none[0] > 0.97 && none.at(-1) > sinusoidal.at(-1) + 0.1
      ? `Found: to count praise no order is needed. At 48 words ${none.at(-1).toFixed(2)} against ${sinusoidal.at(-1).toFixed(2)}.`
      : "";
  },
};
export default stage(ABOUT, scene, { done, play: { trait: "length", unit: 120, stride: 4 } });
