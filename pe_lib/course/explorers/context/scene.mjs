// A text that grows past those of training: where the hands of 64 clocks get to, and a score that was
// fitted below.
/* global ABOUT */
import { clamp, frequency } from "../maths.mjs";
import { clock, dot, line, redrawOn } from "../frame/draw.mjs";
import { bold, element, fill, grouped, menu, significant, slider } from "../frame/controls.mjs";
import { wind } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";

const TRAITS = ["method", "factor", "length", "pair", "score"];
const D_HEAD = 128,
  PAIRS = D_HEAD / 2,
  TRAINED = 2048,
  SAMPLES = 256,
  MOST = 16; // as in context.py
const TURN = 2 * Math.PI,
  ALPHA = 1,
  BETA = 32;
const POWERS = 4; // scores to ±10⁴
const METHODS = [
  ["none", "none"],
  ["interpolation", "interpolation"],
  ["ntk", "NTK-aware"],
  ["dynamic", "dynamic"],
  ["yarn", "YaRN"],
];
const plain = Array.from({ length: PAIRS }, (_, i) => frequency(i, D_HEAD, 10_000));

// The frequencies of a text `s` times as long
export function scaled(method, s) {
  return plain.map((w, i) => {
    if (method === "interpolation") return w / s;
    if (method === "ntk" || method === "dynamic") return w / s ** (i / (PAIRS - 1));
    if (method === "none") return w;
    const r = (TRAINED * w) / TURN,
      g = (Math.min(Math.max(r, ALPHA), BETA) - ALPHA) / (BETA - ALPHA);
    return ((1 - g) * w) / s + g * w;
  });
}

export const offsets = (s) => Array.from({ length: SAMPLES + 1 }, (_, k) => (k * s * TRAINED) / SAMPLES);

// The fitted score at one offset, with the frequencies of a text that is `s` times as long
export function scoreAt(coefficients, method, s, offset) {
  const w = scaled(method, method === "dynamic" ? Math.max(1, offset / TRAINED) : s);
  let sum = 0;
  for (let i = 0; i < PAIRS; i++) {
    const angle = offset * w[i];
    sum += coefficients[i] * Math.cos(angle) + coefficients[PAIRS + i] * Math.sin(angle);
  }
  return method === "yarn" ? (0.1 * Math.log(s) + 1) ** 2 * sum : sum;
}

export const scores = (coefficients, method, s) => offsets(s).map((offset) => scoreAt(coefficients, method, s, offset));

// Of each pair: the arc that it showed in training, how far it has turned at the end of a text that is
// `length` long and may become `s` times as long as those of training, and whether that is new
export function hands(method, s, length = s * TRAINED) {
  const now = scaled(method, method === "dynamic" ? Math.max(1, length / TRAINED) : s);
  return plain.map((w, i) => {
    const seen = Math.min(TURN, TRAINED * w),
      angle = length * now[i];
    return { seen, angle, w: now[i], fresh: seen < TURN && angle > seen * (1 + 1e-9) };
  });
}

// A size as people write it: 0.43, 12.6, 1,770
const size = (x) => (x < 100 ? String(Number(x.toPrecision(x < 1 ? 2 : 3))) : grouped(Number(x.toPrecision(3))));
const signed = (x) => (x < 0 ? "−" : "") + size(Math.abs(x));

// Where things stand in a canvas of this size: the text, the score under it if there is one, then 64
// small clocks and a large one
export function layout(width, height, scored = true) {
  const wide = width >= 560,
    columns = wide ? 16 : 8,
    cell = wide ? clamp(Math.floor(0.047 * width), 32, 60) : 23;
  const tall = (PAIRS / columns) * cell,
    axis = { x: 50, w: width - 76 };
  const score = { ...axis, y: 56, h: scored ? Math.max(60, height - tall - 86) : -26 };
  const board = { x: 0, y: score.y + score.h + 26, columns, cell, w: columns * cell, h: tall };
  const r = Math.min(0.43 * tall, (width - board.w - 24) / 2);
  return { axis, score, board, dial: { x: (board.w + width) / 2 + 4, y: board.y + r, r }, ribbon: { y: 26, h: 14 } };
}

// The words of the text as dashes of different lengths, [from, to] in pixels
const dashes = (width) => {
  const found = [];
  for (let x = 0, k = 1; x < width - 8; k++) {
    const long = 3 + ((k * 7919) % 11);
    found.push([x + 2, Math.min(x + 2 + long, width - 2)]);
    x += long + 7;
  }
  return found;
};

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const put = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const whole = () => TRAINED * model.get("factor"),
    reached = () => Math.min(model.get("length"), whole());
  const grow = (length) => put("length", clamp(Math.round(length), 0, whole()));
  const choose = (pair) => put("pair", clamp(pair, 0, PAIRS - 1));
  const controls = [
    menu(
      "scaling",
      METHODS,
      () => model.get("method"),
      (name) => put("method", name),
    ),
    slider(model, {
      name: "length",
      label: "text",
      min: 0,
      max: () => whole() / 64,
      unit: "words",
      value: (step) => 64 * step,
      step: (length) => Math.min(length, whole()) / 64,
      text: () => grouped(reached()),
    }),
    slider(model, {
      name: "factor",
      label: "factor s",
      min: 4,
      max: () => 4 * MOST,
      value: (step) => step / 4,
      step: (s) => 4 * s,
      text: (s) => s.toFixed(2),
    }),
    slider(model, { name: "pair", label: "pair", min: 0, max: () => PAIRS - 1 }),
  ];
  const canvas = element("canvas", {
    class: "ex-canvas ex-context",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "text, score and clocks",
    "aria-label":
      "A text that grows, a score against the offset, and a clock for each pair with the arc that its " +
      "hand showed in training. Left and right arrow shorten and lengthen the text, up and down choose a pair.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  const scored = model.get("score").length > 0;
  const [scaling, text, ...rest] = controls.map((part) => part.row);
  const fold = element("details", { class: "ex-folded" }, element("summary", {}, "more"), ...rest);
  if (scored)
    fill(
      el,
      element("div", { class: "ex-controls" }, element("div", { class: "ex-settings" }, scaling, fold), text),
      canvas,
      reading,
    );
  else {
    canvas.classList.add("ex-clocks-alone");
    fill(el, element("div", { class: "ex-controls" }, text, rest[1]), canvas, reading);
  }

  let known = "",
    curve,
    at = layout(700, 340, scored),
    clocks,
    words = [];

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const [method, s, , pair, coefficients] = TRAITS.map((name) => model.get(name)),
      length = reached();
    for (const part of controls) part.refresh();
    if (scored && known !== (known = method + s)) curve = scores(coefficients, method, s);
    if (at.axis.w !== (at = layout(width, height, scored)).axis.w || !words.length) words = dashes(at.axis.w);
    clocks = hands(method, s, length);
    const across = (offset) => at.axis.x + (offset / whole()) * at.axis.w,
      end = across(length),
      border = across(TRAINED);
    Object.assign(context, { font: `12px ${colour.font}`, textBaseline: "middle", lineCap: "round" });
    const label = (text, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };

    // --- the text: blue as far as training went, orange beyond, its end a grip
    for (const [from, to] of words) {
      const [x, last] = [at.axis.x + from, at.axis.x + to],
        shade = x >= end ? colour.grid : x < border ? colour.blue : colour.orange;
      line(context, shade, 4, [
        [x, at.ribbon.y],
        [last, at.ribbon.y],
      ]);
    }
    line(context, colour.ink, 2, [
      [end, at.ribbon.y - 12],
      [end, at.score.y + at.score.h],
    ]);
    dot(context, colour, end, at.ribbon.y);
    const said = `${grouped(length)} words`,
      room = context.measureText(said).width;
    label(said, clamp(end, at.axis.x + room / 2, width - room / 2 - 2), 7, "center", colour.ink);
    line(
      context,
      colour.muted,
      1,
      [
        [border, at.ribbon.y - 7],
        [border, at.score.y + at.score.h],
      ],
      [2, 3],
    );

    const here = scored ? plot(context, colour, label, across, end) : undefined;

    // --- the clocks: blue is the sector that training showed, orange what is new
    clocks.forEach((hand, i) => {
      const { x, y, columns, cell } = at.board;
      face(
        context,
        colour,
        { x: x + ((i % columns) + 0.5) * cell, y: y + (Math.floor(i / columns) + 0.5) * cell, r: 0.4 * cell },
        hand,
        1.2,
      );
    });
    const { x, y, columns, cell } = at.board;
    Object.assign(context, { strokeStyle: colour.ink, lineWidth: 2 });
    context.strokeRect(x + (pair % columns) * cell + 1, y + Math.floor(pair / columns) * cell + 1, cell - 2, cell - 2);
    const before = Math.max(0, length - 1) * clocks[pair].w; // the word before
    line(context, colour.muted, 1.5, [[at.dial.x, at.dial.y], point(at.dial, before)], [3, 4]);
    face(context, colour, at.dial, clocks[pair], 3);
    label(`pair ${pair}`, at.dial.x, at.dial.y + at.dial.r + 16, "center", colour.ink);
    tell(s, pair, length, here);
  }

  // The score as far as the text has come: linear up to 1, then logarithmic. Returns where it is now.
  function plot(context, colour, label, across, end) {
    const [method, s, , , coefficients] = TRAITS.map((name) => model.get(name)),
      border = across(TRAINED);
    const { y: top, h: tall } = at.score;
    const up = (v) => top + (tall / 2) * (1 - clamp((Math.sign(v) * Math.log10(1 + Math.abs(v))) / POWERS, -1, 1));
    for (const v of [-10_000, -100, 0, 100, 10_000]) {
      line(context, colour.grid, 1, [
        [at.axis.x, up(v)],
        [at.axis.x + at.axis.w, up(v)],
      ]);
      label((v < 0 ? "−" : "") + grouped(Math.abs(v)), at.axis.x - 6, up(v), "right");
    }
    label("score", at.axis.x, top - 12, "left");
    label("0", at.axis.x, top + tall + 12, "center");
    label(grouped(whole()), at.axis.x + at.axis.w, top + tall + 12, "center");
    if (s >= 2 && s <= 8) label("trained: 2,048", border, top + tall + 12, "center");
    const points = offsets(s)
      .map((offset, n) => [across(offset), up(curve[n])])
      .filter(([x]) => x < end);
    const here = scoreAt(coefficients, method, s, reached());
    points.push([end, up(here)]);
    const inside = points.filter(([x]) => x < border),
      join = inside.length;
    line(context, colour.blue, 1.6, points.slice(0, join + 1));
    if (points.length > join + 1) line(context, colour.orange, 1.6, points.slice(join));
    dot(context, colour, ...points.at(-1));
    return here;
  }

  function tell(s, pair, length, here) {
    const count = clocks.filter((hand) => hand.fresh).length;
    reading.replaceChildren(
      element("p", {}, ...bold(turned(pair, clocks[pair]))),
      element(
        "p",
        {},
        ...bold(`**${count} of ${PAIRS}** clocks new.`),
        ...(scored ? [" ", ...bold(said(s, length, here))] : []),
      ),
    );
  }

  function turned(i, { seen, angle, fresh }) {
    const angles = seen === TURN ? "all angles" : `${significant(seen / TURN)}${fresh ? ": new" : ""}`;
    return `**Pair ${i}:** ${significant(angle / TURN)} turns; training showed ${angles}.`;
  }

  function said(s, length, here) {
    const places = offsets(s),
      most = (inside) =>
        curve.reduce(
          (found, v, n) =>
            places[n] <= length && places[n] < TRAINED === inside ? Math.max(found, Math.abs(v)) : found,
          0,
        );
    const beyond = length > TRAINED ? `, **${size(most(false))}** beyond` : "";
    return `Score **${signed(here)}**; largest drawn **${size(most(true))}** below 2,048${beyond}.`;
  }

  canvas.addEventListener("keydown", (event) => {
    const act = {
      ArrowLeft: () => grow(reached() - 64),
      ArrowRight: () => grow(reached() + 64),
      Home: () => grow(0),
      End: () => grow(whole()),
      ArrowDown: () => choose(model.get("pair") - 1),
      ArrowUp: () => choose(model.get("pair") + 1),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  // The end of the text is pulled, a small clock is chosen, and the large one is wound
  const under = ({ x, y }) => {
    const [column, row] = [x - at.board.x, y - at.board.y].map((v) => Math.floor(v / at.board.cell));
    return column >= 0 && column < at.board.columns && row >= 0 && y < at.board.y + at.board.h
      ? row * at.board.columns + column
      : -1;
  };
  wind(
    canvas,
    () => [{ ...at.dial, frequency: clocks[model.get("pair")].w }],
    reached,
    (length) => {
      grow(length);
      return clamp(length, 0, whole());
    },
    {
      grab: (where) => (where.y < at.board.y - 12 ? "text" : under(where) >= 0 ? "clock" : undefined),
      move(held, where) {
        if (held === "text") grow(((where.x - at.axis.x) / at.axis.w) * whole());
        else if (under(where) >= 0) choose(under(where));
      },
    },
  );

  const around = ({ x, y, r }) => ({ x: x - r, y: y - r, w: 2 * r, h: 2 * r });
  return {
    stop: redrawOn(model, TRAITS, el, canvas, draw),
    parts: { score: () => at.score, clocks: () => at.board, hand: () => around(at.dial) },
  };
}

// The point of a clock's rim at this angle
const point = ({ x, y, r }, angle) => [x + r * Math.sin(angle), y - r * Math.cos(angle)];

// A clock: the sector that training showed, the one that is new so far, and the hand
function face(context, colour, dial, { seen, angle, fresh }, thick) {
  const { x, y, r } = dial,
    up = -Math.PI / 2;
  const sector = (from, to, shade, alpha) => {
    context.globalAlpha = alpha;
    context.fillStyle = shade;
    context.beginPath();
    context.moveTo(x, y);
    context.arc(x, y, r, up + from, up + to);
    context.fill();
    context.globalAlpha = 1;
  };
  sector(0, seen, colour.blue, 0.3);
  if (fresh) sector(seen, Math.min(angle, TURN), colour.orange, 0.45);
  const tip = clock(context, colour, dial, angle, fresh ? colour.orange : colour.blue, thick);
  if (thick > 2) dot(context, colour, ...tip);
}

export const done = {
  hands: ({ factor, length, pair }) => {
    const { seen, angle } = hands("none", factor, Math.min(length, factor * TRAINED))[pair];
    return seen < TURN && angle >= TURN
      ? `Found: pair ${pair}. It made ${significant(seen / TURN)} turns in training, and here ${significant(angle / TURN)}.`
      : "";
  },
  main: ({ method, factor, length, pair }) =>
    method === "ntk" && pair === 63 && factor > 1 && length >= factor * TRAINED
      ? "Found: pair 63, the slowest. NTK-aware divides only there by the whole factor; the 22 before it reach new angles."
      : "",
};
// 8,192 words in eight seconds
const fits = ({ score, factor }) =>
  [0, D_HEAD].includes(score.length) && score.every(Number.isFinite) && Number.isInteger(4 * factor);
export default stage(ABOUT, scene, {
  done,
  fits,
  play: { trait: "length", unit: 1, stride: 256, high: ({ factor }) => factor * TRAINED },
});
