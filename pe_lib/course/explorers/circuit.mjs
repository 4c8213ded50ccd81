// Two causal layers without positions: where the word at a place looks, and where what it sees looked.
/* global ABOUT */
import { dot, line, redrawOn } from "./draw.mjs";
import { decimals, element, fill, slider } from "./controls.mjs";
import { drag } from "./drag.mjs";
import { stage } from "./stage.mjs";

const LENGTH = 16;
const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

// The weights that the word at each place gives, row by row, from a byte each in base 64
export function weights(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return Array.from({ length: LENGTH }, (_, t) => Array.from(bytes.subarray(t * LENGTH, (t + 1) * LENGTH), (byte) => byte / 255));
}

// What a row looks at, in a sentence: the word before, itself, and the others
export function looks(row, t) {
  if (t === 0) return "itself alone";
  const rest = row.slice(0, t - 1).reduce((sum, share) => sum + share, 0);
  return `word before ${decimals(row[t - 1], 2)}, itself ${decimals(row[t], 2)}`
    + (t > 1 ? `, ${t - 1} others ${decimals(rest, 2)} together` : "");
}

// Where the largest weight of a row lies
export const most = (row) => row.indexOf(Math.max(...row));

function scene({ model, el }) {
  const inside = (t) => Math.min(Math.max(Math.round(t), 0), LENGTH - 1);
  const place = (t) => { model.set("position", inside(t)); model.save_changes(); };
  const position = slider(model, { name: "position", label: "word", min: 0, max: () => LENGTH - 1 });
  const canvas = element("canvas", {
    class: "ex-canvas ex-circuit", tabindex: 0, role: "application", "aria-roledescription": "two layers of attention",
    "aria-label": "Three rows of sixteen words: before, after layer 1, after layer 2. Lines go down from one word to those it looks at, "
      + "thicker for more weight. The arrow keys choose the word.",
  });
  const reading = element("div", { class: "ex-reading" });
  fill(el, canvas, position.row, reading);

  let maps, from, size = { width: 640, height: 300 };
  const x = (t) => ((t + 0.5) * size.width) / LENGTH;
  const level = (n) => size.height - 30 - (n * (size.height - 60)) / 2; // words, after layer 1, after layer 2

  function draw(context, now, colour) {
    const t = model.get("position"), given = model.get("maps");
    size = now;
    if (from !== given) maps = (from = given).map(weights);
    const [first, second] = maps;
    position.refresh();
    // of layer 1 what every word saw, and with its weights what the word saw at which layer 2 looks most
    const top = most(second[t]);
    for (let s = 0; s <= t; s++) for (let u = 0; u <= s; u++) line(context, colour.grid, 0.5, [[x(s), level(1)], [x(u), level(0)]]);
    for (let u = 0; u <= top; u++) line(context, colour.blue, Math.max(26 * first[top][u], 0.3), [[x(top), level(1)], [x(u), level(0)]]);
    for (let s = 0; s <= t; s++) line(context, colour.orange, Math.max(26 * second[t][s], 0.3), [[x(t), level(2)], [x(s), level(1)]]);

    Object.assign(context, { textAlign: "center", textBaseline: "middle" });
    for (let n = 0; n < 3; n++) {
      for (let s = 0; s < LENGTH; s++) {
        const seen = n === 2 ? s === t : s <= t;
        context.fillStyle = seen ? colour.ink : colour.grid;
        context.beginPath();
        context.arc(x(s), level(n), seen ? 4 : 3, 0, 2 * Math.PI);
        context.fill();
      }
    }
    dot(context, colour, x(t), level(2));
    for (let s = 0; s < LENGTH; s++) {
      context.font = `${s === t ? "600 " : ""}12px ${colour.font}`;
      context.fillStyle = s === t ? colour.ink : colour.muted;
      for (const y of [level(0) + 17, level(2) - 17]) context.fillText(s, x(s), y);
    }
    // what the weights of layer 2 are, where they are more than a trifle
    context.font = `12px ${colour.font}`;
    context.textBaseline = "alphabetic";
    Object.assign(context, { strokeStyle: colour.paper, lineWidth: 5, lineJoin: "round" });
    for (let s = 0; s <= t; s++) {
      if (second[t][s] < 0.095) continue;
      const said = decimals(second[t][s], 2).replace("0.", ".");
      context.strokeText(said, x(s), level(1) - 8);
      context.fillStyle = colour.ink;
      context.fillText(said, x(s), level(1) - 8);
    }
    reading.replaceChildren(...[[2, t, second], [1, top, first]].map(([n, s, map]) => (
      element("p", {}, element("b", {}, `Layer ${n}, from ${s}: `), `${looks(map[s], s)}.`))));
  }

  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    place(model.get("position") + KEYS[event.key]);
  });
  drag(canvas, { grab: () => true, move: (_, point) => place((point.x / size.width) * LENGTH - 0.5) });
  const band = (low, high) => ({ x: 0, y: level(high) - 6, w: size.width, h: level(low) - level(high) + 12 });
  return { stop: redrawOn(model, ["position", "maps"], el, canvas, draw),
           parts: { first: () => band(0, 1), second: () => band(1, 2) } };
}

export const done = {
  main: ({ position }) => (position === 4
    ? "Found: from 4 on, the word before has the largest weight in every row. Before that, words look at themselves." : ""),
};

const fits = ({ maps }) => maps.length === 2 && maps.every((text) => {
  try { return typeof text === "string" && atob(text).length === LENGTH ** 2; } catch { return false; }
});

export default stage(ABOUT, scene, { done, fits, play: { trait: "position", unit: 700 } });
