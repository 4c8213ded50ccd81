// The chord between the hands of two positions: its length knows the offset, and nothing else.
/* global ABOUT */
import { clamp, frequency } from "../maths.mjs";
import { dot, line, redrawOn } from "../frame/draw.mjs";
import { bold, decimals, element, fill, significant, slider } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";
import { hands, place, taken, tip, wound } from "../turns.mjs";

const TRAITS = ["pair", "position", "offset"];
const WIDTH = 16,
  REACH = 20,
  LAST = 100,
  BASE = 10_000; // as in chord.py
const LIMITS = { pair: [0, WIDTH / 2 - 1], position: [0, LAST], offset: [0, REACH] };
const KEYS = {
  ArrowLeft: ["offset", -1],
  ArrowRight: ["offset", 1],
  ArrowDown: ["position", -1],
  ArrowUp: ["position", 1],
  PageDown: ["pair", -1],
  PageUp: ["pair", 1],
};

export const speed = (pair) => frequency(pair, WIDTH, BASE);

// Half the chord is opposite half the angle: 2 |sin(ωk / 2)|
export const chord = (pair, offset) => 2 * Math.abs(Math.sin((speed(pair) * offset) / 2));

// Where things stand: the clock, and a curve in which 1 is as long as the clock's radius
export function layout(width, height) {
  if (width < 560) {
    const r = (height - 110) / 4,
      y = r + 24;
    return { dial: { x: width / 2, y, r }, plot: { x: 30, w: width - 42, base: y + 3 * r + 46 } };
  }
  const r = (height - 60) / 2,
    y = r + 22;
  return { dial: { x: r + 42, y, r }, plot: { x: 2 * r + 142, w: width - 2 * r - 156, base: y + r } };
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const put = (name, value) => {
    model.set(name, clamp(value, ...LIMITS[name]));
    model.save_changes();
  };
  const sliders = [
    slider(model, { name: "offset", label: "offset", min: 0, max: () => REACH, text: place }),
    slider(model, { name: "position", label: "position", min: 0, max: () => LAST, text: place }),
    slider(model, { name: "pair", label: "pair", min: 0, max: () => WIDTH / 2 - 1 }),
  ];
  const canvas = element("canvas", {
    class: "ex-canvas ex-chord",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "clock and curve",
    "aria-label":
      "A clock with the hands of two positions, the chord between their tips, and the curve of its length " +
      "against the offset. Left and right arrow change the offset, up and down the position, Page Up and Page Down the pair.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, canvas, reading, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)));

  let shown = layout(680, 300);
  const along = (k) => shown.plot.x + (k / REACH) * shown.plot.w,
    up = (v) => shown.plot.base - v * shown.dial.r;

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const [pair, position, offset] = TRAITS.map((name) => model.get(name)),
      omega = speed(pair);
    for (const each of sliders) each.refresh();
    shown = layout(width, height);
    const { dial, plot } = shown,
      here = position * omega,
      there = (position + offset) * omega,
      length = chord(pair, offset);
    Object.assign(dial, { frequency: omega, here, there });
    context.textBaseline = "middle";
    const label = (text, x, y, align = "center", style = colour.muted, font = "12px") => {
      Object.assign(context, { fillStyle: style, textAlign: align, font: `${font} ${colour.font}` });
      context.fillText(text, x, y);
    };

    // The clock, the steps between the two hands as marks on its rim, and half the angle
    const ends = [here, there].map((angle) => tip(dial, angle));
    hands(context, colour, dial, here, there);
    context.fillStyle = colour.orange;
    for (let k = 1; k < offset; k++) {
      const [x, y] = tip(dial, here + k * omega);
      context.beginPath();
      context.arc(x, y, 2, 0, 2 * Math.PI);
      context.fill();
    }
    const foot = ends[0].map((v, n) => (v + ends[1][n]) / 2);
    line(context, colour.muted, 1, [[dial.x, dial.y], foot], [2, 3]);
    line(context, colour.ink, 4, ends);
    for (const end of ends) dot(context, colour, ...end);
    for (const [t, angle, ink] of [
      [position, here, colour.blue],
      [position + offset, there, colour.orange],
    ]) {
      const crowded = Math.abs(Math.sin((here - there) / 2)) < 0.12; // names on top of each other
      if (crowded && t !== position && offset > 0) continue;
      const [x, y] = tip({ ...dial, r: dial.r + 15 }, angle);
      label(
        crowded && offset > 0 ? `${place(position)}, ${place(position + offset)}` : place(t),
        x,
        y,
        "center",
        ink,
        "600 13px",
      );
    }

    // The curve that the chord writes: it stands in it, as long as it is
    for (const v of [0, 1, 2]) {
      line(context, colour.grid, 1, [
        [plot.x, up(v)],
        [plot.x + plot.w, up(v)],
      ]);
      label(v, plot.x - 8, up(v), "right");
    }
    for (const k of [0, 5, 10, 15, 20]) label(k, along(k), plot.base + 14);
    label("offset", plot.x + plot.w, plot.base + 30, "right");
    label("length of the chord", plot.x, up(2) - 12, "left");
    const curve = (to) =>
      Array.from({ length: 161 }, (_, n) => (n * to) / 160).map((k) => [along(k), up(chord(pair, k))]);
    line(context, colour.muted, 1, curve(REACH));
    if (offset > 0) line(context, colour.blue, 2.5, curve(offset));
    line(context, colour.ink, 4, [
      [along(offset), up(0)],
      [along(offset), up(length)],
    ]);
    dot(context, colour, along(offset), up(length));
    const beyond = offset > 0.8 * REACH;
    label(
      decimals(length, 3),
      along(offset) + (beyond ? -10 : 10),
      up(length / 2),
      beyond ? "right" : "left",
      colour.ink,
      "600 14px",
    );

    const angle = omega * offset,
      where = `**Positions ${place(position)} and ${place(position + offset)}, pair ${pair}:**`,
      tips = `chord 2 |sin ${significant(angle / 2)}| = ${decimals(length)}`,
      step = `One step is ${decimals(chord(pair, 1))}.`;
    const said = `${where} ${significant(angle)} radians apart, ${tips}. ${step}`;
    reading.replaceChildren(element("p", {}, ...bold(said)));
  }

  canvas.addEventListener("keydown", (event) => {
    const [name, by] = KEYS[event.key] ?? [];
    if (!name) return;
    event.preventDefault();
    put(name, Math.round(model.get(name)) + by);
  });
  // The second hand takes the offset along, the first one both; the curve is pointed at
  drag(canvas, {
    grab(point) {
      const hand = taken([shown.dial], point);
      if (hand) {
        hand.name = hand.hand === "there" ? "offset" : "position";
        return { ...hand, value: model.get(hand.name) };
      }
      return point.y > up(2) - 10 && point.x > shown.plot.x - 10 ? { name: "offset" } : undefined;
    },
    move(held, point) {
      if (!held.dial) return put("offset", ((point.x - shown.plot.x) / shown.plot.w) * REACH);
      held.value = clamp(held.value + wound(held, point), ...LIMITS[held.name]);
      put(held.name, held.value);
    },
    drop: ({ name }) => put(name, Math.round(model.get(name))),
  });

  const box = ({ x, y, r }) => ({ x: x - r, y: y - r, w: 2 * r, h: 2 * r });
  return {
    stop: redrawOn(model, TRAITS, el, canvas, draw),
    parts: {
      clock: () => box(shown.dial),
      curve: () => ({ x: shown.plot.x, y: up(2), w: shown.plot.w, h: 2 * shown.dial.r }),
    },
  };
}

export const done = {
  main({ pair, offset }) {
    const k = Math.round(offset),
      found = pair === 0 && offset === k && k > 1 && chord(0, k) < chord(0, 1);
    return found
      ? `Found: ${k} positions apart the hands are ${decimals(chord(0, k), 2)} apart, neighbours ${decimals(chord(0, 1), 2)}.`
      : "";
  },
};

export default stage(ABOUT, scene, { done, play: { trait: "offset", unit: 350 } });
