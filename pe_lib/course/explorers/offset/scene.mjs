// Two positions at an offset, and their score: a function of the offset alone, or not.
/* global ABOUT */
import { clamp, frequency, scrambled } from "../maths.mjs";
import { dot, line, redrawOn } from "../frame/draw.mjs";
import { baseSlider, bold, choice, decimals, element, fill, slider, widthSlider } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";
import { hands, inside, place, taken, text, tile, wound } from "../turns.mjs";

const TRAITS = ["d_model", "base", "position", "offset", "between"];
const REACH = 100,
  BACK = 20,
  FIRST = 100,
  LAST = 400,
  STEP = 50; // as in offset.py
const LIMITS = { position: [FIRST, LAST], offset: [-REACH, REACH] };
const KEYS = {
  ArrowLeft: ["offset", -1],
  ArrowRight: ["offset", 1],
  ArrowDown: ["position", -1],
  ArrowUp: ["position", 1],
  PageDown: ["position", -10],
  PageUp: ["position", 10],
};
const WITH = {
  nothing: "Nothing between",
  rotation: `Rotation by ${BACK} between`,
  random: "Random matrix between",
};

// PE(position), which may lie between two positions
function encode(position, d, base) {
  const row = new Float64Array(d);
  for (let i = 0; i < d / 2; i++) {
    const angle = position * frequency(i, d, base);
    row[2 * i] = Math.sin(angle);
    row[2 * i + 1] = Math.cos(angle);
  }
  return row;
}

// PE(position) · W · PE(position + k) / (d/2) for k = −100 … 100. From one k to the next each pair of
// the second vector turns by its frequency.
export function scores(position, between, matrix, d, base) {
  const here = encode(between === "rotation" ? position - BACK : position, d, base); // PE(t)ᵀ M₂₀ = PE(t − 20)ᵀ
  let query = here;
  if (between === "random") {
    query = new Float64Array(d);
    for (let r = 0; r < d; r++) for (let c = 0, row = r * d; c < d; c++) query[c] += here[r] * matrix[row + c];
  }
  const found = new Float64Array(2 * REACH + 1);
  for (let i = 0; i < d / 2; i++) {
    const omega = frequency(i, d, base),
      s = Math.sin(omega),
      c = Math.cos(omega);
    let sin = Math.sin((position - REACH) * omega),
      cos = Math.cos((position - REACH) * omega);
    for (let n = 0; n <= 2 * REACH; n++) {
      found[n] += (query[2 * i] * sin + query[2 * i + 1] * cos) / (d / 2);
      [sin, cos] = [sin * c + cos * s, cos * c - sin * s];
    }
  }
  return found;
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const put = (name, value) => {
    model.set(name, clamp(value, ...LIMITS[name]));
    model.save_changes();
  };
  const sliders = [
    slider(model, { name: "offset", label: "offset", min: -REACH, max: () => REACH, text: place }),
    slider(model, { name: "position", label: "position", min: FIRST, max: () => LAST, text: place }),
    widthSlider(model),
    baseSlider(model, 3),
  ];
  const matrices = choice(
    "between the two vectors",
    [
      ["nothing", "nothing"],
      ["rotation", `a rotation by ${BACK}`],
      ["random", "a random matrix"],
    ],
    () => model.get("between"),
    (name) => {
      model.set("between", name);
      model.save_changes();
    },
  );
  const canvas = element("canvas", {
    class: "ex-canvas ex-offset",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "text, clocks and curve",
    "aria-label":
      "Two positions of a text, clocks with the hands of both, and the score against the offset. Left and " +
      "right arrow change the offset, up and down the position, Page Up and Page Down by ten.",
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, canvas, reading, matrices.row, element("div", { class: "ex-controls" }, ...sliders.map((s) => s.row)));

  let dials = [],
    tiles = {},
    plot = { x: 0, y: 0, w: 1, h: 1 },
    held,
    computed = "",
    matrix,
    others,
    clocks = plot;
  const strip = { x: 8, w: 1, y: 34 };

  // The curves of the fixed positions; renewed only when the vectors or the matrix change
  function prepare(d, base, between) {
    if (computed === (computed = [d, base, between].join())) return;
    if (between === "random" && matrix?.length !== d * d) matrix = scrambled(d * d);
    others = [];
    for (let t = FIRST; t <= LAST; t += STEP) others.push(scores(t, between, matrix, d, base));
  }

  /** @type {Draw} */
  function draw(context, { width, height }, colour) {
    const [d, base, position, offset, between] = TRAITS.map((name) => model.get(name));
    for (const part of [...sliders, matrices]) part.refresh();
    prepare(d, base, between);
    const mine = scores(position, between, matrix, d, base);
    context.textBaseline = "middle";
    const label = (says, x, y, align, style = colour.muted) => {
      Object.assign(context, { fillStyle: style, textAlign: align, font: `12px ${colour.font}` });
      context.fillText(says, x, y);
    };

    // The text, with the position in the middle. It keeps its scale while a word is held.
    strip.w = width - 16;
    strip.gap = held?.gap ?? (strip.w / 2 - 30) / Math.max(9, Math.abs(offset));
    strip.first = position - strip.w / 2 / strip.gap;
    context.font = `12px ${colour.font}`;
    text(context, colour, strip);
    context.font = `600 13px ${colour.font}`;
    const n = place(Math.abs(offset)),
      far = offset === 0 ? "the same" : offset < 0 ? `${n} before` : `${n} after`;
    tiles = {
      offset: tile(context, colour, strip, { t: position + offset, side: 1, ink: colour.orange, says: far }),
      position: tile(context, colour, strip, {
        t: position,
        side: -1,
        ink: colour.blue,
        says: `position ${place(position)}`,
      }),
    };

    // Up to four clocks of the faster pairs, with the hands of both positions
    const count = Math.min(4, d / 2),
      r = Math.min(52, width / count / 2 - 8),
      top = 94;
    const pairs = Array.from({ length: count }, (_, n) => n * Math.max(1, d / 16));
    dials = pairs.map((i, n) => {
      const omega = frequency(i, d, base);
      return {
        x: (width * (n + 0.5)) / count,
        y: top + r,
        r,
        frequency: omega,
        here: position * omega,
        there: (position + offset) * omega,
      };
    });
    clocks = { x: 6, y: top, w: width - 12, h: 2 * r + 20 };
    dials.forEach((dial, n) => {
      hands(context, colour, dial, dial.here, dial.there);
      label(`pair ${pairs[n]}`, dial.x, dial.y + r + 13, "center");
    });

    // The score against the offset: other positions thin, this one thick
    const under = top + 2 * r + 50;
    plot = { x: 34, y: under, w: width - 46, h: height - under - 34 };
    const along = (k) => plot.x + ((k + REACH) / (2 * REACH)) * plot.w;
    const up = (v) => plot.y + plot.h * (0.5 - clamp(v, -1.3, 1.3) / 2.6);
    const curve = (list) => Array.from(list, (v, n) => [along(n - REACH), up(v)]);
    for (const v of [-1, 0, 1]) {
      line(context, colour.grid, 1, [
        [plot.x, up(v)],
        [plot.x + plot.w, up(v)],
      ]);
      label(decimals(v, 0), plot.x - 8, up(v), "right");
    }
    for (const k of [-100, -50, 0, 50, 100]) label(decimals(k, 0), along(k), plot.y + plot.h + 12, "center");
    label("offset", plot.x + plot.w, plot.y + plot.h + 27, "right");
    label("score", plot.x, plot.y - 10, "left");
    for (const list of others) line(context, colour.muted, 0.7, curve(list));
    line(context, colour.blue, 2, curve(mine));
    line(
      context,
      colour.orange,
      1,
      [
        [along(offset), plot.y],
        [along(offset), plot.y + plot.h],
      ],
      [4, 3],
    );
    // on its way the offset lies between two that are computed
    const m = Math.min(Math.floor(offset + REACH), 2 * REACH - 1),
      s = offset + REACH - m;
    dot(context, colour, along(offset), up(mine[m] * (1 - s) + mine[m + 1] * s));
    if (Number.isInteger(offset)) tell(position, offset, between, mine);
  }

  function tell(position, offset, between, mine) {
    const here = mine[REACH + offset],
      mirrored = mine[REACH - offset],
      k = Math.abs(offset);
    const all = [...others.map((list) => list[REACH + offset]), here];
    const low = Math.min(...all),
      high = Math.max(...all);
    const rest =
      high - low < 1e-9
        ? "**every position scores this at this offset.**"
        : `**at this offset positions score from ${decimals(low, 2)} to ${decimals(high, 2)}.**`;
    const mirror =
      offset === 0
        ? "At offset 0 there is no direction to tell."
        : Math.abs(here - mirrored) < 1e-9
          ? `Mirrored: ${k} before and ${k} after score the same.`
          : `Not mirrored: ${k} ${offset > 0 ? "before" : "after"} scores ${decimals(mirrored, 5)}.`;
    const score = `**Positions ${place(position)} and ${place(position + offset)}:** score ${decimals(here, 5)}.`;
    reading.replaceChildren(element("p", {}, ...bold(`${score} ${WITH[between]}: ${rest} ${mirror}`)));
  }

  canvas.addEventListener("keydown", (event) => {
    const [name, by] = KEYS[event.key] ?? [];
    if (!name) return;
    event.preventDefault();
    put(name, Math.round(model.get(name)) + by);
  });

  // The second tile and the second hand change the offset; the text and the rest of a clock move
  // both; the curve is pointed at.
  drag(canvas, {
    grab(point) {
      const hand = taken(dials, point),
        from = (name, more) => ({ name, value: model.get(name), gap: strip.gap, ...more });
      if (hand) held = from(hand.hand === "there" ? "offset" : "position", hand);
      else if (inside(tiles.offset, point)) held = from("offset", { x: point.x });
      else if (point.y < 90) held = from("position", { x: point.x });
      else if (point.y > plot.y - 20) held = { name: "offset" };
      return held;
    },
    move(it, point) {
      if (it.dial) it.value += wound(it, point);
      else if (!it.gap) it.value = Math.round(((point.x - plot.x) / plot.w - 0.5) * 2 * REACH);
      else {
        it.value += ((it.name === "offset" ? 1 : -1) * (point.x - it.x)) / it.gap;
        it.x = point.x;
      }
      it.value = clamp(it.value, ...LIMITS[it.name]);
      put(it.name, it.value);
    },
    drop({ name }) {
      held = undefined;
      put(name, Math.round(model.get(name)));
      stop.again(); // the text takes the scale of the new offset
    },
  });

  const stop = redrawOn(model, TRAITS, el, canvas, draw);
  return { stop, parts: { words: () => ({ x: 8, y: 4, w: strip.w, h: 84 }), clocks: () => clocks, curve: () => plot } };
}

export const done = {
  main: ({ between, offset }) =>
    between === "rotation" && offset === -BACK
      ? `Found: ${BACK} before. A head with this matrix looks ${BACK} words back, wherever it stands.`
      : "",
};

export default stage(ABOUT, scene, { done, fits: ({ base }) => base > 1, play: { trait: "position", unit: 500 } });
