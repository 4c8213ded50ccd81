// The hands of a position, printed to some decimals, and the positions that would print the same.
import { entry, frequency } from "./maths.mjs";
import { clock, dot, line, redrawOn, ticks } from "./draw.mjs";
import { checkbox, decimals, element, fill, slider } from "./controls.mjs";
import { wind } from "./drag.mjs";

const TRAITS = ["positions", "position", "digits", "read", "cosines"], BASE = 10_000;
const KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10,
               Home: -Infinity, End: Infinity };

// The positions below `positions` whose pair prints as that of `position` does
export function agreeing(pair, position, positions, d, digits, cosines) {
  const atol = 0.5 * 10 ** -digits, dims = cosines ? [2 * pair, 2 * pair + 1] : [2 * pair];
  const printed = dims.map((dim) => Number(entry(position, dim, d, BASE).toFixed(digits)));
  return Array.from({ length: positions }, (_, k) => k).filter((k) =>
    dims.every((dim, n) => Math.abs(entry(k, dim, d, BASE) - printed[n]) <= atol));
}

function render({ model, el }) {
  const d = model.get("d_model"), pairs = Array.from({ length: d / 2 }, (_, i) => i);
  const set = (name, value) => { model.set(name, value); model.save_changes(); };
  const inside = (k) => Math.min(Math.max(k, 0), model.get("positions") - 1);
  const place = (k) => set("position", inside(k));

  const sliders = [
    slider(model, { name: "position", label: "position", min: 0, max: () => model.get("positions") - 1 }),
    slider(model, { name: "digits", label: "decimals", min: 1, max: () => 6 }),
    slider(model, { name: "positions", label: "below", min: 10, max: () => 1000, unit: "positions" }),
  ];
  const checks = [
    ...pairs.map((i) => checkbox(`pair ${i}`, () => model.get("read").includes(i), (on) =>
      set("read", pairs.filter((j) => (j === i ? on : model.get("read").includes(j)))))),
    checkbox("cosines too", () => model.get("cosines"), (on) => set("cosines", on)),
  ];
  const canvas = element("canvas", {
    class: "ex-canvas ex-phase", tabindex: 0, role: "application", "aria-roledescription": "clocks",
    "aria-label": "The hands of the position, and below them the positions that agree with each pair. "
      + "The arrow keys move the position by one, Page Up and Page Down by ten.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)),
    element("div", { class: "ex-choices", role: "group", "aria-label": "What is read" },
      element("span", {}, "read the sines of"), ...checks.map((c) => c.row)), canvas, reading);

  let dials = [], found = [], computed = "";

  // Which positions agree with each pair; renewed only when an input changes
  function compare(position, positions, digits, cosines) {
    if (computed === (computed = [position, positions, digits, cosines].join())) return;
    found = pairs.map((i) => agreeing(i, position, positions, d, digits, cosines));
  }

  function draw(context, { width, height }, colour) {
    const [positions, position, digits, read, cosines] = TRAITS.map((name) => model.get(name));
    if (position >= positions) return place(position);
    for (const part of [...sliders, ...checks]) part.refresh();
    compare(position, positions, digits, cosines);

    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";
    const label = (text, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };

    // A clock a pair. What its printed sine leaves open is the mirrored hand.
    const r = Math.min(42, width / pairs.length / 2 - 10);
    dials = pairs.map((i) => ({ x: (width * (i + 0.5)) / pairs.length, y: r + 8, r, frequency: frequency(i, d, BASE) }));
    pairs.forEach((i) => {
      const dial = dials[i], angle = position * dial.frequency, on = read.includes(i);
      if (on && !cosines) {
        const x = dial.x + r * Math.sin(angle), up = r * Math.cos(angle);
        line(context, colour.muted, 1, [[x, dial.y - Math.abs(up) - 5], [x, dial.y + Math.abs(up) + 5]], [3, 3]);
        line(context, colour.muted, 1.5, [[dial.x, dial.y], [x, dial.y + up]], [2, 3]);
      }
      const tip = clock(context, colour, dial, angle, on ? colour.blue : colour.grid);
      if (on) dot(context, colour, ...tip);
      label(`pair ${i}`, dial.x, dial.y + r + 14, "center", on ? colour.ink : colour.muted);
    });

    // A row a pair that is read, and one for all: a stroke where a position agrees
    const top = 2 * r + 40, left = 58, right = width - 8;
    const tall = Math.min(30, (height - top - 30) / (pairs.length + 1));
    const at = (k) => Math.floor(left + ((k + 0.5) / positions) * (right - left)) + 0.5; // sharp strokes
    const stroke = (row, list, style, weight) => {
      Object.assign(context, { strokeStyle: style, lineWidth: weight });
      context.beginPath();
      for (const k of list) {
        context.moveTo(at(k), top + row * tall + 4);
        context.lineTo(at(k), top + (row + 1) * tall - 4);
      }
      context.stroke();
    };
    pairs.forEach((i) => {
      const on = read.includes(i);
      label(on ? `pair ${i}` : `(pair ${i})`, left - 8, top + (i + 0.5) * tall, "right");
      if (on) stroke(i, found[i], colour.blue, 1);
      else line(context, colour.grid, 1, [[left, top + (i + 0.5) * tall], [right, top + (i + 0.5) * tall]], [2, 4]);
    });
    const all = Array.from({ length: positions }, (_, k) => k)
      .filter((k) => read.every((i) => found[i].includes(k)));
    label("all", left - 8, top + (pairs.length + 0.5) * tall, "right", colour.ink);
    stroke(pairs.length, all, colour.ink, 2);
    const base = top + (pairs.length + 1) * tall;
    line(context, colour.muted, 1, [[left, base], [right, base]]);
    for (const k of ticks(positions, (right - left) / 44)) label(k, at(k), base + 18, "center");
    const x = at(position);
    context.fillStyle = colour.orange;
    context.beginPath();
    for (const [dx, dy] of [[0, 1], [-5, 10], [5, 10]]) context.lineTo(x + dx, base + dy);
    context.fill();
    tell(position, positions, digits, read, cosines, all);
  }

  function tell(position, positions, digits, read, cosines, all) {
    const printed = read.map((i) => {
      const value = (dim) => decimals(entry(position, dim, d, BASE), digits);
      return `pair ${i} reads ${cosines ? `(${value(2 * i)}, ${value(2 * i + 1)})` : value(2 * i)}`;
    });
    const shown = all.slice(0, 10).join(", ") + (all.length > 10 ? ", …" : "");
    const verdict = all.length === 1 ? "Only one position below " : `${all.length} positions below `;
    reading.replaceChildren(
      element("p", {}, element("b", {}, `Position ${position}: `),
        `${printed.join("; ") || "nothing is read"}.`),
      element("p", {}, element("b", {}, `${verdict}${positions} ${all.length === 1 ? "agrees" : "agree"}: `), shown));
  }

  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    place(model.get("position") + KEYS[event.key]);
  });
  wind(canvas, () => dials, () => model.get("position"), (wanted) => {
    place(Math.round(inside(wanted)));
    return inside(wanted);
  });

  return redrawOn(model, TRAITS, el, canvas, draw);
}

export default { render };
