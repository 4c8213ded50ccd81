// Frequencies slowed for longer texts: the wavelengths of all pairs, and a score that was fitted.
import { frequency } from "./maths.mjs";
import { dot, line, redrawOn } from "./draw.mjs";
import { choice, element, fill, grouped, significant, slider } from "./controls.mjs";

const TRAITS = ["method", "factor", "pair", "score"];
const D_HEAD = 128, PAIRS = D_HEAD / 2, TRAINED = 2048, SAMPLES = 256, MOST = 16; // as in context.py
const TURN = 2 * Math.PI, ALPHA = 1, BETA = 32;
const DECADES = 6, POWERS = 4; // wavelengths to 10⁶, scores to ±10⁴
const METHODS = [["none", "none"], ["interpolation", "interpolation"], ["ntk", "NTK-aware"],
                 ["dynamic", "dynamic"], ["yarn", "YaRN"]];
const plain = Array.from({ length: PAIRS }, (_, i) => frequency(i, D_HEAD, 10_000));

// The frequencies of a text `s` times as long
export function scaled(method, s) {
  return plain.map((w, i) => {
    if (method === "interpolation") return w / s;
    if (method === "ntk" || method === "dynamic") return w / s ** (i / (PAIRS - 1));
    if (method === "none") return w;
    const r = (TRAINED * w) / TURN, g = (Math.min(Math.max(r, ALPHA), BETA) - ALPHA) / (BETA - ALPHA);
    return ((1 - g) * w) / s + g * w;
  });
}

export const offsets = (s) => Array.from({ length: SAMPLES + 1 }, (_, k) => (k * s * TRAINED) / SAMPLES);

// The fitted score at each of the offsets
export function scores(coefficients, method, s) {
  const still = scaled(method, s), temperature = method === "yarn" ? (0.1 * Math.log(s) + 1) ** 2 : 1;
  return offsets(s).map((offset) => {
    const w = method === "dynamic" ? scaled(method, Math.max(1, offset / TRAINED)) : still;
    let sum = 0;
    for (let i = 0; i < PAIRS; i++) {
      const angle = offset * w[i];
      sum += coefficients[i] * Math.cos(angle) + coefficients[PAIRS + i] * Math.sin(angle);
    }
    return temperature * sum;
  });
}

// Which pairs reach angles that never occurred: less than a turn in training, and further now
export function reachNew(method, s) {
  return scaled(method, s).map((w, i) => {
    const arc = TRAINED * plain[i];
    return arc < TURN && s * TRAINED * w > arc * (1 + 1e-9);
  });
}

// A size as people write it: 0.43, 12.6, 1,770
const size = (x) => (x < 100 ? String(Number(x.toPrecision(x < 1 ? 2 : 3))) : grouped(Number(x.toPrecision(3))));

function render({ model, el }) {
  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
  const put = (name, value) => { model.set(name, value); model.save_changes(); };
  const sliders = [
    slider(model, { name: "factor", label: "factor s", min: 4, max: () => 4 * MOST, value: (step) => step / 4,
                    step: (s) => 4 * s, text: (s) => s.toFixed(2) }),
    slider(model, { name: "pair", label: "pair", min: 0, max: () => PAIRS - 1 }),
  ];
  const methods = choice("scaling", METHODS, () => model.get("method"), (name) => put("method", name));
  const canvas = element("canvas", {
    class: "ex-canvas ex-context", tabindex: 0, role: "application", "aria-roledescription": "two charts",
    "aria-label": "The wavelength of every pair before and after scaling, and the fitted score against the "
      + "offset. Left and right arrow choose a pair, up and down the factor.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)), methods.row, canvas, reading);

  let known = "", w, fresh, curve, left;

  function draw(context, { width, height }, colour) {
    const [method, s, pair, coefficients] = TRAITS.map((name) => model.get(name));
    for (const part of [...sliders, methods]) part.refresh();
    if (known !== (known = method + s))
      [w, fresh, curve] = [scaled(method, s), reachNew(method, s), scores(coefficients, method, s)];
    const stacked = height > width, w1 = stacked ? width : width / 2, h1 = stacked ? height / 2 : height;
    left = { x: 62, y: 24, w: w1 - 78, h: h1 - 62 };
    const right = { x: (stacked ? 0 : w1) + 56, y: (stacked ? h1 : 0) + 24, w: w1 - 72, h: h1 - 62 };

    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";
    const label = (text, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };

    // --- the wavelengths, before as a line and after as dots
    const atX = (i) => left.x + (i / (PAIRS - 1)) * left.w;
    const atY = (wave) => left.y + left.h * (1 - Math.log10(wave) / DECADES);
    for (let decade = 0; decade <= DECADES; decade += 2) {
      const y = atY(10 ** decade);
      line(context, colour.grid, 1, [[left.x, y], [left.x + left.w, y]]);
      label(decade < 6 ? grouped(10 ** decade) : "1 million", left.x - 6, y, "right");
    }
    for (const i of [0, 16, 32, 48, 63]) label(i, atX(i), left.y + left.h + 12, "center");
    label("wavelength in positions ↑  pair →", left.x, left.y + left.h + 28, "left");
    line(context, colour.orange, 2, [[left.x, atY(TRAINED)], [left.x + left.w, atY(TRAINED)]]);
    label("trained: 2,048", left.x + 4, atY(TRAINED) - 9, "left", colour.ink);
    line(context, colour.orange, 1, [[left.x, atY(s * TRAINED)], [left.x + left.w, atY(s * TRAINED)]], [4, 3]);
    if (s >= 2.5) label(`read: ${grouped(s * TRAINED)}`, left.x + 4, atY(s * TRAINED) - 9, "left", colour.ink);
    line(context, colour.muted, 1.5, plain.map((plainW, i) => [atX(i), atY(TURN / plainW)]));
    for (const hollow of [false, true]) {
      context.beginPath();
      w.forEach((now, i) => {
        if (fresh[i] !== hollow) return;
        const [x, y] = [atX(i), atY(TURN / now)];
        context.moveTo(x + 2.5, y);
        context.arc(x, y, 2.5, 0, TURN);
      });
      Object.assign(context, { fillStyle: hollow ? colour.paper : colour.blue, strokeStyle: colour.blue, lineWidth: 1.2 });
      context.fill();
      context.stroke();
    }
    dot(context, colour, atX(pair), atY(TURN / w[pair]));

    // --- the score: linear up to 1, then logarithmic
    const across = (offset) => right.x + (offset / (s * TRAINED)) * right.w;
    const up = (v) => right.y + (right.h / 2) * (1 - clamp(Math.sign(v) * Math.log10(1 + Math.abs(v)) / POWERS, -1, 1));
    for (const v of [-10_000, -100, -1, 0, 1, 100, 10_000]) {
      const y = up(v);
      line(context, colour.grid, 1, [[right.x, y], [right.x + right.w, y]]);
      if (Math.abs(v) !== 1) label((v < 0 ? "−" : "") + grouped(Math.abs(v)), right.x - 6, y, "right");
    }
    line(context, colour.orange, 2, [[across(TRAINED), right.y], [across(TRAINED), right.y + right.h]]);
    label("0", right.x, right.y + right.h + 12, "center");
    label(grouped(s * TRAINED), right.x + right.w, right.y + right.h + 12, "right");
    if (s >= 2 && s <= 12) label("2,048", across(TRAINED), right.y + right.h + 12, "center");
    label("score ↑  offset →", right.x, right.y + right.h + 28, "left");
    line(context, colour.blue, 1.2, offsets(s).map((offset, n) => [across(offset), up(curve[n])]));
    tell(method, s, pair);
  }

  function tell(method, s, pair) {
    const places = offsets(s), most = (list) => Math.max(0, ...list.map(Math.abs));
    const inside = most(curve.filter((_, n) => places[n] < TRAINED));
    const beyond = most(curve.filter((_, n) => places[n] >= TRAINED));
    const count = fresh.filter(Boolean).length, before = (TRAINED * plain[pair]) / TURN;
    reading.replaceChildren(
      element("p", {}, element("b", {}, `Pair ${pair}: `), `slowed by ${significant(plain[pair] / w[pair])}. `
        + `${significant(before)} turns in training, ${significant((s * TRAINED * w[pair]) / TURN)} in the text`
        + (fresh[pair] ? ": new angles." : ".")),
      element("p", {}, element("b", {}, `${count} of ${PAIRS}`), ` pairs ${count === 1 ? "reaches" : "reach"} new angles (hollow). `
        + "Largest score at offsets below 2,048: ", element("b", {}, size(inside)),
        ...(s > 1 ? [", from there on: ", element("b", {}, size(beyond))] : []), "."));
  }

  canvas.addEventListener("keydown", (event) => {
    const [name, by] = { ArrowLeft: ["pair", -1], ArrowRight: ["pair", 1], ArrowDown: ["factor", -0.25],
                         ArrowUp: ["factor", 0.25] }[event.key] ?? [];
    if (!name) return;
    event.preventDefault();
    put(name, clamp(model.get(name) + by, ...(name === "pair" ? [0, PAIRS - 1] : [1, MOST])));
  });
  // Mouse or finger on the left chart chooses the pair
  const point = (event) => {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    if (!event.buttons || x > left.x + left.w + 12 || y > left.y + left.h + 20) return;
    put("pair", clamp(Math.round(((x - left.x) / left.w) * (PAIRS - 1)), 0, PAIRS - 1));
  };
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointermove", point);

  return redrawOn(model, TRAITS, el, canvas, draw);
}

export default { render };
