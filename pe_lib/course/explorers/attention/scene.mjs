// Words as arrows: drag one, and see the weights and the outputs of attention follow.
/* global ABOUT */
import { attention, entry } from "../maths.mjs";
import { clock, line, redraw } from "../frame/draw.mjs";
import { bold, checkbox, decimals, element, fill } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";
import { glide } from "../words.mjs";

const TRAITS = ["vectors", "positions", "backwards", "chosen"],
  FARTHEST = 2.5,
  STEP = 0.05;
const BAND = 46; // pixels of the sentence below the plane
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

let made = 0;

// The weights each word gives, and the outputs
function mixed(inputs) {
  const identity = inputs.map((_, k) => inputs.map((_, j) => Number(j === k)));
  return { inputs, weights: attention(inputs, inputs, identity), outputs: attention(inputs, inputs, inputs) };
}

// What each word's place adds to it, with that many of the clock's `hand` and the places `from` 0 forwards to 1 backwards
const added = (count, hand, from) =>
  Array.from({ length: count }, (_, k) => {
    const place = k + from * (count - 1 - 2 * k);
    return [0, 1].map((c) => hand * entry(place, c, 2, 10_000));
  });

// What attention gets, the weights each word gives, and the outputs
export function attend(vectors, positions, backwards) {
  const places = added(vectors.length, Number(positions), Number(backwards));
  return mixed(vectors.map((vector, k) => vector.map((v, c) => v + places[k][c])));
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const words = model.get("words"),
    n = words.length,
    set = (name, value) => {
      model.set(name, value);
      model.save_changes();
    };
  if (!fits({ words, vectors: model.get("vectors"), chosen: model.get("chosen") }))
    throw new Error(
      `vectors must hold two numbers from −${FARTHEST} to ${FARTHEST} for each word, chosen must be below ${n}`,
    );
  // short vectors are seen from nearer; above there is room for a clock's hand
  const limit = Math.max(...model.get("vectors").flat().map(Math.abs)) > 1.2 ? FARTHEST : 1.2,
    [low, high] = [-limit - 0.2, limit + 1];
  const toggle = (name, label) =>
    checkbox(
      label,
      () => model.get(name),
      (on) => set(name, on),
    );
  const checks = [toggle("positions", "positions"), toggle("backwards", "backwards")];
  const canvas = element("canvas", {
    class: "ex-canvas ex-plane",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "plane with arrows",
    "aria-label": "The words' vectors as arrows, their outputs as rings. The arrow keys move the chosen word's arrow.",
  });
  // The weights as shares of a row, each as wide as it is large; the row's head chooses its word
  const cells = words.map(() => words.map((_, j) => element("td", {}, element("span", {}, words[j]), element("b"))));
  const group = `ex-word-${++made}`;
  const heads = words.map((_, k) => element("input", { type: "radio", name: group, value: k }));
  heads.forEach((head, k) => head.addEventListener("change", () => set("chosen", k)));
  const rows = words.map((word, k) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, element("label", { class: "ex-check" }, heads[k], word)),
      ...cells[k],
    ),
  );
  const table = element(
    "table",
    { class: "ex-weights", "aria-label": "The weights that each word gives" },
    element("tbody", {}, ...rows),
  );
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(
    el,
    element(
      "div",
      { class: "ex-beside" },
      canvas,
      element(
        "div",
        { class: "ex-side" },
        table,
        element("div", { class: "ex-choices" }, ...checks.map((c) => c.row)),
        reading,
      ),
    ),
  );

  const glides = glide(180);
  let again = () => {},
    spots = [],
    scale = 1,
    middle = [0, 0],
    now = attend(model.get("vectors"), false, false),
    last;
  /** @type {(vector: number[]) => [x: number, y: number]} */
  const pixel = ([x, y]) => [middle[0] + x * scale, middle[1] - y * scale];
  const rounded = (v) => Number((Math.round(Math.min(Math.max(v, -limit), limit) / STEP) * STEP).toFixed(2));
  const move = (k, vector) =>
    set(
      "vectors",
      model.get("vectors").map((old, j) => (j === k ? vector.map(rounded) : old)),
    );

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const [vectors, positions, backwards, chosen] = TRAITS.map((name) => model.get(name));
    checks.forEach((check) => check.refresh());
    const {
      shown: [hand, from],
      moving,
    } = glides([Number(positions), Number(backwards)]);
    if (moving) again();
    const clocks = added(n, hand, from);
    now = mixed(vectors.map((vector, k) => vector.map((v, c) => v + clocks[k][c])));
    const plane = height - BAND; // more of it above 0, where a clock's hand may reach
    scale = Math.min(width / (2 * limit + 2), plane / (high - low));
    middle = [width / 2, high * scale];
    for (let v = -Math.floor(limit + 0.9); v <= limit + 0.9; v++) {
      line(context, colour.grid, v ? 0.5 : 1.5, [pixel([v, low]), pixel([v, high])]);
      if (v > low) line(context, colour.grid, v ? 0.5 : 1.5, [pixel([-limit - 0.9, v]), pixel([limit + 0.9, v])]);
    }

    // the chosen word's output hangs on strings as thick as its weights
    context.lineCap = "round";
    context.globalAlpha = 0.55;
    now.weights[chosen].forEach((weight, j) =>
      line(context, colour.orange, 14 * weight, [pixel(now.outputs[chosen]), pixel(now.inputs[j])]),
    );
    context.globalAlpha = 1;
    words.forEach((_, k) => {
      const tip = pixel(now.inputs[k]),
        own = k === chosen,
        base = pixel(vectors[k]);
      if (hand > 0) {
        // the clock's hand goes from the word's own tip to where it is now
        line(context, colour.blue, 1, [pixel([0, 0]), base], [2, 3]);
        clock(context, colour, { x: base[0], y: base[1], r: scale * hand }, k + from * (n - 1 - 2 * k), colour.ink);
      }
      arrow(context, colour.blue, own ? 4 : 2.5, pixel([0, 0]), tip);
    });
    words.forEach((_, k) => {
      const own = k === chosen;
      Object.assign(context, { fillStyle: colour.paper, strokeStyle: colour.orange, lineWidth: own ? 3.5 : 2 });
      context.globalAlpha = own ? 1 : 0.6;
      context.beginPath();
      context.arc(...pixel(now.outputs[k]), own ? 8 : 5, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    });
    context.globalAlpha = 1;
    Object.assign(context, {
      textBaseline: "middle",
      textAlign: "center",
      lineWidth: 4,
      strokeStyle: colour.paper,
      lineJoin: "round",
    });
    words.forEach((word, k) => {
      // beyond the tip, on a halo
      const [x, y] = now.inputs[k],
        long = Math.hypot(x, y) || 1,
        tip = pixel(now.inputs[k]);
      context.font = `${k === chosen ? "700" : "500"} 16px ${colour.font}`;
      context.fillStyle = colour.ink;
      const half = context.measureText(word).width / 2 + 3;
      /** @type {[number, number]} */
      const place = [
        Math.min(Math.max(tip[0] + ((half + 5) * x) / long, half), width - half),
        tip[1] - (18 * y) / long,
      ];
      context.strokeText(word, ...place);
      context.fillText(word, ...place);
    });

    // the sentence as it is read: its words change places, their arrows need not
    const slot = Math.min(110, width / n),
      at = (place) => width / 2 + (place - (n - 1) / 2) * slot;
    spots = words.map((_, k) => at(k + from * (n - 1 - 2 * k)));
    words.forEach((word, k) => {
      context.font = `${k === chosen ? "700" : "500"} 16px ${colour.font}`;
      context.fillStyle = colour.ink;
      context.fillText(word, spots[k], height - 30 - 10 * Math.sin(Math.PI * from) * (k < (n - 1) / 2 ? 1 : -1));
      context.fillStyle = colour.muted;
      context.font = `12px ${colour.font}`;
      context.fillText(k, at(k), height - 10);
    });
    if (last !== (last = [vectors, positions, backwards, chosen].join())) tell(vectors, positions, backwards, chosen);
  }

  function tell(vectors, positions, backwards, chosen) {
    const { inputs, weights, outputs } = attend(vectors, positions, backwards);
    weights.forEach((row, k) => {
      heads[k].checked = k === chosen;
      rows[k].classList.toggle("ex-own", k === chosen);
      row.forEach((weight, j) => {
        cells[k][j].lastChild.textContent = weight.toFixed(2);
        cells[k][j].style.flexGrow = weight.toFixed(4);
        cells[k][j].classList.toggle("ex-thin", weight < 0.12);
      });
    });
    const pair = (v) => `(${decimals(v[0], 2)}, ${decimals(v[1], 2)})`;
    const shares = words.map((word, j) => `${weights[chosen][j].toFixed(2)} to ${word}`).join(", ");
    const sentence = (backwards ? [...words].reverse() : words).join(" "),
      clock = backwards ? n - 1 - chosen : chosen,
      added = positions ? `, with clock ${clock} ${pair(inputs[chosen])}` : "";
    reading.replaceChildren(
      element("p", {}, ...bold(`**“${sentence}”:** ${words[chosen]} is ${pair(vectors[chosen])}${added}.`)),
      element("p", {}, ...bold(`It gives ${shares}. Its output is **${pair(outputs[chosen])}**.`)),
    );
  }

  drag(canvas, {
    grab({ x, y }) {
      const far = now.inputs.map((input) => {
        const [a, b] = pixel(input);
        return Math.hypot(x - a, y - b);
      });
      const k = far.indexOf(Math.min(...far)),
        word = y > canvas.clientHeight - BAND ? spots.findIndex((at) => Math.abs(x - at) < 30) : -1;
      if (word >= 0) set("chosen", word);
      if (word >= 0 || far[k] > 30) return undefined;
      set("chosen", k);
      const tip = pixel(now.inputs[k]);
      return { k, off: [x - tip[0], y - tip[1]] };
    },
    move({ k, off }, { x, y }) {
      const old = model.get("vectors")[k],
        input = now.inputs[k];
      const [a, b] = [(x - off[0] - middle[0]) / scale, (middle[1] - y + off[1]) / scale];
      move(k, [a - (input[0] - old[0]), b - (input[1] - old[1])]);
    },
  });
  canvas.addEventListener("keydown", (event) => {
    const by = KEYS[event.key];
    if (!by) return;
    event.preventDefault();
    const k = model.get("chosen");
    move(
      k,
      model.get("vectors")[k].map((v, c) => v + 2 * STEP * by[c]),
    );
  });

  const [schedule, stop] = redraw(el, canvas, draw);
  again = schedule;
  for (const name of TRAITS) model.on(`change:${name}`, schedule);
  /** @param {number[]} point @param {number} r */
  const around = ([x, y], r) => ({ x: x - r, y: y - r, w: 2 * r, h: 2 * r });
  return {
    stop() {
      stop();
      for (const name of TRAITS) model.off(`change:${name}`, schedule);
    },
    parts: {
      plane: () => ({
        x: middle[0] - (limit + 0.9) * scale,
        y: 0,
        w: 2 * (limit + 0.9) * scale,
        h: (high - low) * scale,
      }),
      sentence: () => ({
        x: spots[0] < spots[n - 1] ? spots[0] - 40 : spots[n - 1] - 40,
        y: canvas.clientHeight - BAND,
        w: Math.abs(spots[n - 1] - spots[0]) + 80,
        h: BAND,
      }),
      arrow: () => around(pixel(now.inputs[model.get("chosen")]), 26),
      ring: () => around(pixel(now.outputs[model.get("chosen")]), 14),
      weights: () => rows[model.get("chosen")],
    },
  };
}

/** @type {(context: CanvasRenderingContext2D, colour: string, width: number, from: number[], to: number[]) => void} */
function arrow(context, colour, width, [x, y], [a, b]) {
  const along = Math.atan2(b - y, a - x),
    head = Math.min(14, Math.hypot(a - x, b - y));
  line(context, colour, width, [
    [x, y],
    [a - head * 0.6 * Math.cos(along), b - head * 0.6 * Math.sin(along)],
  ]);
  context.fillStyle = colour;
  context.beginPath();
  for (const turn of [Math.PI, Math.PI - 0.45, Math.PI + 0.45]) {
    const r = turn === Math.PI ? 0 : head;
    context.lineTo(a + r * Math.cos(along + turn), b + r * Math.sin(along + turn));
  }
  context.fill();
}

export const done = {
  main({ vectors, positions, backwards }) {
    const {
      weights: [, [good, self]],
    } = attend(vectors, positions, backwards);
    return !positions && good > self
      ? `Found: not gives good ${good.toFixed(2)} and itself ${self.toFixed(2)}. A longer arrow has the larger dot product.`
      : "";
  },
  three({ vectors, positions, backwards }) {
    const {
      weights: [[dog, bites, man]],
    } = attend(vectors, positions, backwards);
    return !positions && man > Math.max(dog, bites)
      ? `Found: dog gives man ${man.toFixed(2)}. It leans away from bites, and is short: a long arrow looks at itself.`
      : "";
  },
};

const fits = ({ words, vectors, chosen }) =>
  chosen < words.length &&
  vectors.length === words.length &&
  vectors.every((vector) => vector.length === 2 && vector.every((v) => Math.abs(v) <= FARTHEST));

export default stage(ABOUT, scene, { done, fits });
