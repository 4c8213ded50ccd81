// A clock for each pair and beside it its wavelength, on one logarithmic scale with the context.
/* global ABOUT */
import { frequency, wavelength } from "../maths.mjs";
import { clock, dot, line, redrawOn } from "../frame/draw.mjs";
import { baseSlider, bold, element, fill, grouped, significant, slider, widthSlider } from "../frame/controls.mjs";
import { wind } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";

const TRAITS = ["d_model", "base", "length", "position"];
const CLOCKS = 8,
  LONGEST = 100_000,
  DECADES = 7; // the scale: 1 to 10⁷ positions
const TURN = 2 * Math.PI;
const KEYS = { ArrowLeft: -1, ArrowRight: 1, PageDown: -100, PageUp: 100, Home: -Infinity, End: Infinity };
const STEPS = { ArrowUp: 10 ** 0.1, ArrowDown: 10 ** -0.1 }; // of the base, as on its slider

// The pairs that get a clock: at most eight, evenly spread from the first to the last
export function chosen(dModel) {
  const last = dModel / 2 - 1,
    count = Math.min(CLOCKS, last + 1);
  return Array.from({ length: count }, (_, k) => Math.round((k * last) / Math.max(count - 1, 1)));
}

// How many pairs are longer than the context
export function longer(length, dModel, base) {
  let count = 0;
  for (let i = 0; i < dModel / 2; i++) if (wavelength(i, dModel, base) > length) count++;
  return count;
}

// The base for which a pair, not the first, has this wavelength
export const baseOf = (pair, value, dModel) => (value / TURN) ** (dModel / (2 * pair));

// What is said of `count` of the pairs
export const areLonger = (count) => `${count === 1 ? "is" : "are"} longer`;

const turns = (x) => (x < 100 ? x.toFixed(1) : grouped(x));
const inside = (x, least, most) => Math.min(Math.max(x, least), most);
const positions = (x) => (x < 100 ? x.toFixed(2) : grouped(x));

// Where things stand in a canvas of this size: a row a clock, pairs down, positions to the right
export function layout(width, height, dModel) {
  const pairs = chosen(dModel),
    last = dModel / 2 - 1,
    top = 22,
    tall = (height - top - 38) / pairs.length;
  const r = Math.min(tall / 2 - 3, 36),
    left = 2 * r + 16,
    wide = width - left - 16;
  const atY = (i) => top + tall / 2 + (last ? (i / last) * (pairs.length - 1) * tall : 0);
  return {
    pairs,
    r,
    top,
    left,
    wide,
    foot: height - 38,
    atY,
    x: r + 6,
    atX: (value) => left + (Math.log10(value) / DECADES) * wide,
    value: (x) => 10 ** (((x - left) / wide) * DECADES),
    pair: (y) => last && Math.round(inside((y - top - tall / 2) / ((pairs.length - 1) * tall), 0, 1) * last),
  };
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const get = () => TRAITS.map((name) => model.get(name));

  // A shorter context takes the position with it.
  function set(changes) {
    const length = changes.length ?? model.get("length");
    const position = inside(changes.position ?? model.get("position"), 0, length - 1);
    for (const [name, value] of Object.entries({ ...changes, position })) model.set(name, value);
    model.save_changes();
  }

  const sliders = [
    baseSlider(model, 3),
    slider(model, {
      name: "length",
      label: "context",
      min: 2,
      max: () => 34,
      text: grouped,
      unit: "positions",
      value: (step) => Math.min(Math.round(2 ** (step / 2)), LONGEST),
      step: (length) => (length === LONGEST ? 34 : Math.min(2 * Math.log2(length), 33)),
    }),
    slider(model, {
      name: "position",
      label: "position",
      min: 0,
      max: () => model.get("length") - 1,
      text: grouped,
    }),
    widthSlider(model),
  ];
  const canvas = element("canvas", {
    class: "ex-canvas ex-spectrum",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "clocks and wavelengths",
    "aria-label":
      "A clock for each of up to eight pairs, and beside it the wavelength on a logarithmic scale. Left and right " +
      "arrow move the position, Page Up and Page Down by a hundred; up and down arrow change the base.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, canvas, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)), reading);

  let at = layout(600, 300, 8),
    told = "";

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const [d, base, length, position] = get(),
      n = d / 2;
    if (position > length - 1) return set({});
    for (const s of sliders) s.refresh();
    at = layout(width, height, d);
    const { pairs, r, left, wide, top, foot, atX, atY } = at,
      edge = atX(length),
      count = longer(length, d, base);
    const write = (words, x, y, align, style = colour.muted, font = `12px ${colour.font}`) => {
      Object.assign(context, { fillStyle: style, strokeStyle: colour.paper, lineWidth: 4, textAlign: align, font });
      context.strokeText(words, x, y); // so that it is read on a line
      context.fillText(words, x, y);
    };
    context.textBaseline = "middle";

    // the scale; what lies right of the context does not come round within it
    for (let decade = 0; decade <= DECADES; decade++) {
      const x = atX(10 ** decade);
      line(context, colour.grid, 1, [
        [x, top - 6],
        [x, foot],
      ]);
      if (decade < DECADES && decade % (wide > 480 ? 1 : 2) === 0)
        write(decade < 6 ? grouped(10 ** decade) : "1 million", x, foot + 11, "center");
    }
    write("wavelength in positions", left + wide, foot + 28, "right");
    context.globalAlpha = 0.1;
    context.fillStyle = colour.orange;
    context.fillRect(edge, top - 6, left + wide - edge, foot - top + 6);
    context.globalAlpha = 1;

    // a dot a pair, and those with a clock larger: hollow if longer than the context
    const waves = Array.from({ length: n }, (_, i) => wavelength(i, d, base));
    for (const i of pairs)
      line(
        context,
        colour.grid,
        1,
        [
          [2 * r + 10, atY(i)],
          [atX(waves[i]), atY(i)],
        ],
        [2, 3],
      );
    line(
      context,
      colour.blue,
      1.5,
      waves.map((value, i) => [atX(value), atY(i)]),
    );
    line(context, colour.orange, 2, [
      [edge, top - 6],
      [edge, foot],
    ]);
    for (const way of [-1, 1]) // arrowheads: it goes left and right
      line(
        context,
        colour.orange,
        2,
        [-5, 0, 5].map((y) => [edge + way * (y ? 6 : 11), foot - 12 + y]),
      );
    write(
      `context ${grouped(length)}`,
      inside(edge, left + 50, left + wide - 50),
      8,
      "center",
      colour.orange,
      `600 12px ${colour.font}`,
    );
    const roomy = foot - top > 7 * n;
    /** @type {[Iterable<number>, number][]} */
    const dots = [
      [waves.keys(), roomy ? 3 : 0],
      [pairs, 5],
    ];
    for (const [some, size] of dots)
      for (const i of some) {
        if (!size) break;
        const hollow = waves[i] > length;
        Object.assign(context, {
          fillStyle: hollow ? colour.paper : colour.blue,
          strokeStyle: colour.blue,
          lineWidth: 1.5,
        });
        context.beginPath();
        context.arc(atX(waves[i]), atY(i), size, 0, TURN);
        context.fill();
        context.stroke();
      }
    for (const i of pairs) {
      const x = atX(waves[i]),
        near = x > left + wide - 70;
      write(
        positions(waves[i]),
        x + (near ? -11 : 11),
        atY(i),
        near ? "right" : "left",
        colour.ink,
        `600 13px ${colour.font}`,
      );
    }

    // the clocks; the thick part of a rim is what the hand sees within the context
    for (const i of pairs) {
      const dial = { x: at.x, y: atY(i), r },
        omega = frequency(i, d, base);
      const tip = clock(context, colour, dial, position * omega);
      Object.assign(context, { strokeStyle: colour.blue, lineWidth: 3, globalAlpha: 0.45 });
      context.beginPath();
      context.arc(dial.x, dial.y, r, -TURN / 4, -TURN / 4 + Math.min(TURN, (length - 1) * omega));
      context.stroke();
      context.globalAlpha = 1;
      dot(context, colour, ...tip);
    }
    tell(d, base, length, Math.round(position), waves, count);
  }

  function tell(d, base, length, position, waves, count) {
    if (told === (told = [d, base, length, position].join())) return;
    const all = d / 2,
      turn = (length - 1) / waves.at(-1);
    const ratio = all > 1 ? `, ratio ${significant(base ** (2 / d))}.` : ": a single pair.";
    const range = `Wavelengths from **${positions(waves[0])}** to **${positions(waves.at(-1))}**${ratio}`,
      longest = `**${count} of ${all}** ${all === 1 ? "pair" : "pairs"} ${areLonger(count)} than the context`,
      way = turn < 1 ? `turns by ${significant(360 * turn)}°` : `makes ${significant(turn)} turns`;
    reading.replaceChildren(
      element("p", {}, ...bold(`${range} ${longest}; over it the slowest hand ${way}.`)),
      element("p", {}, ...bold(`**Position ${grouped(position)}:** ${turns(position / waves[0])} turns of pair 0.`)),
    );
  }

  canvas.addEventListener("keydown", (event) => {
    const [by, times] = [KEYS[event.key], STEPS[event.key]];
    if (!by && !times) return;
    event.preventDefault();
    if (by) set({ position: Math.round(model.get("position")) + by });
    else set({ base: inside(Number((times * model.get("base")).toPrecision(2)), 2, 1e6) });
  });

  // A hand takes the position with it, the line of the wavelengths the base, and the context its line.
  const dials = () =>
    at.pairs.map((i) => ({
      x: at.x,
      y: at.atY(i),
      r: at.r,
      frequency: frequency(i, model.get("d_model"), model.get("base")),
    }));
  wind(
    canvas,
    dials,
    () => model.get("position"),
    (wanted) => {
      const position = inside(wanted, 0, model.get("length") - 1);
      set({ position });
      return position;
    },
    {
      grab({ x, y }) {
        const [d, base, length] = get(),
          pair = at.pair(y);
        const [aside, beside] = [at.atX(wavelength(pair, d, base)) - x, at.atX(length) - x];
        if (Math.abs(beside) < 16 && (!pair || Math.abs(beside) < Math.abs(aside))) return { off: beside };
        return pair && Math.abs(aside) < 28 ? { pair, off: aside } : undefined;
      },
      move({ pair, off }, { x }) {
        const value = at.value(x + off);
        if (pair) set({ base: inside(Number(baseOf(pair, value, model.get("d_model")).toPrecision(3)), 2, 1e6) });
        else set({ length: inside(Math.round(Number(value.toPrecision(2))), 2, LONGEST) });
      },
    },
  );

  return {
    stop: redrawOn(model, TRAITS, el, canvas, draw),
    parts: {
      clocks: () => ({ x: 0, y: at.top - 4, w: 2 * at.r + 12, h: at.foot - at.top + 4 }),
      line: () => {
        const [d, base] = get(),
          from = at.atX(TURN) - 12,
          to = at.atX(wavelength(d / 2 - 1, d, base)) + 60;
        return { x: from, y: at.top - 2, w: Math.min(to, at.left + at.wide + 12) - from, h: at.foot - at.top };
      },
      context: () => ({ x: at.atX(model.get("length")) - 12, y: 16, w: 24, h: at.foot - 16 }),
    },
  };
}

export const done = {
  main({ d_model, base, length }) {
    const last = wavelength(d_model / 2 - 1, d_model, base);
    return last <= length && last > 0.8 * length
      ? `Found: base ${grouped(base)}. The slowest hand is round after ${grouped(last)} of ${grouped(length)} positions.`
      : "";
  },
  context({ d_model, base, length }) {
    const count = longer(length, d_model, base),
      half = d_model / 4;
    return Math.abs(count - half) <= d_model / 64
      ? `Found: in ${grouped(length)} positions ${count} of ${d_model / 2} hands never come round.`
      : "";
  },
};

export default stage(ABOUT, scene, { done, play: { trait: "position", unit: 120, high: ({ length }) => length - 1 } });
