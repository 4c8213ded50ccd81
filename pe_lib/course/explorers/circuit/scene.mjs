// Two causal layers without positions: where the word at a place looks, where the word before it looked, and the answer.
/* global ABOUT */
import { dot, line, redrawOn } from "../frame/draw.mjs";
import { bold, choice, decimals, element, fill, slider } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";

const LENGTH = 16,
  LETTERS = "abcdefgh";
const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

// The weights that the word at each place gives, row by row, from a byte each in base 64
export function weights(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return Array.from({ length: LENGTH }, (_, t) =>
    Array.from(bytes.subarray(t * LENGTH, (t + 1) * LENGTH), (byte) => byte / 255),
  );
}

// What a row looks at, in a sentence: the word before, itself, and the others
export function looks(row, t) {
  if (t === 0) return "itself alone";
  const rest = row.slice(0, t - 1).reduce((sum, share) => sum + share, 0);
  const others = t > 1 ? `, ${t - 1} others ${decimals(rest, 2)} together` : "";
  return `word before ${decimals(row[t - 1], 2)}, itself ${decimals(row[t], 2)}${others}`;
}

// What the word at a place answers when it is asked for the word before, and whether that is so
export function answered({ words }, { answers }, t) {
  if (t === 0) return "Before the first word stands none.";
  const [answer, asked] = [LETTERS[answers[t]], LETTERS[words[t - 1]]];
  return answer === asked
    ? `It answers ${answer}, which is right.`
    : `It answers ${answer}, which is wrong: before it stands ${asked}.`;
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const inside = (t) => Math.min(Math.max(Math.round(t), 0), LENGTH - 1);
  const place = (t) => {
    model.set("position", inside(t));
    model.save_changes();
  };
  const position = slider(model, { name: "position", label: "word", min: 0, max: () => LENGTH - 1 });
  const canvas = element("canvas", {
    class: "ex-canvas ex-circuit",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "two layers of attention",
    "aria-label":
      "Three rows of sixteen words: before, after layer 1, after layer 2. Orange lines go down from one word to those it looks " +
      "at in layer 2, blue ones from the word before to those it looked at in layer 1, thicker for more weight. The arrow keys choose the word.",
  });
  const reading = element("div", { class: "ex-reading" });
  const network = choice(
    "network",
    [
      ["trained", "trained"],
      ["untrained", "untrained"],
    ],
    () => (model.get("trained") ? "trained" : "untrained"),
    (name) => {
      model.set("trained", name === "trained");
      model.save_changes();
    },
  );
  fill(el, network.row, canvas, position.row, reading);

  let maps,
    from,
    size = { width: 640, height: 300 };
  const x = (t) => ((t + 0.5) * size.width) / LENGTH;
  const level = (n) => size.height - 30 - (n * (size.height - 60)) / 2; // words, after layer 1, after layer 2

  /** @type {Draw} */
  function draw(context, now, colour) {
    const t = model.get("position"),
      text = model.get("text"),
      given = text[model.get("trained") ? "trained" : "untrained"];
    size = now;
    if (from !== given) maps = (from = given).maps.map(weights);
    const [first, second] = maps;
    for (const part of [position, network]) part.refresh();
    // of layer 1 what every word saw, and with its weights what the word before saw
    const top = Math.max(t - 1, 0);
    for (let s = 0; s <= t; s++)
      for (let u = 0; u <= s; u++)
        line(context, colour.grid, 0.5, [
          [x(s), level(1)],
          [x(u), level(0)],
        ]);
    for (let u = 0; u <= top; u++)
      line(context, colour.blue, Math.max(26 * first[top][u], 0.3), [
        [x(top), level(1)],
        [x(u), level(0)],
      ]);
    for (let s = 0; s <= t; s++)
      line(context, colour.orange, Math.max(26 * second[t][s], 0.3), [
        [x(t), level(2)],
        [x(s), level(1)],
      ]);

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
    const name = (text, s, y) => {
      context.font = `${s === t ? "600 " : ""}12px ${colour.font}`;
      context.fillStyle = s === t ? colour.ink : colour.muted;
      context.fillText(text, x(s), y);
    };
    for (let s = 0; s < LENGTH; s++) name(s, s, level(2) - 17);
    for (let s = 0; s < LENGTH; s++) name(LETTERS[text.words[s]], s, level(0) + 17);
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
    reading.replaceChildren(
      ...[
        [2, t, second],
        [1, top, first],
      ].map(([n, s, map]) =>
        element("p", {}, ...bold(`**Layer ${n}, from ${LETTERS[text.words[s]]} at ${s}:** ${looks(map[s], s)}.`)),
      ),
      element("p", {}, answered(text, given, t)),
    );
  }

  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    place(model.get("position") + KEYS[event.key]);
  });
  drag(canvas, { grab: () => true, move: (_, point) => place((point.x / size.width) * LENGTH - 0.5) });
  const band = (low, high) => ({ x: 0, y: level(high) - 6, w: size.width, h: level(low) - level(high) + 12 });
  return {
    stop: redrawOn(model, ["position", "trained", "text"], el, canvas, draw),
    parts: { first: () => band(0, 1), second: () => band(1, 2) },
  };
}

export const done = {
  main: ({ position, trained, text }) =>
    trained && position > 0 && text.trained.answers[position] !== text.words[position - 1]
      ? `Found: ${answered(text, text.trained, position)}`
      : "",
};

const whole = (words) =>
  Array.isArray(words) && words.length === LENGTH && words.every((word) => LETTERS[word] !== undefined);
const fits = ({ text }) =>
  whole(text?.words) &&
  ["trained", "untrained"].every(
    (name) =>
      whole(text[name]?.answers) &&
      text[name].maps?.length === 2 &&
      text[name].maps.every((map) => {
        try {
          return typeof map === "string" && atob(map).length === LENGTH ** 2;
        } catch {
          return false;
        }
      }),
  );

export default stage(ABOUT, scene, { done, fits, play: { trait: "position", unit: 700 } });
