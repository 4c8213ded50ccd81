// Three words as arrows: drag one, and see the weights and the outputs of attention follow.
import { attention, encodeTable } from "./maths.mjs";
import { line, redrawOn } from "./draw.mjs";
import { checkbox, choice, decimals, element, fill } from "./controls.mjs";

const TRAITS = ["vectors", "positions", "backwards", "chosen"], LIMIT = 2.5, STEP = 0.05;
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

// What attention gets, the weights each word gives, and the outputs
export function attend(vectors, positions, backwards) {
  const n = vectors.length, table = encodeTable(n, 2, 10_000);
  const inputs = vectors.map((vector, k) => {
    const place = backwards ? n - 1 - k : k;
    return vector.map((v, c) => v + (positions ? table[2 * place + c] : 0));
  });
  const identity = vectors.map((_, k) => vectors.map((_, j) => Number(j === k)));
  return { inputs, weights: attention(inputs, inputs, identity), outputs: attention(inputs, inputs, inputs) };
}

function render({ model, el }) {
  const words = model.get("words"), set = (name, value) => { model.set(name, value); model.save_changes(); };
  const toggle = (name, label) => checkbox(label, () => model.get(name), (on) => set(name, on));
  const parts = [
    choice("word", words.map((word, k) => [String(k), word]), () => String(model.get("chosen")),
      (k) => set("chosen", Number(k))),
    toggle("positions", "add the encoding of each position"),
    toggle("backwards", "read the sentence backwards"),
  ];
  const canvas = element("canvas", {
    class: "ex-canvas ex-plane", tabindex: 0, role: "application", "aria-roledescription": "plane with arrows",
    "aria-label": "The words' vectors as arrows, their outputs as rings. The arrow keys move the chosen word's arrow.",
  });
  const cells = words.map(() => words.map(() => element("td")));
  const heads = words.map((word) => element("th", { scope: "row" }, word));
  const table = element("table", { class: "ex-weights" },
    element("caption", {}, "Weight that the row’s word gives to the column’s"),
    element("thead", {}, element("tr", {}, element("td"), ...words.map((word) => element("th", { scope: "col" }, word)))),
    element("tbody", {}, ...words.map((_, k) => element("tr", {}, heads[k], ...cells[k]))));
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, parts[0].row, element("div", { class: "ex-checks" }, parts[1].row, parts[2].row),
    element("div", { class: "ex-beside" }, canvas, table), reading);

  let scale = 1, middle = [0, 0], now, held;
  const pixel = ([x, y]) => [middle[0] + x * scale, middle[1] - y * scale];
  const rounded = (v) => Math.round(Math.min(Math.max(v, -LIMIT), LIMIT) / STEP) * STEP;
  const move = (k, vector) =>
    set("vectors", model.get("vectors").map((old, j) => (j === k ? vector.map((v) => Number(rounded(v).toFixed(2))) : old)));

  function draw(context, { width, height }, colour) {
    const [vectors, positions, backwards, chosen] = TRAITS.map((name) => model.get(name));
    for (const part of parts) part.refresh();
    now = attend(vectors, positions, backwards);
    scale = Math.min(width, height) / 2 / (LIMIT + 1.2);
    middle = [width / 2, height / 2];
    context.font = `13px ${colour.font}`;
    Object.assign(context, { textBaseline: "middle", textAlign: "center" });
    for (let v = -3; v <= 3; v++) {
      line(context, colour.grid, v ? 0.5 : 1.5, [pixel([v, -3.5]), pixel([v, 3.5])]);
      line(context, colour.grid, v ? 0.5 : 1.5, [pixel([-3.5, v]), pixel([3.5, v])]);
    }
    words.forEach((word, k) => {
      const tip = pixel(now.inputs[k]), own = k === chosen;
      if (positions) line(context, colour.muted, 1, [pixel(vectors[k]), tip], [2, 3]);
      line(context, colour.blue, own ? 3.5 : 1.8, [pixel([0, 0]), tip]);
      context.fillStyle = colour.blue;
      context.beginPath();
      context.arc(...tip, own ? 7 : 5, 0, 2 * Math.PI);
      context.fill();
      Object.assign(context, { fillStyle: colour.paper, strokeStyle: colour.orange, lineWidth: own ? 3 : 2 });
      context.beginPath();
      context.arc(...pixel(now.outputs[k]), own ? 6 : 4, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
      context.fillStyle = colour.ink;
      context.fillText(word, tip[0], tip[1] - 16);
    });
    now.weights.forEach((row, k) => row.forEach((weight, j) => {
      cells[k][j].textContent = weight.toFixed(2);
      cells[k][j].style.setProperty("--share", `${Math.round(100 * weight)}%`);
      cells[k][j].classList.toggle("ex-own", k === chosen);
    }));
    tell(vectors, positions, backwards, chosen);
  }

  function tell(vectors, positions, backwards, chosen) {
    const pair = (v) => `(${decimals(v[0], 2)}, ${decimals(v[1], 2)})`;
    const place = backwards ? words.length - 1 - chosen : chosen;
    const sentence = (backwards ? [...words].reverse() : words).join(" ");
    const shares = words.map((other, j) => `${now.weights[chosen][j].toFixed(2)} to ${other}`).join(", ");
    reading.replaceChildren(
      element("p", {}, element("b", {}, `“${sentence}”: `), `${words[chosen]} is ${pair(vectors[chosen])}`
        + (positions ? `, with the encoding of position ${place} ${pair(now.inputs[chosen])}.` : ".")),
      element("p", {}, `It gives ${shares}. Its output is `, element("b", {}, pair(now.outputs[chosen])), "."));
  }

  // The word whose tip is under the mouse or the finger
  const seen = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  function under(event) {
    const at = seen(event);
    const far = now.inputs.map((input) => { const [x, y] = pixel(input); return Math.hypot(at[0] - x, at[1] - y); });
    const k = far.indexOf(Math.min(...far));
    return far[k] < 24 ? k : undefined;
  }
  canvas.addEventListener("touchstart", (event) => { // a finger on an arrow does not scroll the page
    if (under(event.changedTouches[0]) !== undefined) event.preventDefault();
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    held = under(event);
    if (held === undefined) return;
    canvas.setPointerCapture(event.pointerId);
    set("chosen", held);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (held === undefined) return;
    const [x, y] = seen(event), old = model.get("vectors")[held], input = now.inputs[held];
    move(held, [(x - middle[0]) / scale - (input[0] - old[0]), (middle[1] - y) / scale - (input[1] - old[1])]);
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { held = undefined; });
  canvas.addEventListener("keydown", (event) => {
    const by = KEYS[event.key];
    if (!by) return;
    event.preventDefault();
    const k = model.get("chosen");
    move(k, model.get("vectors")[k].map((v, c) => v + 2 * STEP * by[c]));
  });

  return redrawOn(model, TRAITS, el, canvas, draw);
}

export default { render };
