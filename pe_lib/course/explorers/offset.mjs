// Two positions at an offset, and their score: a function of the offset alone, or not.
import { encodeTable, frequency, scrambled } from "./maths.mjs";
import { clock, dot, line, redrawOn } from "./draw.mjs";
import { baseSlider, choice, decimals, element, fill, slider, widthSlider } from "./controls.mjs";
import { wind } from "./drag.mjs";

const TRAITS = ["d_model", "base", "position", "offset", "between"];
const REACH = 100, BACK = 20, FIRST = 100, LAST = 400, STEP = 50; // as in offset.py
const KEYS = { ArrowLeft: ["offset", -1], ArrowRight: ["offset", 1], ArrowDown: ["position", -1],
               ArrowUp: ["position", 1], PageDown: ["position", -10], PageUp: ["position", 10] };
const WITH = { nothing: "Nothing between", rotation: `Rotation by ${BACK} between`, random: "Random matrix between" };

// PE(position) · W · PE(position + k) / (d/2) for k = −100 … 100; `table` holds PE(0) to PE(500)
export function scores(position, between, table, matrix, d) {
  const from = (between === "rotation" ? position - BACK : position) * d; // PE(t)ᵀ M₂₀ = PE(t − 20)ᵀ
  let query = table.subarray(from, from + d);
  if (between === "random") {
    query = new Float64Array(d);
    for (let r = 0; r < d; r++)
      for (let c = 0, at = table[from + r], row = r * d; c < d; c++) query[c] += at * matrix[row + c];
  }
  return Array.from({ length: 2 * REACH + 1 }, (_, n) => {
    let sum = 0;
    for (let c = 0, at = (position + n - REACH) * d; c < d; c++) sum += query[c] * table[at + c];
    return sum / (d / 2);
  });
}

function render({ model, el }) {
  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
  const limits = { position: [FIRST, LAST], offset: [-REACH, REACH] };
  const put = (name, value) => { model.set(name, clamp(value, ...limits[name])); model.save_changes(); };
  const sliders = [
    slider(model, { name: "position", label: "position", min: FIRST, max: () => LAST }),
    slider(model, { name: "offset", label: "offset", min: -REACH, max: () => REACH, text: (k) => decimals(k, 0) }),
    widthSlider(model), baseSlider(model, 3),
  ];
  const matrices = choice("between the two vectors", [["nothing", "nothing"], ["rotation", `a rotation by ${BACK}`],
    ["random", "a random matrix"]], () => model.get("between"),
    (name) => { model.set("between", name); model.save_changes(); });
  const canvas = element("canvas", {
    class: "ex-canvas ex-offset", tabindex: 0, role: "application", "aria-roledescription": "clocks and curve",
    "aria-label": "Clocks with the hands of both positions, and the score against the offset. Left and "
      + "right arrow change the offset, up and down the position, Page Up and Page Down by ten.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)), matrices.row, canvas, reading);

  let dials = [], plot = { x: 0, w: 1 }, computed = "", matrix, table, others;

  // The curves of the fixed positions; renewed only when the vectors or the matrix change
  function prepare(d, base, between) {
    if (computed === (computed = [d, base, between].join())) return;
    table = encodeTable(LAST + REACH + 1, d, base);
    if (between === "random" && matrix?.length !== d * d) matrix = scrambled(d * d);
    others = [];
    for (let place = FIRST; place <= LAST; place += STEP) others.push(scores(place, between, table, matrix, d));
  }

  function draw(context, { width, height }, colour) {
    const [d, base, position, offset, between] = TRAITS.map((name) => model.get(name));
    for (const part of [...sliders, matrices]) part.refresh();
    prepare(d, base, between);
    const mine = scores(position, between, table, matrix, d);
    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";
    const label = (text, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };

    // Up to four clocks, with the hands of both positions
    const count = Math.min(4, d / 2), r = Math.min(42, width / count / 2 - 10);
    const pairs = Array.from({ length: count }, (_, n) => Math.round((n * (d / 2 - 1)) / Math.max(1, count - 1)));
    dials = pairs.map((i, n) => ({ x: (width * (n + 0.5)) / count, y: r + 8, r, frequency: frequency(i, d, base) }));
    dials.forEach((dial, n) => {
      const here = position * dial.frequency, there = (position + offset) * dial.frequency;
      const tip = clock(context, colour, dial, here);
      const far = [dial.x + r * Math.sin(there), dial.y - r * Math.cos(there)];
      line(context, colour.orange, 2.5, [[dial.x, dial.y], far], [4, 3]);
      dot(context, colour, ...tip);
      label(`pair ${pairs[n]}`, dial.x, dial.y + r + 14, "center");
    });

    // The score against the offset: other positions thin, this one thick
    plot = { x: 44, y: 2 * r + 54, w: width - 56, h: height - 2 * r - 88 };
    const at = (k) => plot.x + ((k + REACH) / (2 * REACH)) * plot.w;
    const up = (v) => plot.y + plot.h * (0.5 - clamp(v, -1.3, 1.3) / 2.6);
    const curve = (list) => list.map((v, n) => [at(n - REACH), up(v)]);
    for (const v of [-1, 0, 1]) {
      line(context, colour.grid, 1, [[plot.x, up(v)], [plot.x + plot.w, up(v)]]);
      label(decimals(v, 0), plot.x - 8, up(v), "right");
    }
    for (const k of [-100, -50, 0, 50, 100]) label(decimals(k, 0), at(k), plot.y + plot.h + 12, "center");
    label("offset", plot.x + plot.w, plot.y + plot.h + 27, "right");
    label("score", plot.x, plot.y - 8, "left");
    for (const list of others) line(context, colour.muted, 0.7, curve(list));
    line(context, colour.blue, 2, curve(mine));
    line(context, colour.orange, 1, [[at(offset), plot.y], [at(offset), plot.y + plot.h]], [4, 3]);
    dot(context, colour, at(offset), up(mine[offset + REACH]));
    tell(position, offset, between, mine);
  }

  function tell(position, offset, between, mine) {
    const here = mine[REACH + offset], mirrored = mine[REACH - offset], k = Math.abs(offset);
    const all = [...others.map((list) => list[REACH + offset]), here];
    const low = Math.min(...all), high = Math.max(...all);
    reading.replaceChildren(
      element("p", {}, element("b", {}, `Positions ${position} and ${position + offset}: `),
        `score ${decimals(here, 5)}. ${WITH[between]}: `,
        element("b", {}, high - low < 1e-9 ? "every position scores this at this offset."
          : `at this offset positions score from ${decimals(low, 2)} to ${decimals(high, 2)}.`)),
      element("p", {}, offset === 0 ? "At offset 0 there is no direction to tell."
        : Math.abs(here - mirrored) < 1e-9 ? `Mirrored: ${k} before and ${k} after score the same.`
        : `Not mirrored: ${k} ${offset > 0 ? "before" : "after"} scores ${decimals(mirrored, 5)}.`));
  }

  canvas.addEventListener("keydown", (event) => {
    const [name, by] = KEYS[event.key] ?? [];
    if (!name) return;
    event.preventDefault();
    put(name, model.get(name) + by);
  });
  const winding = wind(canvas, () => dials, () => model.get("position"), (wanted) => {
    put("position", Math.round(wanted));
    return clamp(wanted, FIRST, LAST);
  });
  // Elsewhere on the picture a finger or the mouse chooses the offset
  const point = (event) => {
    const box = canvas.getBoundingClientRect(), y = event.clientY - box.top;
    if (!event.buttons || winding() || y < plot.y - 10) return;
    put("offset", Math.round(((event.clientX - box.left - plot.x) / plot.w - 0.5) * 2 * REACH));
  };
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointermove", point);

  return redrawOn(model, TRAITS, el, canvas, draw);
}

export default { render };
