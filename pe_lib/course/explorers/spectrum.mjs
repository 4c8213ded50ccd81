// The wavelengths of all pairs against the length of a context, and clocks that can be wound.
import { frequency, wavelength } from "./maths.mjs";
import { clock, line, redraw, ticks } from "./draw.mjs";
import { baseSlider, element, fill, grouped, significant, slider, widthSlider } from "./controls.mjs";
import { wind } from "./drag.mjs";

const TRAITS = ["d_model", "base", "length", "position"];
const CLOCKS = 8, BITS = 17, LONGEST = 100_000; // positions below 2¹⁷
const DECADES = 7; // the axis of wavelengths: 1 to 10⁷
const TURN = 2 * Math.PI;

// The pairs that get a clock: at most eight, evenly spread from the first to the last
export function chosen(dModel) {
  const last = dModel / 2 - 1, count = Math.min(CLOCKS, last + 1);
  return Array.from({ length: count }, (_, k) => Math.round((k * last) / Math.max(count - 1, 1)));
}

// How many pairs are longer than the context
export function longer(length, dModel, base) {
  let count = 0;
  for (let i = 0; i < dModel / 2; i++) count += wavelength(i, dModel, base) > length;
  return count;
}

// "1 pair", "4 pairs"
export const many = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

// What is said of `count` of the pairs
export const areLonger = (count) => `${count === 1 ? "is" : "are"} longer`;

const inside = (x, least, most) => Math.min(Math.max(x, least), most);
const positions = (x) => (x < 100 ? x.toFixed(2) : grouped(x));

function render({ model, el }) {
  const get = () => TRAITS.map((name) => model.get(name));

  // A shorter context takes the position with it.
  function set(changes) {
    const length = changes.length ?? model.get("length");
    const position = inside(changes.position ?? model.get("position"), 0, length - 1);
    model.set({ ...changes, position });
    model.save_changes();
  }

  const sliders = [
    widthSlider(model), baseSlider(model, 3),
    slider(model, { name: "length", label: "context", min: 2, max: () => 34, text: grouped, unit: "positions",
                    value: (step) => Math.min(Math.round(2 ** (step / 2)), LONGEST),
                    step: (length) => (length === LONGEST ? 34 : Math.min(2 * Math.log2(length), 33)) }),
    slider(model, { name: "position", label: "position", min: 0, max: () => model.get("length") - 1,
                    text: grouped }),
  ];
  const spectrum = element("canvas", { class: "ex-spectrum", role: "img" });
  const strip = element("div", { class: "ex-strip", "aria-hidden": "true" }); // the line, for the hand
  const chart = element("div", { class: "ex-chart" }, spectrum, strip);
  const faces = element("canvas", { class: "ex-faces", "aria-hidden": "true" });
  const clocks = Array.from({ length: CLOCKS }, (_, k) => windable(k));
  const row = element("div", { class: "ex-clocks", role: "group", "aria-label": "Clocks. Arrow keys turn "
    + "one by a sixtieth, Page Up and Page Down by a quarter; Home and End go to the ends of the context." },
    faces, ...clocks.map((c) => c.node));
  const wheels = (count) => Array.from({ length: count }, () => element("b"));
  const decimal = wheels(5), binary = wheels(BITS);
  const odometer = element("div", { class: "ex-odometer", role: "img" },
    element("span", { class: "ex-wheels" }, ...decimal, element("small", {}, "decimal")),
    element("span", { class: "ex-wheels" }, ...binary, element("small", {}, "binary")));
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)),
    chart, row, odometer, reading);

  // --- the line of the context, which can be dragged up and down
  let box = { x: 0, y: 0, w: 1, h: 1 };
  const atY = (value) => box.y + box.h * (1 - Math.log10(value) / DECADES);
  let grip; // how far above the line it was taken
  strip.addEventListener("pointerdown", (event) => {
    strip.setPointerCapture(event.pointerId);
    grip = event.clientY - chart.getBoundingClientRect().top - atY(model.get("length"));
  });
  strip.addEventListener("pointermove", (event) => {
    if (grip === undefined) return;
    const y = event.clientY - chart.getBoundingClientRect().top - grip;
    const length = 10 ** (DECADES * (1 - (y - box.y) / box.h));
    set({ length: inside(Math.round(Number(length.toPrecision(2))), 2, LONGEST) });
  });
  for (const end of ["pointerup", "pointercancel"])
    strip.addEventListener(end, () => { grip = undefined; });

  // --- a clock, whose hand takes the position with it
  function windable(k) {
    const name = element("span", { class: "ex-name", "aria-hidden": "true" });
    const wave = element("span", { class: "ex-wave", "aria-hidden": "true" });
    const dial = element("div", { class: "ex-dial" }); // for the hand; the canvas draws it
    const node = element("div", { class: "ex-clock", role: "slider", tabindex: 0, "aria-valuemin": 0 },
      dial, name, wave);
    const speed = () => frequency(chosen(model.get("d_model"))[k], model.get("d_model"), model.get("base"));
    let held; // the position, not yet rounded, while the hand is held
    const follow = (event) => {
      const at = dial.getBoundingClientRect();
      const x = event.clientX - at.left - at.width / 2, y = event.clientY - at.top - at.height / 2;
      if (Math.hypot(x, y) < 4) return; // the middle points nowhere
      const turn = Math.atan2(x, -y) - held * speed();
      held += (turn - TURN * Math.round(turn / TURN)) / speed();
      held = inside(held, 0, model.get("length") - 1);
      set({ position: Math.round(held) });
    };
    dial.addEventListener("pointerdown", (event) => {
      dial.setPointerCapture(event.pointerId);
      held = model.get("position");
      follow(event);
    });
    dial.addEventListener("pointermove", (event) => { if (held !== undefined) follow(event); });
    for (const end of ["pointerup", "pointercancel"])
      dial.addEventListener(end, () => { held = undefined; });
    node.addEventListener("keydown", (event) => {
      const part = (turns) => Math.max(1, Math.round((turns * TURN) / speed()));
      const by = { ArrowRight: part(1 / 60), ArrowUp: part(1 / 60), ArrowLeft: -part(1 / 60),
                   ArrowDown: -part(1 / 60), PageUp: part(1 / 4), PageDown: -part(1 / 4),
                   Home: -Infinity, End: Infinity }[event.key];
      if (!by) return;
      event.preventDefault();
      set({ position: model.get("position") + by });
    });
    return { node, name, wave };
  }

  // Where a clock lies in a column of this width
  const face = (width) => ({ x: width / 2, y: 46, r: Math.min(38, width / 2 - 6) });

  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };
  const say = (node, name, text) => { if (node.getAttribute(name) !== String(text)) node.setAttribute(name, text); };

  function drawSpectrum(context, { width, height }, colour) {
    const [d, base, length] = get();
    box = { x: 74, y: 10, w: width - 74 - 16, h: height - 10 - 34 };
    const n = d / 2, with_clock = chosen(d);
    const atX = (i) => box.x + (n > 1 ? (i / (n - 1)) * box.w : box.w / 2);
    const label = (text, x, y, align) => { context.textAlign = align; context.fillText(text, x, y); };

    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";
    context.fillStyle = colour.muted;
    for (let decade = 0; decade <= DECADES; decade++) {
      const y = atY(10 ** decade);
      line(context, colour.grid, 1, [[box.x - 8, y], [box.x + box.w + 8, y]]);
      if (decade < DECADES) label(decade < 6 ? grouped(10 ** decade) : "1 million", box.x - 12, y, "right");
    }
    for (const i of ticks(n, box.w / 40)) label(i, atX(i), box.y + box.h + 12, "center");
    label("wavelength in positions ↑  pair →", box.x - 8, box.y + box.h + 27, "left");

    // what lies above the line does not come back within the context
    const y = atY(length), count = longer(length, d, base);
    context.globalAlpha = 0.1;
    context.fillStyle = colour.orange;
    context.fillRect(box.x - 8, box.y, box.w + 16, y - box.y);
    context.globalAlpha = 1;
    line(context, colour.orange, 2, [[box.x - 8, y], [box.x + box.w + 8, y]]);
    for (const way of [-1, 1]) // arrowheads: it goes up and down
      line(context, colour.orange, 2, [-5, 0, 5].map((x) => [box.x + box.w * 0.93 + x, y + way * (x ? 5 : 10)]));

    context.fillStyle = colour.ink;
    label(`${count} of ${n} ${areLonger(count)}`, box.x, box.y + 14, "left");
    label(`context: ${grouped(length)}`, box.x, y - 11, "left");

    // one dot a pair: hollow if longer than the context, or thin where there is no room for that;
    // over these the larger dots of the pairs with a clock
    const roomy = box.w / n > 7, all = Array.from({ length: n }, (_, i) => i);
    for (const [hollow, some, r] of [[false, all, roomy ? 3 : 2], [true, all, roomy ? 3 : 0.75],
                                     [false, with_clock, 5], [true, with_clock, 5]]) {
      context.beginPath();
      for (const i of some) {
        const value = wavelength(i, d, base);
        if (value > length !== hollow) continue;
        context.moveTo(atX(i) + r, atY(value));
        context.arc(atX(i), atY(value), r, 0, TURN);
      }
      Object.assign(context, { fillStyle: hollow && r > 1 ? colour.paper : colour.blue, strokeStyle: colour.blue });
      context.lineWidth = r > 1 ? 1.5 : 0.5;
      context.fill();
      context.stroke();
    }

    strip.style.top = `${y - 22}px`;
    read(d, base, length, count);
  }

  function drawClocks(context, { width }, colour) {
    const [d, base, length, position] = get(), pairs = chosen(d), n = pairs.length;
    if (position >= length) return set({});
    for (const s of sliders) s.refresh();
    const columns = width > 500 ? n : n > 4 ? 4 : Math.min(n, 2); // on a phone in two rows
    say(row, "style", `grid-template-columns: repeat(${columns}, 1fr)`);
    pairs.forEach((i, k) => {
      const column = width / columns, { x, y, r } = face(column), omega = frequency(i, d, base);
      const at = { x: x + (k % columns) * column, y: y + Math.floor(k / columns) * 132, r };
      const tip = clock(context, colour, at, position * omega);
      // the part of the dial that the context uses
      Object.assign(context, { strokeStyle: colour.blue, lineWidth: 3 });
      context.beginPath();
      context.arc(at.x, at.y, r, -TURN / 4, -TURN / 4 + Math.min(TURN, (length - 1) * omega));
      context.stroke();
      context.fillStyle = colour.blue;
      context.beginPath();
      context.arc(...tip, 4, 0, TURN);
      context.arc(at.x, at.y, 2.5, 0, TURN);
      context.fill();
    });
    tell(d, base, length, position);
  }

  // The clocks and the position, in words and digits
  function tell(d, base, length, position) {
    const pairs = chosen(d);
    clocks.forEach(({ node, name, wave }, k) => {
      node.hidden = k >= pairs.length;
      if (node.hidden) return;
      const value = wavelength(pairs[k], d, base), turns = position / value;
      put(name, `pair ${pairs[k]}`);
      put(wave, positions(value));
      say(node, "aria-label", `Clock of pair ${pairs[k]}`);
      say(node, "aria-valuemax", length - 1);
      say(node, "aria-valuenow", position);
      say(node, "aria-valuetext", `hand at ${many(Math.floor(360 * (turns % 1)), "degree")} after `
        + `${many(Math.floor(turns), "whole turn")}, wavelength ${positions(value)} positions`);
    });
    for (const [digits, radix] of [[decimal, 10], [binary, 2]]) {
      const shown = position.toString(radix), zeros = digits.length - shown.length;
      digits.forEach((digit, k) => {
        put(digit, k < zeros ? "0" : shown[k - zeros]);
        digit.classList.toggle("ex-idle", k < zeros);
      });
    }
    say(odometer, "aria-label", `Position ${position}, in binary ${position.toString(2)}`);
  }

  // The spectrum, in words
  function read(d, base, length, count) {
    const first = wavelength(0, d, base), last = wavelength(d / 2 - 1, d, base), n = d / 2;
    say(spectrum, "aria-label", (n > 1 ? `The wavelengths of ${n} pairs rise in a straight line on a logarithmic scale`
      : "The wavelength of a single pair on a logarithmic scale")
      + `; the horizontal line is the context of ${grouped(length)} positions.`);
    const turn = (length - 1) / last;
    reading.replaceChildren(
      element("p", {}, "Wavelengths from ", element("b", {}, positions(first)), " to ",
        element("b", {}, positions(last)),
        n > 1 ? `, each ${significant(base ** (2 / d))} times the one before.` : ": a single pair."),
      element("p", {}, element("b", {}, `${count} of ${n}`), ` pair${n > 1 ? "s" : ""} ${areLonger(count)} than the `
        + `context of ${grouped(length)}. Over it the slowest hand `
        + (turn < 1 ? `turns by ${significant(360 * turn)}°.` : `makes ${significant(turn)} turns.`)));
  }

  const [scheduleSpectrum, stopSpectrum] = redraw(el, spectrum, drawSpectrum);
  const [scheduleClocks, stopClocks] = redraw(el, faces, drawClocks);
  const both = () => { scheduleSpectrum(); scheduleClocks(); };
  const schedule = (name) => (name === "position" ? scheduleClocks : both);
  for (const name of TRAITS) model.on(`change:${name}`, schedule(name));
  return () => {
    stopSpectrum();
    stopClocks();
    for (const name of TRAITS) model.off(`change:${name}`, schedule(name));
  };
}

export default { render };
