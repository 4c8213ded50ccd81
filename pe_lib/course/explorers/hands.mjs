// A sentence slides under a pointer, clocks turn, what the hands point at is a row of numbers, and
// the rows of all positions are a table.
import { encodeTable, entry, frequency } from "./maths.mjs";
import { clock, dark, dot, paint, redrawOn } from "./draw.mjs";
import { decimals, element, fill, slider, wind } from "./controls.mjs";

const BASE = 10_000, PACE = 450; // milliseconds a word
const KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10,
               Home: -Infinity, End: Infinity };

// Where things stand in a canvas of this size
export function layout(width, height, d, words) {
  const cell = width / d, r = Math.min(0.8 * cell, 36), dials = 56 + r, row = dials + r + 14;
  return { cell, r, dials, row, tall: 26, table: row + 40, step: (height - row - 42) / words,
           gap: Math.max(84, width / 8) };
}

function render({ model, el }) {
  const d = model.get("d_model"), words = model.get("words"), last = words.length - 1;
  const inside = (t) => Math.min(Math.max(t, 0), last);
  const place = (t) => { model.set("position", inside(t)); model.save_changes(); };
  const table = encodeTable(words.length, d, BASE);

  const position = slider(model, {
    name: "position", label: "position", min: 0, max: () => last, step: Math.round,
    text: (t) => (Number.isInteger(t) ? String(t) : t.toFixed(1)),
  });
  position.row.querySelector("input").addEventListener("input", () => run(false));
  const play = element("button", { type: "button", class: "ex-button" });
  play.addEventListener("click", () => run(!model.get("playing")));
  const canvas = element("canvas", {
    class: "ex-canvas ex-hands", tabindex: 0, role: "application", "aria-roledescription": "clocks and table",
    "aria-label": "A sentence under a pointer, a clock for each pair of dimensions, the row of this position and "
      + "the table of all rows. The arrow keys move by a word, Page Up and Page Down by ten.",
  });
  const reading = element("div", { class: "ex-reading" });
  fill(el, canvas, element("div", { class: "ex-playing" }, position.row, play), reading);

  // The sentence runs, until its end or until somebody takes hold of it
  let frame = 0;
  function run(on) {
    cancelAnimationFrame(frame);
    if (on && model.get("position") >= last) model.set("position", 0);
    model.set("playing", on);
    model.save_changes();
    let before = performance.now();
    const step = (now) => {
      const t = inside(model.get("position") + (now - before) / PACE);
      before = now;
      model.set("position", t);
      if (t < last) frame = requestAnimationFrame(step);
      else run(false);
    };
    if (on) frame = requestAnimationFrame(step);
  }

  const pixels = new Uint32Array(words.length * d), picture = document.createElement("canvas");
  Object.assign(picture, { width: d, height: words.length });
  paint(table, pixels);
  picture.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), d, words.length), 0, 0);
  const one = new Uint32Array(1), rgb = () => `rgb(${one[0] & 255} ${(one[0] >> 8) & 255} ${(one[0] >> 16) & 255})`;

  let told = "", shown = layout(680, 400, d, words.length);

  function draw(context, { width, height }, colour) {
    const t = model.get("position"), at = shown = layout(width, height, d, words.length);
    position.refresh();
    play.textContent = model.get("playing") ? "Pause" : "Play";

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
    for (const [dx, y] of [[0, 40], [-5, 47], [5, 47]]) context.lineTo(width / 2 + dx, y);
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
    if (told === (told = [t.toFixed(1), row].join())) return;
    reading.replaceChildren(element("p", { class: "ex-formula" },
      element("b", {}, `Position ${position.row.querySelector("output").textContent}, “${words[Math.round(t)]}”: `),
      d > 6 ? `${row} …` : row));
  }

  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    run(false);
    place(Math.round(model.get("position")) + KEYS[event.key]);
  });
  const dials = () => Array.from({ length: d / 2 }, (_, i) => (
    { x: (2 * i + 1) * shown.cell, y: shown.dials, r: shown.r, frequency: frequency(i, d, BASE) }));
  const held = wind(canvas, dials, () => model.get("position"), (t) => { run(false); place(t); return inside(t); });

  // Beside the clocks the sentence is pulled, and a row of the table is pointed at
  let pulled;
  const seen = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const pull = ({ x, y }) => place(pulled.strip ? pulled.from - (x - pulled.x) / shown.gap : (y - shown.table) / shown.step - 0.5);
  canvas.addEventListener("pointerdown", (event) => {
    const { x, y } = seen(event);
    if (held() || (y > 50 && y < shown.table)) return;
    run(false);
    canvas.setPointerCapture(event.pointerId);
    pulled = { strip: y <= 50, x, from: model.get("position") };
    if (!pulled.strip) pull({ x, y });
  });
  canvas.addEventListener("pointermove", (event) => { if (pulled) pull(seen(event)); });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { pulled = undefined; });

  // Where it is to play, it begins when somebody is there: moves, touches, scrolls or presses a key
  const signs = ["pointermove", "pointerdown", "scroll", "keydown"], here = new AbortController();
  if (model.get("playing")) {
    model.set("playing", false);
    const begin = ({ target }) => {
      here.abort();
      if (!el.contains(target)) run(!matchMedia("(prefers-reduced-motion: reduce)").matches);
    };
    for (const sign of signs) addEventListener(sign, begin, { signal: here.signal, passive: true });
  }

  const stop = redrawOn(model, ["position", "playing"], el, canvas, draw);
  return () => { here.abort(); cancelAnimationFrame(frame); stop(); };
}

export default { render };
