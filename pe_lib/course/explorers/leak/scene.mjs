// What an untrained network knows of the order: words are shuffled, and the sums below them run along.
/* global ABOUT */
import { bold, checkbox, choice, decimals, element, fill, slider } from "../frame/controls.mjs";
import { clock, line as stroke, paint, redraw } from "../frame/draw.mjs";
import {
  apart,
  changes,
  DEEPEST,
  explained,
  LENGTH,
  NOTHING,
  probe,
  run,
  sequences,
  spread,
  standing,
  variance,
} from "./network.mjs";
import { glide, line, moved } from "../words.mjs";
import { stage } from "../frame/stage.mjs";

/** @typedef {{ causal: boolean, layers: number, encoded: boolean, shuffle: number, order: number[], meter: string }} State */
const TRAITS = ["causal", "layers", "encoded", "shuffle", "order", "meter"];
const LETTERS = "abcdefghijkl",
  LAST = LENGTH - 1,
  ALL = Array.from({ length: LENGTH }, (_, k) => k);
const CELL = 4; // pixels of a number in a column of eight

// The first sentence read in an order, and in its own: for each layer the weights and sums of each word, and whether
// a sum is another one now
export function reading(causal, layers, encoded, order) {
  const [first] = sequences(),
    before = run([first], causal, layers, encoded).streams,
    { streams, weights } = run([order.map((word) => first[word])], causal, layers, encoded);
  const at = ALL.map((word) => order.indexOf(word));
  return weights.map((given, n) => {
    const sums = at.map((t) => streams[n + 1][t]);
    return {
      sums,
      weights: at.map((t) => at.map((s) => given[t][s])),
      change: sums.map((sum, word) => apart(sum, before[n + 1][word])),
    };
  });
}

// The dots of the other meter, made once for each of the twelve networks
const known = new Map();
function cloud(causal, layers, encoded) {
  const key = [causal, layers, encoded].join();
  if (!known.has(key)) known.set(key, spread(causal, layers, encoded));
  return known.get(key);
}

// What is drawn where, in a canvas of this size with so many layers
export function layout(width, height, layers, encoded) {
  const slot = width / LENGTH,
    tile = 16,
    top = encoded ? 54 : 34,
    foot = height - 46,
    strip = 8 * CELL;
  const step = (foot - strip - top) / layers;
  return {
    slot,
    tile,
    clock: 42,
    pill: [slot - 2, 28],
    top,
    strip,
    foot,
    sums: ALL.slice(0, layers).map((n) => top + step * (n + 1)),
  };
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const state = () => /** @type {State} */ (Object.fromEntries(TRAITS.map((name) => [name, model.get(name)])));
  if (!fits(state())) throw new Error(`order must hold 0 to ${LAST} once, the last at the end`);
  const toggle = (name, label) =>
    checkbox(
      label,
      () => model.get(name),
      (on) => set(name, on),
    );
  const parts = [
    choice(
      "layers",
      ["1", "2", "3"].map((n) => [n, n]),
      () => String(model.get("layers")),
      (n) => set("layers", Number(n)),
    ),
    toggle("causal", "mask"),
    toggle("encoded", "positions"),
    slider(model, {
      name: "shuffle",
      label: "shuffle",
      min: 0,
      max: () => 99,
      text: (n) => (n ? `no. ${n}` : "none"),
    }),
    choice(
      "look at",
      [
        ["shuffle", "a shuffle"],
        ["variance", "the variance"],
      ],
      () => model.get("meter"),
      (meter) => set("meter", meter),
    ),
  ];
  const canvas = element("canvas", {
    class: "ex-canvas ex-leak",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "network",
    "aria-label":
      "Words, and below each the sums that the layers make of it, with the change after a shuffle; or the spread " +
      "of what attention adds. Left and right arrow take another shuffle, up and down another number of layers.",
  });
  const [first] = sequences(),
    order = () => standing(state());
  const words = line(
    canvas,
    first.map((token) => LETTERS[token]),
    {
      label: "The words but the last.",
      most: LAST - 1,
      chosen: () => chosen,
      place: (k) => order().indexOf(k),
      choose(k) {
        chosen = k;
        schedule();
      },
      put(k, place, rests) {
        const base = standing({ shuffle: model.get("shuffle"), order: ALL }),
          to = moved(order(), k, Math.round(place));
        if (to.join() !== order().join())
          model.set(
            "order",
            to.map((word) => base.indexOf(word)),
          );
        if (rests) model.save_changes();
        schedule();
      },
    },
  );
  const says = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(
    el,
    element("div", { class: "ex-choices ex-tight" }, parts[0].row, parts[1].row, parts[2].row),
    words.node,
    element("div", { class: "ex-controls" }, parts[3].row, parts[4].row),
    says,
  );

  const glides = glide(240),
    one = new Uint32Array(1);
  let chosen = 0,
    schedule = () => {},
    at = layout(680, 340, 1, false),
    told = "",
    read = { key: "" };

  /** @type {Draw} */
  function draw(context, size, colour) {
    const now = state(),
      { causal, layers, encoded, meter } = now,
      places = order(),
      key = [causal, layers, encoded, places].join();
    for (const part of parts) part.refresh();
    if (read.key !== key) read = { key, layers: reading(causal, layers, encoded, places), places };
    Object.assign(context, { textAlign: "center", textBaseline: "middle" });
    words.show(meter === "shuffle");
    if (meter === "shuffle") drawSums(context, size, colour, encoded);
    else drawSpread(context, size, colour, now);
    if (told !== (told = [key, meter].join())) tell(now, places);
  }

  function drawSums(context, { width, height }, colour, encoded) {
    at = layout(width, height, read.layers.length, encoded);
    const held = words.held(),
      targets = ALL.map((k) => (held?.k === k ? held.place : read.places.indexOf(k)));
    const { shown, moving } = glides([...targets, ...read.layers.flatMap(({ weights }) => weights.flat())], held?.k);
    if (moving) schedule();
    const xs = shown.slice(0, LENGTH).map((place) => (place + 0.5) * at.slot),
      most = Math.min(12, 0.6 * at.slot);
    const final = read.layers.length - 1,
      moves = read.places.some((k, t) => k !== t);

    read.layers.forEach((_, n) => {
      const from = n ? at.sums[n - 1] + at.strip + 2 : at.top,
        to = at.sums[n] - 2,
        middle = (from + to) / 2;
      for (const k of [...ALL.slice(0, LAST), LAST])
        for (const j of ALL) {
          const weight = shown[LENGTH + (n * LENGTH + k) * LENGTH + j],
            own = k === LAST && n === final;
          if (weight < 0.03) continue;
          Object.assign(context, {
            strokeStyle: own ? colour.orange : colour.blue,
            lineWidth: most * weight,
            globalAlpha: own ? 0.8 : 0.16,
          });
          context.beginPath();
          context.moveTo(xs[j], from);
          context.bezierCurveTo(xs[j], middle, xs[k], middle, xs[k], to);
          context.stroke();
        }
    });
    context.globalAlpha = 1;
    context.font = `12px ${colour.font}`;
    read.layers.forEach(({ sums, change }, n) =>
      ALL.forEach((k) => {
        const w = Math.min(at.slot - 5, 26),
          x = xs[k] - w / 2,
          y = at.sums[n];
        sums[k].forEach((v, c) => {
          paint([Math.max(-1, Math.min(1, v / 3))], one);
          context.fillStyle = `rgb(${one[0] & 255} ${(one[0] >> 8) & 255} ${(one[0] >> 16) & 255})`;
          context.fillRect(x, y + c * CELL, w, CELL);
        });
        if (change[k] < NOTHING || !moves) return;
        Object.assign(context, { strokeStyle: colour.muted, lineWidth: 1.5 }); // framed: not what it was
        context.strokeRect(x - 1, y - 1, w + 2, at.strip + 2);
      }),
    );

    const { change } = read.layers[final];
    ALL.forEach((k) => {
      const much = change[k] < NOTHING ? 0 : Math.min(1, change[k]),
        x = xs[k],
        own = k === LAST,
        w = Math.min(at.slot - 5, 26);
      context.fillStyle = own ? colour.orange : colour.blue;
      context.globalAlpha = own ? 1 : 0.5;
      if (moves) context.fillRect(x - w / 2, at.foot + 6, w, 22 * much);
      context.globalAlpha = 1;
      if (own && moves) {
        context.font = `700 14px ${colour.font}`;
        context.textAlign = "right";
        context.fillText(`change ${change[k] < NOTHING ? "0" : decimals(change[k], 2)}`, width - 2, height - 8);
        context.textAlign = "center";
      }
      if (encoded) clock(context, colour, { x: (k + 0.5) * at.slot, y: at.clock, r: Math.min(8, at.slot / 2 - 3) }, k);
      const [pw, ph] = at.pill;
      Object.assign(context, {
        fillStyle: colour.paper,
        strokeStyle: own ? colour.orange : colour.grid,
        lineWidth: own ? 2 : 1,
      });
      context.beginPath();
      context.roundRect(x - pw / 2, at.tile - ph / 2 + 1, pw, ph, 5);
      context.fill();
      context.stroke();
      context.fillStyle = colour.ink;
      context.font = `600 16px ${colour.font}`;
      context.fillText(LETTERS[first[k]], x, at.tile + 1);
    });
    words.lay(xs, at.tile + 1, at.pill, at.slot);
  }

  function drawSpread(context, { width, height }, colour, { causal, layers, encoded }) {
    const { dots, means } = cloud(causal, layers, encoded),
      varied = variance({ dots });
    const box = { x: 30, y: 8, w: width - 38, h: height - 44 },
      zero = box.y + box.h / 2;
    const atX = (t) => box.x + ((t + 0.5) / LENGTH) * box.w,
      atY = (v) => zero - (v / 3.3) * (box.h / 2);
    context.font = `12px ${colour.font}`;
    for (const v of [-3, -2, -1, 0, 1, 2, 3]) {
      stroke(context, colour.grid, v ? 0.5 : 1.5, [
        [box.x, atY(v)],
        [box.x + box.w, atY(v)],
      ]);
      Object.assign(context, { fillStyle: colour.muted, textAlign: "right" });
      context.fillText(decimals(v, 0), box.x - 6, atY(v));
    }
    context.fillStyle = colour.blue;
    context.globalAlpha = 0.22;
    dots.forEach((values, t) =>
      values.forEach((v, n) =>
        context.fillRect(atX(t) + (((((n * 0.618) % 1) - 0.5) * box.w) / LENGTH) * 0.6, atY(v) - 1, 2, 2),
      ),
    );
    context.globalAlpha = 1;
    for (const sign of [1, -1]) {
      stroke(
        context,
        colour.muted,
        1.5,
        ALL.map((t) => [atX(t), atY(sign * Math.sqrt(varied[0] / (t + 1)))]),
        [4, 4],
      );
      stroke(
        context,
        colour.orange,
        3,
        varied.map((v, t) => [atX(t), atY(sign * Math.sqrt(v))]),
      );
    }
    // one sentence among them: the first, in the order in which it stands
    const own = run([read.places.map((k) => first[k])], causal, layers, encoded).added;
    stroke(
      context,
      colour.ink,
      1.2,
      own.map((row, t) => [atX(t), atY(row[0] - means[t][0])]),
    );
    Object.assign(context, { fillStyle: colour.muted, textAlign: "center" });
    for (const t of [0, 5, 10, 15]) context.fillText(t, atX(t), box.y + box.h + 12);
    context.fillText("position", box.x + box.w / 2, box.y + box.h + 28);
  }

  function tell({ causal, layers, encoded, meter }, places) {
    if (meter === "variance") {
      const share = probe(variance(cloud(causal, layers, encoded)));
      return says.replaceChildren(
        element(
          "p",
          {},
          element("b", {}, "Variance: "),
          `${explained(share)} ` +
            (share > 0.8
              ? "It tells the position from 32 sentences together, not from one."
              : share < 0.2
                ? "It says next to nothing about the position."
                : ""),
        ),
      );
    }
    const found = read.layers.at(-1).change,
      last = found[LAST],
      many = found.filter((change) => change >= NOTHING).length;
    const noticed = places.every((k, t) => k === t)
      ? ["**The last output** has nothing to notice: shuffle the words, or drag one."]
      : [
          last < NOTHING
            ? "**The last output** does not notice that words before it changed places."
            : `**The last output** changes by ${decimals(last, 2)} as words before it change places.`,
          many ? `Of all ${LENGTH} outputs, ${many} changed.` : `Of all ${LENGTH} outputs, none changed.`,
        ];
    says.replaceChildren(element("p", {}, ...bold(noticed.join(" "))));
  }

  canvas.addEventListener("keydown", (event) => {
    const [name, by] =
      { ArrowLeft: ["shuffle", -1], ArrowRight: ["shuffle", 1], ArrowDown: ["layers", -1], ArrowUp: ["layers", 1] }[
        event.key
      ] ?? [];
    if (!name) return;
    event.preventDefault();
    const [least, most] = name === "layers" ? [1, DEEPEST] : [0, 99];
    set(name, Math.min(Math.max(model.get(name) + by, least), most));
  });

  const [again, stop] = redraw(el, canvas, draw);
  schedule = again;
  for (const name of TRAITS) model.on(`change:${name}`, schedule);
  const band = (y, h, x = 0) => ({ x, y, w: canvas.clientWidth - x, h });
  return {
    stop() {
      stop();
      for (const name of TRAITS) model.off(`change:${name}`, schedule);
    },
    parts: {
      sums: () => band(at.sums[0] - 3, at.strip + 6),
      last: () => band(2, at.foot, canvas.clientWidth - at.slot),
      bars: () => band(at.foot + 2, 42),
      dots: () => band(0, canvas.clientHeight),
    },
  };
}

/** @type {Record<string, (state: State) => string>} */
export const done = {
  main: ({ causal, layers, encoded, ...state }) => {
    const order = standing(state);
    return layers > 1 &&
      !encoded &&
      !causal &&
      order.some((k, t) => k !== t) &&
      changes(causal, layers, encoded, order)[LAST] < NOTHING
      ? "Found: without a mask every sum runs along with its word, however deep, and none changes."
      : "";
  },
  variance({ causal, layers, encoded }) {
    const share = probe(variance(cloud(causal, layers, encoded)));
    return share < 0.05
      ? `Found: ${share.toFixed(2)}. Each position sees the same words, so no mean is of more than another.`
      : "";
  },
};

const fits = ({ order }) => [...order].sort((a, b) => a - b).join() === ALL.join() && order[LAST] === LAST;

export default stage(ABOUT, scene, { done, fits, play: { trait: "shuffle", unit: 1500 } });
