// The encoding as a heatmap with one chosen cell. Over each two columns stands their clock; the clock of
// the chosen cell stands large in the corner, and throws its shadows on the row and on the column.
/* global ABOUT */
import { frequency, entry, encodeTable } from "../maths.mjs";
import { clock, dark, dot, line, paint, redrawOn, ticks } from "../frame/draw.mjs";
import {
  baseSlider,
  bold,
  decimals,
  element,
  fill,
  folded,
  grouped,
  significant,
  slider,
  widthSlider,
} from "../frame/controls.mjs";
import { wind } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";

const TRAITS = ["d_model", "base", "positions", "position", "dim"];

// Where a key moves the chosen cell
const KEYS = {
  ArrowLeft: ["dim", -1],
  ArrowRight: ["dim", 1],
  ArrowUp: ["position", -1],
  ArrowDown: ["position", 1],
  Home: ["dim", -Infinity],
  End: ["dim", Infinity],
  PageUp: ["position", -10],
  PageDown: ["position", 10],
};

// Where things stand in a canvas of this size: above the table the row as two curves and the small
// clocks, beside it the column as a wave, and the large clock where row and column meet
export function layout(width, height, dModel, positions) {
  const r = Math.max(32, Math.min(62, width * 0.11)),
    left = 30,
    right = width - 2 * r - 12;
  const cell = (right - left - 14) / dModel,
    small = Math.max(5, Math.min(cell - 1, 20));
  const row = { x: left, y: 18, w: cell * dModel, h: 2 * r };
  const dials = row.y + row.h + small + 8,
    table = { x: left, y: dials + small + 6, w: row.w, h: height - dials - small - 26 };
  return {
    row,
    table,
    small,
    dials,
    cell: { w: cell, h: table.h / positions },
    every: Math.ceil((2 * small + 2) / (2 * cell)), // so many pairs for each small clock
    column: { x: right, y: table.y, w: 2 * r, h: table.h },
    dial: { x: right + r, y: row.y + r, r },
  };
}

// A number as an upright stroke from 0, with a dot at its end
function stroke(context, style, x, from, to, inner) {
  line(context, style, 2, [
    [x, from],
    [x, to],
  ]);
  Object.assign(context, { fillStyle: inner, lineWidth: 1.5 });
  context.beginPath();
  context.arc(x, to, 3, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const rows = slider(model, {
    name: "position",
    label: "row",
    min: 0,
    max: () => model.get("positions") - 1,
    step: Math.round,
    text: (p) => `pos ${Math.round(p)}`,
  });
  const columns = slider(model, {
    name: "dim",
    label: "column",
    min: 0,
    max: () => model.get("d_model") - 1,
    text: (j) => `dim ${j}`,
  });
  const settings = [
    widthSlider(model),
    baseSlider(model, 2),
    slider(model, { name: "positions", label: "positions", min: 2, max: () => 512 }),
  ];
  const canvas = element("canvas", {
    class: "ex-canvas ex-heatmap",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "heatmap",
    "aria-label":
      "Heatmap of the encoding, with a clock over each two columns. The arrow keys choose a cell, Page Up " +
      "and Page Down move ten rows, Home and End go to the first and last dimension.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(
    el,
    canvas,
    element("div", { class: "ex-controls" }, rows.row, columns.row),
    reading,
    folded("Width, base and length", ...settings.map((s) => s.row)),
  );

  const picture = document.createElement("canvas"),
    pictureContext = picture.getContext("2d");
  let table = new Float64Array(0),
    tabled = "",
    told = "",
    at = layout(640, 400, 16, 64);

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

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const [d, base, count, position, dim] = TRAITS.map((name) => model.get(name));
    if (position > count - 1 || dim >= d) return choose({});
    for (const s of [rows, columns, ...settings]) s.refresh();
    retable(count, d, base);
    at = layout(width, height, d, count);
    const { row, column, cell, dial, small, dials } = at,
      box = at.table,
      pair = dim >> 1,
      cosine = dim % 2;
    const atX = (j) => box.x + (j + 0.5) * cell.w,
      atY = (p) => box.y + (p + 0.5) * cell.h;
    const across = (v) => dial.x + dial.r * v,
      up = (v) => dial.y - dial.r * v;
    const angle = position * frequency(pair, d, base),
      value = entry(position, dim, d, base);
    const own = cosine ? colour.orange : colour.blue,
      roomy = cell.w >= 6;

    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";

    // Enlarged cells keep sharp edges; where there are more cells than pixels they are averaged.
    context.imageSmoothingEnabled = Math.min(cell.w, cell.h) * devicePixelRatio < 1;
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, box.x, box.y, box.w, box.h);

    const label = (text, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align });
      context.fillText(text, x, y);
    };
    const numbered = cell.w >= 34 && cell.h >= 15; // room for the numbers themselves
    if (numbered)
      table.forEach((number, k) =>
        label(decimals(number, 2), atX(k % d), atY(Math.floor(k / d)), "center", dark(number) ? "#fefefe" : "#010101"),
      );
    for (const p of ticks(count, box.h / 26)) label(p, box.x - 6, atY(p), "right");
    for (const j of ticks(d, box.w / 34)) label(j, atX(j), box.y + box.h + 12, "center");
    label(`position ${Math.round(position)}`, row.x, 8, "left", colour.ink);
    label(`sines ${roomy ? "●" : "—"}`, row.x + row.w - 84, 8, "right", colour.blue);
    label(`cosines ${roomy ? "○" : "- -"}`, row.x + row.w, 8, "right", colour.orange);
    label(`dimension ${dim}`, column.x + column.w, box.y + box.h + 12, "right", colour.ink);

    for (const frame of [column, row]) {
      context.strokeStyle = colour.grid;
      context.lineWidth = 1;
      context.strokeRect(frame.x, frame.y, frame.w, frame.h);
    }
    line(context, colour.grid, 1, [
      [dial.x, column.y],
      [dial.x, column.y + column.h],
    ]);
    line(context, colour.grid, 1, [
      [row.x, dial.y],
      [row.x + row.w, dial.y],
    ]);

    // Down the column the wave is continuous, and a position is a sample of it. Along the row each
    // number is a stroke; where these are too many, sines and cosines are a curve each.
    const wave = Array.from({ length: 2 * Math.ceil(column.h) + 1 }, (_, k) => {
      const p = (k / 2 / column.h) * count - 0.5;
      return [across(entry(p, dim, d, base)), column.y + k / 2];
    });
    line(context, own, 1.5, wave);
    const tips = Array.from({ length: d }, (_, j) => [atX(j), up(entry(position, j, d, base))]);
    for (const odd of [0, 1]) {
      const style = odd ? colour.orange : colour.blue,
        some = tips.filter((_, j) => j % 2 === odd);
      if (!roomy) line(context, style, 1.5, some, odd ? [4, 3] : []);
      else for (const [x, y] of some) stroke(context, style, x, dial.y, y, odd ? colour.paper : style);
    }

    // the clocks, each over its two columns
    for (let i = 0; i < d / 2; i += at.every) {
      const tip = clock(
        context,
        colour,
        { x: atX(2 * i + 0.5), y: dials, r: small },
        position * frequency(i, d, base),
        i === pair ? own : colour.muted,
      );
      if (small > 16) dot(context, colour, ...tip);
    }

    // the chosen cell, in its row and in its column
    const x = atX(dim),
      y = atY(position);
    context.globalAlpha = 0.5;
    line(context, colour.ink, 1, [
      [numbered ? box.x + box.w : box.x, y],
      [column.x + column.w, y],
    ]);
    line(context, colour.ink, 1, [
      [x, row.y],
      [x, numbered ? box.y : box.y + box.h],
    ]);
    context.globalAlpha = 1;
    for (const [style, width] of [
      [colour.paper, 4],
      [colour.ink, 1.5],
    ]) {
      const w = Math.max(cell.w, 8),
        h = Math.max(cell.h, 8);
      Object.assign(context, { strokeStyle: style, lineWidth: width });
      context.strokeRect(x - w / 2, y - h / 2, w, h);
    }

    // the hand of the cell: its sine falls down on the column, its cosine goes level to the row
    const tip = clock(context, colour, dial, angle, colour.ink);
    line(
      context,
      own,
      5,
      cosine
        ? [
            [dial.x, dial.y],
            [dial.x, tip[1]],
          ]
        : [
            [dial.x, dial.y],
            [tip[0], dial.y],
          ],
    );
    line(context, own, 1.5, cosine ? [tip, [x, tip[1]]] : [tip, [tip[0], y]], [4, 3]);
    for (const [a, b] of [tip, [across(value), y], [x, up(value)]]) dot(context, colour, a, b);
    read(Math.round(position), dim, d, base);
  }

  // The formula with the numbers put in
  function read(position, dim, d, base) {
    if (told === (told = [position, dim, d, base].join())) return;
    const pair = dim >> 1,
      omega = frequency(pair, d, base),
      f = dim % 2 ? "cos" : "sin";
    const period = (2 * Math.PI) / omega,
      wave = `the ${dim % 2 ? "cosine" : "sine"} of pair i = ${pair}`,
      back = `back every ${period < 100 ? period.toFixed(2) : grouped(period)} positions`;
    reading.replaceChildren(
      element("p", {}, ...bold(`**Position ${position}, dimension ${dim}:** ${wave}, ${back}`)),
      element(
        "p",
        { class: "ex-formula" },
        `PE(${position}, ${dim}) = ${f}(${position} / ${grouped(base)}`,
        element("sup", {}, `2·${pair}/${d}`),
        `) = ${f}(${position} × ${significant(omega)}) = ${f}(${significant(position * omega)}) = `,
        element("b", {}, decimals(entry(position, dim, d, base))),
      ),
    );
  }

  canvas.addEventListener("keydown", (event) => {
    const [name, by] = KEYS[event.key] ?? [];
    if (!name) return;
    event.preventDefault();
    choose({ [name]: Math.round(model.get(name)) + by });
  });

  // A hand is wound; in the table a cell is pointed at, in the column a position, along the row a dimension.
  const within = (box, { x, y }) => x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
  const dials = () => {
    const [d, base] = [model.get("d_model"), model.get("base")],
      pair = model.get("dim") >> 1;
    const small = Array.from({ length: Math.ceil(d / 2 / at.every) }, (_, k) => k * at.every);
    return [
      { ...at.dial, frequency: frequency(pair, d, base) },
      ...small.map((i) => ({
        x: at.table.x + (2 * i + 1) * at.cell.w,
        y: at.dials,
        r: at.small - 8,
        frequency: frequency(i, d, base),
      })),
    ];
  };
  wind(
    canvas,
    dials,
    () => model.get("position"),
    (wanted) => {
      const inside = Math.min(Math.max(wanted, 0), model.get("positions") - 1);
      choose({ position: inside });
      return inside;
    },
    {
      grab: (point) =>
        within(at.table, point)
          ? ["position", "dim"]
          : within(at.column, point)
            ? ["position"]
            : within(at.row, point)
              ? ["dim"]
              : undefined,
      move(names, { x, y }) {
        const wanted = {
          dim: Math.floor((x - at.table.x) / at.cell.w),
          position: Math.floor((y - at.table.y) / at.cell.h),
        };
        choose(Object.fromEntries(names.map((name) => [name, wanted[name]])));
      },
    },
  );

  return {
    stop: redrawOn(model, TRAITS, el, canvas, draw),
    parts: {
      table: () => at.table,
      row: () => at.row,
      column: () => at.column,
      clocks: () => ({ x: at.row.x, y: at.dials - at.small, w: at.row.w, h: 2 * at.small }),
      hand: () => ({ x: at.dial.x - at.dial.r, y: at.dial.y - at.dial.r, w: 2 * at.dial.r, h: 2 * at.dial.r }),
    },
  };
}

export const done = {
  main: ({ position }) =>
    Math.abs(position - 44) < 0.05
      ? "Found: row 44. Seven turns of the first hand take 43.98 positions. The other hands have moved on."
      : "",
  numbers: ({ position, dim }) =>
    dim < 2 && Math.abs(position - 5.5) < 0.55
      ? `Found: at position ${Math.round(position)} the first hand points left and up.`
      : "",
  bands: ({ dim }) => (dim >> 1 === 2 ? `Found: column ${dim}. Its hand makes half a turn in 31.4 rows.` : ""),
};

const fits = ({ base, d_model, dim, position, positions }) => base > 1 && dim < d_model && position <= positions - 1;

export default stage(ABOUT, scene, {
  done,
  fits,
  play: { trait: "position", unit: 450, high: ({ positions }) => positions - 1 },
});
