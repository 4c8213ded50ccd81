// Eight layers of a real model: which of them turn, how far each sees, and which see a word.
/* global ABOUT */
import { clock, dot, line, redrawOn } from "../frame/draw.mjs";
import { choice, element, fill, grouped, slider } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";

const LAYERS = 8,
  FOOT = 56; // pixels below the layers
const KEYS = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

// The layers from below: [whether it turns, how many positions it sees or null for all]
export const layers = ({ group }) => Array.from({ length: LAYERS }, (_, n) => group[n % group.length]);

// Whether a layer sees a word so far back: of n positions the last is its own
export const sees = ([, width], distance) => width === null || distance < width;

// Through how many layers, one after another, a word so far back is handed on: 1 if one sees it
export const steps = (stack, distance) =>
  stack.some((layer) => sees(layer, distance))
    ? 1
    : Math.ceil(distance / (Math.max(...stack.map(([, width]) => width)) - 1));

// Distances from 10 to 100,000 in tenths of a decade
const DECADES = 4,
  step = (distance) => 10 * (Math.log10(distance) - 1);
const value = (n) => Math.round(10 ** (1 + Math.min(Math.max(n, 0), 10 * DECADES) / 10));

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const { stacks } = ABOUT;
  const set = (name, wanted) => {
    model.set(name, wanted);
    model.save_changes();
  };
  const which = choice(
    "model",
    Object.keys(stacks).map((name) => [name, name]),
    () => model.get("model"),
    (name) => set("model", name),
  );
  const distance = slider(model, {
    name: "distance",
    label: "distance",
    min: 0,
    max: () => 10 * DECADES,
    value,
    step,
    text: grouped,
    unit: "positions back",
  });
  const canvas = element("canvas", {
    class: "ex-canvas ex-stack",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "stack of layers",
    "aria-label":
      "Eight layers, one above another, each with a bar as long as it sees. The left and right arrow keys move the word.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, which.row, canvas, distance.row, reading);

  let size = { width: 640, height: 300 };
  const left = 44,
    across = () => (size.width - left - 12) / (10 * DECADES),
    x = (d) => left + across() * step(d),
    tall = () => (size.height - FOOT) / LAYERS;
  const y = (n) => (LAYERS - n - 0.5) * tall();

  /** @type {Draw} */
  function draw(context, now, colour) {
    size = now;
    const far = model.get("distance"),
      name = model.get("model"),
      stack = layers(stacks[name]),
      h = tall();
    which.refresh();
    distance.refresh();
    Object.assign(context, { textAlign: "center", textBaseline: "middle", font: `12px ${colour.font}` });
    for (const d of [10, 100, 1_000, 10_000, 100_000]) {
      line(context, colour.grid, 1, [
        [x(d), 0],
        [x(d), size.height - FOOT + 4],
      ]);
      context.fillStyle = colour.muted;
      context.fillText(grouped(d), Math.min(x(d), size.width - 22), size.height - FOOT + 14);
    }
    context.fillText("positions back", (left + size.width) / 2, size.height - FOOT + 30);
    context.fillText("clock: turned · dashed ring: no positions", size.width / 2, size.height - 8);
    stack.forEach((layer, n) => {
      const [turns, width] = layer,
        found = sees(layer, far),
        end = width === null ? size.width - 2 : x(width - 1);
      context.fillStyle = found ? colour.blue : colour.grid;
      context.fillRect(left, y(n) - 0.3 * h, end - left, 0.6 * h);
      if (turns) clock(context, colour, { x: 22, y: y(n), r: 0.36 * h }, 1, colour.ink);
      else {
        Object.assign(context, { strokeStyle: colour.muted, lineWidth: 1.5 });
        context.setLineDash([2, 3]);
        context.beginPath();
        context.arc(22, y(n), 0.36 * h, 0, 2 * Math.PI);
        context.stroke();
        context.setLineDash([]);
      }
      if (width === null) return;
      context.textAlign = "right";
      context.fillStyle = found ? colour.paper : colour.ink;
      context.fillText(grouped(width), end - 6, y(n));
      context.textAlign = "center";
    });
    line(context, colour.orange, 2, [
      [x(far), 0],
      [x(far), size.height - FOOT + 4],
    ]);
    stack.forEach((layer, n) => {
      if (sees(layer, far)) dot(context, colour, x(far), y(n));
    });
    tell(name, stack, far);
  }

  let told = "";
  function tell(name, stack, far) {
    if (told === (told = [name, far].join())) return;
    const found = stack.filter((layer) => sees(layer, far)),
      bare = found.every(([turns]) => !turns),
      way = steps(stack, far);
    const count = `${found.length || "none"} of the ${LAYERS} layers drawn.`;
    reading.replaceChildren(
      element(
        "p",
        {},
        element("b", {}, `${grouped(far)} back: ${count} `),
        found.length === 0
          ? `Handed on from layer to layer, it takes ${way}.`
          : bare
            ? "They have no positions."
            : stacks[name].chunks
              ? "Those that turn see it if it lies in the same chunk."
              : "",
      ),
      element("p", {}, `${name}: ${stacks[name].says}.`),
    );
  }

  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    set("distance", value(Math.round(step(model.get("distance"))) + KEYS[event.key]));
  });
  drag(canvas, { grab: () => true, move: (_, point) => set("distance", value((point.x - left) / across())) });
  return {
    stop: redrawOn(model, ["model", "distance"], el, canvas, draw),
    parts: {
      layers: () => ({ x: 2, y: 0, w: size.width - 4, h: size.height - FOOT }),
      word: () => ({ x: x(model.get("distance")) - 8, y: 0, w: 16, h: size.height - FOOT + 4 }),
    },
  };
}

export const done = {
  main: ({ model, distance }) =>
    model === "Llama 4 Scout" && distance > 8_191
      ? "Found: beyond 8,191 no layer that turns sees the word. What is farther comes in without positions."
      : "",
};

export default stage(ABOUT, scene, { done });
