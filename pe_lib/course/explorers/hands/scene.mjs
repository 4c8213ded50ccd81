// A sentence slides under a pointer, clocks turn, what the hands point at is a row of numbers, and
// the rows of all positions are a table.
/* global ABOUT */
import { encodeTable, entry, frequency } from "../maths.mjs";
import { clock, dark, dot, paint, redrawOn } from "../frame/draw.mjs";
import { decimals, element, fill, slider } from "../frame/controls.mjs";
import { wind } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";

const BASE = 10_000;
const KEYS = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
};

// Where things stand in a canvas of this size
export function layout(width, height, d, words) {
  const cell = width / d,
    r = Math.min(0.8 * cell, 36),
    dials = 56 + r,
    row = dials + r + 14;
  return {
    cell,
    r,
    dials,
    row,
    tall: 26,
    table: row + 40,
    step: (height - row - 42) / words,
    gap: Math.max(84, width / 8),
  };
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const d = model.get("d_model"),
    words = model.get("words"),
    last = words.length - 1;
  const inside = (t) => Math.min(Math.max(t, 0), last);
  const place = (t) => {
    model.set("position", inside(t));
    model.save_changes();
  };
  const table = encodeTable(words.length, d, BASE);

  const position = slider(model, {
    name: "position",
    label: "position",
    min: 0,
    max: () => last,
    step: Math.round,
    text: (t) => (Number.isInteger(t) ? String(t) : t.toFixed(1)),
  });
  const canvas = element("canvas", {
    class: "ex-canvas ex-hands",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "clocks and table",
    "aria-label":
      "A sentence under a pointer, a clock for each pair of dimensions, the row of this position and " +
      "the table of all rows. The arrow keys move by a word, Page Up and Page Down by ten.",
  });
  const reading = element("div", { class: "ex-reading" });
  fill(el, canvas, position.row, reading);

  const pixels = new Uint32Array(words.length * d),
    picture = document.createElement("canvas");
  Object.assign(picture, { width: d, height: words.length });
  paint(table, pixels);
  picture.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), d, words.length), 0, 0);
  const one = new Uint32Array(1),
    rgb = () => `rgb(${one[0] & 255} ${(one[0] >> 8) & 255} ${(one[0] >> 16) & 255})`;

  let told = "",
    shown = layout(680, 400, d, words.length);

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const t = model.get("position"),
      at = (shown = layout(width, height, d, words.length));
    position.refresh();

    // the sentence, as a strip under a pointer
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    words.forEach((word, k) => {
      const x = width / 2 + (k - t) * at.gap;
      if (x < 0 || x > width) return;
      const near = Math.abs(k - t) < 0.5;
      context.font = `${near ? "600 " : ""}16px ${colour.font}`;
      context.fillStyle = near ? colour.ink : colour.muted;
      context.fillText(word, x, 18);
      context.font = `12px ${colour.font}`;
      context.fillText(k, x, 36);
    });
    context.fillStyle = colour.orange;
    context.beginPath();
    for (const [dx, y] of [
      [0, 40],
      [-5, 47],
      [5, 47],
    ])
      context.lineTo(width / 2 + dx, y);
    context.fill();

    // a clock a pair, and under it the two numbers that its hand points at
    for (let i = 0; i < d / 2; i++) {
      const x = (2 * i + 1) * at.cell;
      dot(context, colour, ...clock(context, colour, { x, y: at.dials, r: at.r }, t * frequency(i, d, BASE)));
    }
    for (let j = 0; j < d; j++) {
      const value = entry(t, j, d, BASE);
      paint([value], one);
      context.fillStyle = rgb();
      context.fillRect(j * at.cell + 0.5, at.row, at.cell - 1, at.tall);
      if (at.cell < 38) continue;
      context.fillStyle = dark(value) ? "#fefefe" : "#010101";
      context.fillText(decimals(value, 2), (j + 0.5) * at.cell, at.row + 17);
    }

    // the rows that were passed, over a table that waits for its rows
    const passed = Math.floor(t) + 1;
    context.strokeStyle = colour.grid;
    context.lineWidth = 1;
    context.strokeRect(0.5, at.table + 0.5, width - 1, at.step * words.length - 1);
    context.save();
    context.beginPath();
    context.rect(0, at.table, width, at.step * passed);
    context.clip();
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, 0, at.table, width, at.step * words.length);
    context.restore();
    context.strokeStyle = colour.ink;
    context.lineWidth = 2;
    context.strokeRect(1, at.table + Math.floor(t) * at.step, width - 2, at.step);

    const row = Array.from({ length: Math.min(d, 6) }, (_, j) => decimals(entry(t, j, d, BASE), 2)).join("  ");
    const here = `Position ${Number.isInteger(t) ? t : t.toFixed(1)}, “${words[Math.round(t)]}”: `;
    if (told === (told = here + row)) return;
    reading.replaceChildren(element("p", { class: "ex-formula" }, element("b", {}, here), d > 6 ? `${row} …` : row));
  }

  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    place(Math.round(model.get("position")) + KEYS[event.key]);
  });
  const dials = () =>
    Array.from({ length: d / 2 }, (_, i) => ({
      x: (2 * i + 1) * shown.cell,
      y: shown.dials,
      r: shown.r,
      frequency: frequency(i, d, BASE),
    }));
  // Beside the clocks the sentence is pulled, and a row of the table is pointed at
  wind(
    canvas,
    dials,
    () => model.get("position"),
    (t) => {
      place(t);
      return inside(t);
    },
    {
      grab: ({ x, y }) => (y <= 50 ? { x, from: model.get("position") } : y >= shown.table ? {} : undefined),
      move: ({ x: begun, from }, { x, y }) =>
        place(begun === undefined ? (y - shown.table) / shown.step - 0.5 : from - (x - begun) / shown.gap),
    },
  );

  const stop = redrawOn(model, ["position"], el, canvas, draw);
  const across = (y, h) => ({ x: 0, y, w: canvas.clientWidth, h });
  return {
    stop,
    parts: {
      sentence: () => across(0, 50),
      clocks: () => across(shown.dials - shown.r - 4, 2 * shown.r + 8),
      quick: () => ({ x: 0, y: shown.dials - shown.r - 4, w: 2 * shown.cell, h: 2 * shown.r + 8 }),
      row: () => across(shown.row, shown.tall),
      table: () => across(shown.table, canvas.clientHeight - shown.table),
    },
  };
}

// One more whole turn of the first hand, or as near to it as a word can stand
const TURN = 2 * Math.PI;
const said = (t) => (Number.isInteger(t) ? String(t) : decimals(t, 1));
export const done = {
  main: ({ position }) =>
    position > 12 && Math.abs((position % TURN) - 5) < 0.3
      ? `Found: at ${said(position)} the first hand is nearly where it was at 5, and all the others have moved on.`
      : "",
  speeds: ({ d_model, position }) =>
    Math.cos(position * frequency(1, d_model, BASE)) < -0.99
      ? `Found: at ${said(position)}. Half a wavelength is half a turn.`
      : "",
};

export const fits = ({ words, position }) =>
  words.length > 1 && words.every((word) => typeof word === "string") && position <= words.length - 1;

export default stage(ABOUT, scene, {
  done,
  fits,
  play: { trait: "position", unit: 450, high: ({ words }) => words.length - 1, auto: ({ playing }) => playing },
});
