// A table of scores whose words change places, and a causal mask that stays where it is.
/* global ABOUT */
import { dark, line, paint, redraw } from "../frame/draw.mjs";
import { checkbox, decimals, element, fill } from "../frame/controls.mjs";
import { drag } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";

const TRAITS = ["order", "causal", "query", "key"],
  LIMIT = 2.5,
  GLIDE = 90; // milliseconds to get most of the way

// P S Pᵀ: rows and columns in the order of the words
export const permuted = (scores, order) => order.map((q) => order.map((k) => scores[q][k]));

// The words that one can see, as places of the order
export const seen = (order, word, causal) => (causal ? order.slice(0, order.indexOf(word) + 1) : order);

// The word at place `from` goes to place `to`; those between make room
export function moved(order, from, to) {
  const next = [...order];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const words = model.get("words"),
    n = words.length,
    scores = model.get("scores");
  const set = (changes) => {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
  };
  const mask = checkbox(
    "causal mask: a word sees itself and those before it",
    () => model.get("causal"),
    (causal) => set({ causal }),
  );
  const tiles = words.map((word, k) => {
    const tile = element("button", { type: "button", class: "ex-head" }, word);
    tile.style.width = `${100 / (n + 1)}%`;
    tile.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key],
        order = model.get("order"),
        from = order.indexOf(k);
      if (!by) return;
      event.preventDefault();
      if (from + by >= 0 && from + by < n) set({ order: moved(order, from, from + by) });
      tile.focus();
    });
    return tile;
  });
  const heads = element(
    "div",
    {
      class: "ex-heads",
      role: "group",
      "aria-label": "The words. On one, the left and right arrow keys move it.",
    },
    ...tiles,
  );
  const canvas = element("canvas", { class: "ex-canvas ex-mask", role: "img" });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, heads, canvas, mask.row, reading);

  // Where each word is drawn: it glides to its place
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const at = model.get("order").map((_, k) => model.get("order").indexOf(k));
  let before = 0,
    size = { width: 640, height: 300 };
  function glide() {
    const now = performance.now(),
      part = still.matches ? 1 : 1 - Math.exp(-Math.min(now - before, 50) / GLIDE);
    let moving = false;
    before = now;
    model.get("order").forEach((k, place) => {
      at[k] += (place - at[k]) * part;
      if (Math.abs(place - at[k]) > 0.004) moving = true;
      else at[k] = place;
    });
    return moving;
  }

  const left = () => size.width / (n + 1),
    wide = () => (size.width - left()) / n,
    tall = () => (size.height - 2) / n;
  const one = new Uint32Array(1);
  const shade = (value) => {
    paint([value], one);
    return `rgb(${one[0] & 255} ${(one[0] >> 8) & 255} ${(one[0] >> 16) & 255})`;
  };
  let told = "";

  /** @type {Draw} */
  function draw(context, now, colour) {
    size = now;
    const [order, causal, query, key] = TRAITS.map((name) => model.get(name)),
      moving = glide(),
      w = wide(),
      h = tall();
    mask.refresh();
    Object.assign(context, { textBaseline: "middle", textAlign: "center" });
    for (let q = 0; q < n; q++) {
      for (let k = 0; k < n; k++) {
        const [x, y] = [left() + at[k] * w, at[q] * h],
          hidden = causal && at[k] - at[q] > 0.5;
        const value = Math.min(Math.max(scores[q][k] / LIMIT, -1), 1);
        if (hidden)
          line(context, colour.muted, 1, [
            [x + 0.3 * w, y + 0.7 * h],
            [x + 0.7 * w, y + 0.3 * h],
          ]);
        else {
          context.fillStyle = shade(value);
          context.fillRect(x + 1, y + 1, w - 2, h - 2);
          context.font = `12px ${colour.font}`;
          context.fillStyle = dark(value) ? "#fefefe" : "#010101";
          context.fillText(decimals(scores[q][k], w < 44 ? 1 : 2), x + w / 2, y + h / 2);
        }
        if (q !== query || k !== key) continue;
        Object.assign(context, { strokeStyle: colour.ink, lineWidth: 2.5 });
        context.strokeRect(x + 2, y + 2, w - 4, h - 4);
      }
      context.font = `${q === query ? "600 " : ""}13px ${colour.font}`;
      context.fillStyle = q === query ? colour.ink : colour.muted;
      context.fillText(words[q], left() / 2, (at[q] + 0.5) * h);
    }
    // the mask's edge: the staircase below the diagonal
    if (causal) {
      const stairs = Array.from({ length: n }, (_, k) => [
        [left() + (k + 1) * w, k * h],
        [left() + (k + 1) * w, (k + 1) * h],
      ]).flat();
      line(
        context,
        colour.orange,
        2.5,
        stairs.map(([x, y]) => [Math.min(x, size.width - 1.5), Math.max(y, 1.5)]),
      );
    }
    tiles.forEach((tile, k) => {
      tile.style.left = `${(100 * (1 + at[k])) / (n + 1)}%`;
    });
    if (moving) again();
    tell(order, causal, query, key);
  }

  function tell(order, causal, query, key) {
    if (told === (told = [order, causal, query, key].join())) return;
    order.forEach((k, place) => tiles[k].setAttribute("aria-label", `${words[k]}, place ${place + 1} of ${n}`));
    // what is seen and what Tab reaches come in one order
    if (order.some((k, place) => heads.children[place] !== tiles[k])) {
      const focused = tiles.find((tile) => tile === document.activeElement);
      heads.append(...order.map((k) => tiles[k]));
      focused?.focus();
    }
    const sees = seen(order, query, causal),
      listed = (all) => all.map((k) => words[k]);
    const asks = `${words[query]} asks for ${words[key]} with ${decimals(scores[query][key], 2)}`;
    canvas.setAttribute("aria-label", `Scores in the order ${listed(order).join(" ")}. ${asks}.`);
    reading.replaceChildren(
      element(
        "p",
        {},
        element("b", {}, `${asks}${sees.includes(key) ? "" : ", and the mask cuts it"}. `),
        `${words[query]} sees ${sees.length === n ? "all words" : listed(sees).join(", ")}.`,
      ),
    );
  }

  // A column is pulled sideways, on the table or by its word; a touch on a cell frames it
  const placeAt = (x) => Math.min(Math.max(Math.floor((x - left()) / wide()), 0), n - 1);
  const pull = (k, { x }) => {
    const order = model.get("order"),
      from = order.indexOf(k),
      to = placeAt(x);
    if (from !== to) set({ order: moved(order, from, to) });
  };
  const word = (x) => model.get("order")[placeAt(x)];
  const frame = ({ x, y }) =>
    set({ query: model.get("order")[Math.min(Math.max(Math.floor(y / tall()), 0), n - 1)], key: word(x) });
  drag(heads, { grab: ({ x }) => word(x), move: pull, tap() {} });
  drag(canvas, {
    grab: (point) => {
      frame(point);
      return word(point.x);
    },
    move: pull,
    tap: frame,
  });

  const [again, stop] = redraw(el, canvas, draw);
  const soon = () => {
    before = performance.now();
    again();
  };
  for (const name of TRAITS) model.on(`change:${name}`, soon);
  const cell = (q, k) => ({ x: left() + at[k] * wide(), y: at[q] * tall(), w: wide(), h: tall() });
  return {
    stop: () => {
      stop();
      for (const name of TRAITS) model.off(`change:${name}`, soon);
    },
    parts: {
      table: () => ({ x: left(), y: 0, w: size.width - left(), h: size.height }),
      cut: () => cell(model.get("query"), model.get("key")),
    },
  };
}

export const done = {
  main: ({ order, causal }) =>
    causal && order.at(-1) === 2
      ? "Found: the last word sees all. Under a causal mask, the place alone decides who sees whom."
      : "",
};

const fits = ({ order, words, query, key }) =>
  query < words.length &&
  key < words.length &&
  words.length === order.length &&
  words.every((_, k) => order.includes(k));

export default stage(ABOUT, scene, { done, fits });
