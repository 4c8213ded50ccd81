// The encoding as a heatmap with one chosen cell: its formula, its row and its column.
import { frequency, entry, encodeTable } from "./maths.mjs";
import { dot, line, paint, redrawOn, ticks } from "./draw.mjs";
import { baseSlider, decimals, element, fill, grouped, significant, slider, widthSlider } from "./controls.mjs";

const TRAITS = ["d_model", "base", "positions", "position", "dim"];

// Where a key moves the chosen cell
const KEYS = {
  ArrowLeft: ["dim", -1], ArrowRight: ["dim", 1], ArrowUp: ["position", -1], ArrowDown: ["position", 1],
  Home: ["dim", -Infinity], End: ["dim", Infinity], PageUp: ["position", -10], PageDown: ["position", 10],
};

function render({ model, el }) {
  const sliders = [
    widthSlider(model), baseSlider(model, 2),
    slider(model, { name: "positions", label: "positions", min: 2, max: () => 512 }),
    slider(model, { name: "position", label: "row", min: 0, max: () => model.get("positions") - 1,
                    text: (p) => `pos ${p}` }),
    slider(model, { name: "dim", label: "column", min: 0, max: () => model.get("d_model") - 1,
                    text: (j) => `dim ${j}` }),
  ];
  const canvas = element("canvas", {
    class: "ex-canvas", tabindex: 0, role: "application", "aria-roledescription": "heatmap",
    "aria-label": "Heatmap of the encoding. The arrow keys choose a cell, Page Up and Page Down move "
      + "ten rows, Home and End go to the first and last dimension.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)), canvas, reading);

  const picture = document.createElement("canvas"), pictureContext = picture.getContext("2d");
  let table = new Float64Array(0), tabled = "", box = { x: 0, y: 0, w: 1, h: 1 };

  // Choose a cell; one outside the table becomes the nearest inside.
  function choose({ position = model.get("position"), dim = model.get("dim") }) {
    const inside = (x, count) => Math.min(Math.max(x, 0), count - 1);
    model.set("position", inside(position, model.get("positions")));
    model.set("dim", inside(dim, model.get("d_model")));
    model.save_changes();
  }

  // The table, as numbers and as one pixel a cell; renewed only when one of the three changes
  function retable(count, d, base) {
    if (tabled === (tabled = [count, d, base].join())) return;
    Object.assign(picture, { width: d, height: count });
    const image = pictureContext.createImageData(d, count);
    table = encodeTable(count, d, base);
    paint(table, new Uint32Array(image.data.buffer));
    pictureContext.putImageData(image, 0, 0);
  }

  function draw(context, { width, height }, colour) {
    const [d, base, count, position, dim] = TRAITS.map((name) => model.get(name));
    if (position >= count || dim >= d) return choose({});
    for (const s of sliders) s.refresh();
    retable(count, d, base);

    const side = Math.max(64, Math.min(140, width * 0.2));
    box = { x: 30, y: 22, w: width - 41 - side, h: height - 140 };
    const column = { x: box.x + box.w + 10, y: box.y, w: side, h: box.h };
    const row = { x: box.x, y: box.y + box.h + 24, w: box.w, h: 72 };
    const cell = { w: box.w / d, h: box.h / count };
    const atX = (j) => box.x + (j + 0.5) * cell.w, atY = (p) => box.y + (p + 0.5) * cell.h;
    const across = (v) => column.x + column.w * (0.5 + 0.46 * v);
    const up = (v) => row.y + row.h * (0.5 - 0.46 * v);

    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";

    // Enlarged cells keep sharp edges; where there are more cells than pixels they are averaged.
    context.imageSmoothingEnabled = Math.min(cell.w, cell.h) * devicePixelRatio < 1;
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, box.x, box.y, box.w, box.h);

    const label = (text, x, y, align) => { context.textAlign = align; context.fillText(text, x, y); };
    context.fillStyle = colour.muted;
    for (const p of ticks(count, box.h / 26)) label(p, box.x - 6, atY(p), "right");
    for (const j of ticks(d, box.w / 34)) label(j, atX(j), box.y + box.h + 12, "center");
    label("position ↓  dimension →", box.x, 10, "left");
    label(`dimension ${dim}`, column.x + column.w, 10, "right");
    label(`position ${position}`, row.x, row.y + row.h + 12, "left");
    label("sines —  cosines - -", row.x + row.w, row.y + row.h + 12, "right");

    for (const frame of [column, row]) {
      context.strokeStyle = colour.grid;
      context.lineWidth = 1;
      context.strokeRect(frame.x, frame.y, frame.w, frame.h);
    }
    line(context, colour.grid, 1, [[across(0), column.y], [across(0), column.y + column.h]]);
    line(context, colour.grid, 1, [[row.x, up(0)], [row.x + row.w, up(0)]]);

    // Down the column the wave is continuous, and a position is a sample of it; along the row the
    // sines and the cosines are a curve each.
    const wave = Array.from({ length: 2 * Math.ceil(column.h) + 1 }, (_, k) => {
      const p = (k / 2 / column.h) * count - 0.5;
      return [across(entry(p, dim, d, base)), column.y + k / 2];
    });
    line(context, colour.blue, 1.5, wave);
    for (const odd of [0, 1])
      line(context, odd ? colour.orange : colour.blue, 1.5,
        Array.from({ length: d / 2 }, (_, i) => [atX(2 * i + odd), up(table[position * d + 2 * i + odd])]),
        odd ? [4, 3] : []);

    const x = atX(dim), y = atY(position), value = table[position * d + dim];
    context.globalAlpha = 0.5;
    line(context, colour.ink, 1, [[box.x, y], [column.x + column.w, y]]);
    line(context, colour.ink, 1, [[x, box.y], [x, row.y + row.h]]);
    context.globalAlpha = 1;
    for (const [style, width] of [[colour.paper, 4], [colour.ink, 1.5]]) {
      const w = Math.max(cell.w, 8), h = Math.max(cell.h, 8);
      Object.assign(context, { strokeStyle: style, lineWidth: width });
      context.strokeRect(x - w / 2, y - h / 2, w, h);
    }
    dot(context, colour, across(value), y);
    dot(context, colour, x, up(value));
    read(position, dim, d, base);
  }

  // The formula with the numbers put in
  function read(position, dim, d, base) {
    const pair = dim >> 1, omega = frequency(pair, d, base), f = dim % 2 ? "cos" : "sin";
    const period = (2 * Math.PI) / omega;
    reading.replaceChildren(
      element("p", {}, element("b", {}, `Position ${position}, dimension ${dim}: `),
        `the ${dim % 2 ? "cosine" : "sine"} of pair i = ${pair}, a wave that repeats every `
        + `${period < 100 ? period.toFixed(2) : grouped(period)} positions`),
      element("p", { class: "ex-formula" },
        `PE(${position}, ${dim}) = ${f}(${position} / ${grouped(base)}`, element("sup", {}, `2·${pair}/${d}`),
        `) = ${f}(${position} × ${significant(omega)}) = ${f}(${significant(position * omega)}) = `,
        element("b", {}, decimals(entry(position, dim, d, base)))),
    );
  }

  function point(event) {
    const at = canvas.getBoundingClientRect();
    choose({
      dim: Math.floor(((event.clientX - at.left - box.x) / box.w) * model.get("d_model")),
      position: Math.floor(((event.clientY - at.top - box.y) / box.h) * model.get("positions")),
    });
  }
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("keydown", (event) => {
    const [name, by] = KEYS[event.key] ?? [];
    if (!name) return;
    event.preventDefault();
    choose({ [name]: model.get(name) + by });
  });

  return redrawOn(model, TRAITS, el, canvas, draw);
}

export default { render };
