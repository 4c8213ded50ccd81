// A binary counter: a clock over each digit, and its shadow on the paper below. Square clocks write
// square waves, which are the digits; rounded off, they write sines.
/* global ABOUT */
import { dark, dot, line, paint, redrawOn } from "./draw.mjs";
import { bold, decimals, element, fill, slider } from "./controls.mjs";
import { wind } from "./drag.mjs";
import { stage } from "./stage.mjs";

const BITS = [3, 2, 1, 0],
  LAST = 15; // the highest bit first, as numbers are written
const KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };

// The hand of bit b turns once in 2^(b+1) positions. It stands at t + ½ of them: at no whole t
// straight up or down.
export const angle = (t, bit) => (2 * Math.PI * (t + 0.5)) / 2 ** (bit + 1);

// The digit at t, or of the whole number nearest to it
export const digit = (t, bit) => (Math.floor(t + 0.5) >> bit) & 1;

// A sine or cosine when the clock is a circle (roundness 1), a square (0) or between: its sign stays
export function rounded(value, roundness) {
  const size = Math.abs(value);
  return size < 1e-12 ? 0 : Math.sign(value) * size ** roundness; // sin π is 0, not 1.2e-16
}

// Where a wave can be pulled into shape: not at its tops, which all of them share, nor where it is 0
export const pliable = (sine) => Math.abs(sine) > 0.02 && Math.abs(sine) < 0.98;

// The roundness with which a sine that is pliable becomes `wanted`, or the nearest that there is
export function roundnessFor(sine, wanted) {
  const shown = Math.min(Math.max(wanted * Math.sign(sine), 1e-3), 1);
  return Math.min(Math.log(shown) / Math.log(Math.abs(sine)), 1);
}

// How far right the hand of a bit reaches at t
export const shadow = (t, bit, roundness) => rounded(Math.sin(angle(t, bit)), roundness);

// By how much the shadow of a bit moves from a whole number to the next
export const leap = (t, bit, roundness) => Math.abs(shadow(t + 1, bit, roundness) - shadow(t, bit, roundness));

// The places at which a wave is drawn, from −½ to `to`; just before and after each edge of a square one
const written = (to) =>
  Array.from(
    { length: 16 * (LAST + 1) },
    (_, n) => Math.floor(n / 16) - 0.5 + Math.min(Math.max((n % 16) / 15, 1e-9), 1 - 1e-9),
  )
    .filter((s) => s < to)
    .concat(to);

// Where things stand in a canvas of this size: digits in cells, to their right clocks over waves
export function layout(width, height) {
  const left = 26,
    column = (width - left) / 4,
    cell = Math.min(Math.max(0.24 * column, 18), 28);
  const r = Math.min((column - cell) / 2 - 9, 40),
    dials = 20 + r,
    paper = dials + r + 14;
  return {
    left,
    cell,
    r,
    dials,
    paper,
    step: (height - paper - 1) / (LAST + 1),
    digits: (k) => left + k * column,
    middle: (k) => left + k * column + (column + cell) / 2 + 1,
  };
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const inside = (t) => Math.min(Math.max(t, 0), LAST);
  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const place = (t) => set("position", inside(t));
  const controls = [
    slider(model, {
      name: "position",
      label: "position",
      min: 0,
      max: () => LAST,
      step: Math.round,
      text: (t) => (Number.isInteger(t) ? String(t) : decimals(t, 1)),
    }),
    slider(model, {
      name: "roundness",
      label: "roundness",
      min: 0,
      max: () => 100,
      value: (n) => n / 100,
      step: (v) => 100 * v,
      text: (v) => `${Math.round(100 * v)}%`,
    }),
  ];
  const canvas = element("canvas", {
    class: "ex-canvas ex-counter",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "counter",
    "aria-label":
      "Four binary digits in rows, one row a number. Over each column a clock, below it the shadow of its hand. " +
      "The arrow keys move by a row.",
  });
  const reading = element("div", { class: "ex-reading" });
  fill(el, canvas, element("div", { class: "ex-controls" }, ...controls.map((c) => c.row)), reading);

  const one = new Uint32Array(1);
  const shade = (value) => {
    paint([value], one);
    return `rgb(${one[0] & 255} ${(one[0] >> 8) & 255} ${(one[0] >> 16) & 255})`;
  };
  const rim = Array.from({ length: 65 }, (_, n) => (n * Math.PI) / 32).map((a) => [Math.sin(a), Math.cos(a)]);
  let at = layout(680, 400);
  const y = (t) => at.paper + (t + 0.5) * at.step;

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const t = model.get("position"),
      roundness = model.get("roundness"),
      now = Math.floor(t + 0.5);
    at = layout(width, height);
    for (const control of controls) control.refresh();
    const bend = (point) => point.map((value) => rounded(value, roundness));
    Object.assign(context, { textAlign: "center", textBaseline: "middle" });

    BITS.forEach((bit, k) => {
      const x = at.middle(k),
        tip = bend([Math.sin(angle(t, bit)), Math.cos(angle(t, bit))]);
      const on = ([right, up]) => [x + at.r * right, at.dials - at.r * up];
      context.font = `12px ${colour.font}`;
      context.fillStyle = colour.muted;
      context.fillText(`every ${2 << bit}`, x, 8);
      line(
        context,
        colour.grid,
        1.5,
        rim.map((point) => on(bend(point))),
      );
      line(context, colour.grid, 1, [on([0, -1]), on([0, 1])]);
      line(context, colour.blue, 2.5, [[x, at.dials], on(tip)]);

      // the wave on the whole paper, and what of it is written
      const wave = (to) => written(to).map((s) => [x + at.r * shadow(s, bit, roundness), y(s)]);
      line(context, colour.grid, 1, [
        [x, at.paper],
        [x, y(LAST + 0.5)],
      ]);
      line(context, colour.grid, 1.5, wave(LAST + 0.5));
      line(context, colour.blue, 2, wave(t));
      line(context, colour.muted, 1, [on(tip), [on(tip)[0], y(t)]], [2, 3]);
      dot(context, colour, ...on(tip));
      dot(context, colour, on(tip)[0], y(t));

      context.font = `600 12px ${colour.font}`;
      for (let n = 0; n <= now; n++) {
        const value = shadow(n, bit, roundness);
        context.fillStyle = shade(value);
        context.fillRect(at.digits(k), y(n - 0.5) + 0.5, at.cell, at.step - 1);
        context.fillStyle = dark(value) ? "#fefefe" : "#010101";
        context.fillText(String(digit(n, bit)), at.digits(k) + at.cell / 2, y(n));
      }
      context.font = `600 22px ${colour.font}`;
      context.fillStyle = colour.ink;
      context.fillText(String(digit(t, bit)), at.digits(k) + at.cell / 2, at.dials);
    });

    context.textAlign = "right";
    for (let n = 0; n <= LAST; n++) {
      context.font = `${n === now ? "600 " : ""}12px ${colour.font}`;
      context.fillStyle = n === now ? colour.ink : colour.muted;
      context.fillText(String(n), at.left - 7, y(n));
    }
    Object.assign(context, { strokeStyle: colour.ink, lineWidth: 1.5 });
    context.strokeRect(1, y(now - 0.5), width - 2, at.step);
    tell(t, now);
  }

  let told = "";
  function tell(t, now) {
    const sines = BITS.map((bit) => decimals(Math.sin(angle(t, bit)), 2)).join(", ");
    if (told === (told = [now, sines].join())) return;
    reading.replaceChildren(
      element(
        "p",
        { class: "ex-formula" },
        ...bold(
          `**${now} is ${now.toString(2).padStart(4, "0")}:** a digit is 1 where its hand points left. Sines: ${sines}.`,
        ),
      ),
    );
  }

  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    place(Math.round(model.get("position")) + KEYS[event.key]);
  });
  // The clocks are wound. On the paper a wave is pulled into shape where it is touched, and beside
  // the waves a row is pointed at.
  const dials = () =>
    BITS.map((bit, k) => ({
      x: at.middle(k),
      y: at.dials,
      r: at.r,
      frequency: angle(1, bit) - angle(0, bit),
      start: angle(0, bit),
    }));
  const row = (py) => (py - at.paper) / at.step - 0.5;
  wind(
    canvas,
    dials,
    () => model.get("position"),
    (t) => {
      place(t);
      return inside(t);
    },
    {
      grab({ x, y: py }) {
        if (py < at.paper) return undefined;
        const t = inside(row(py)),
          off = (k) => x - at.middle(k) - at.r * shadow(t, BITS[k], model.get("roundness"));
        const k = BITS.findIndex((bit, n) => Math.abs(off(n)) < 12 && pliable(Math.sin(angle(t, bit))));
        return k < 0 ? {} : { k, from: at.middle(k) + off(k), sine: Math.sin(angle(t, BITS[k])) };
      },
      move({ k, from, sine }, { x, y: py }) {
        if (k === undefined) place(row(py));
        else set("roundness", roundnessFor(sine, (x - from) / at.r));
      },
    },
  );

  const stop = redrawOn(model, ["position", "roundness"], el, canvas, draw);
  const column = (y0, y1, from, to) => ({ x: from, y: y0, w: to - from, h: y1 - y0 });
  return {
    stop,
    parts: {
      digits: () => column(at.paper, y(LAST + 0.5), at.digits(3), at.digits(3) + at.cell),
      clock: () => column(at.dials - at.r, at.dials + at.r, at.digits(1), at.middle(1) + at.r),
      wave: () => column(at.paper, y(LAST + 0.5), at.middle(1) - at.r, at.middle(1) + at.r),
      clocks: () => column(at.dials - at.r, at.dials + at.r, at.middle(0) - at.r, at.middle(3) + at.r),
      row: () => column(y(model.get("position") - 0.5), y(model.get("position") + 0.5), 0, canvas.clientWidth),
    },
  };
}

// All four digits flip from 7 to 8; round clocks say so with less of a jump
export const done = {
  main: ({ position, roundness }) =>
    roundness > 0.95 && Math.round(position) === 7
      ? `Found: from 7 to 8 all four digits flip, and yet the slowest shadow moves by ${decimals(leap(7, 3, 1), 2)} only, not by 2.`
      : "",
  sign: ({ position }) =>
    Math.abs(position - 8) < 0.25
      ? "Found: 8 is 1000. Of the four sines only that of the slowest hand is negative."
      : "",
};

export default stage(ABOUT, scene, { done, play: { trait: "position", unit: 700 } });
