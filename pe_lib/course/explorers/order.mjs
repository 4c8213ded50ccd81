// A sentence to put into another order, and what attention notices of it.
import { attention, encodeTable } from "./maths.mjs";
import { checkbox, decimals, element, fill } from "./controls.mjs";

const TRAITS = ["order", "positions", "causal", "pooled"];
const NOTHING = 1e-12; // below this a change is the rounding of sums taken in another order

function outputs(vectors, order, positions, causal) {
  const d = vectors[0].length, table = encodeTable(order.length, d, 10_000);
  const rows = order.map((word, place) =>
    vectors[word].map((v, c) => v + (positions ? table[place * d + c] : 0)));
  return attention(rows, rows, rows, causal);
}

const mean = (rows) => rows[0].map((_, c) => rows.reduce((sum, row) => sum + row[c], 0) / rows.length);
const distance = (a, b) => Math.max(...a.map((v, c) => Math.abs(v - b[c])));

// The largest change in each place's output against the original order; one number if pooled
export function changes(vectors, order, positions, causal, pooled) {
  const before = outputs(vectors, order.map((_, k) => k), positions, causal);
  const after = outputs(vectors, order, positions, causal);
  if (pooled) return [distance(mean(after), mean(before))];
  return after.map((row, place) => distance(row, before[order[place]]));
}

function render({ model, el }) {
  const words = model.get("words");
  const places = () => [...model.get("order")];
  const set = (order) => { model.set("order", order); model.save_changes(); };

  // The word at place `from` goes to place `to`; those between make room.
  function move(from, to) {
    const order = places();
    order.splice(to, 0, ...order.splice(from, 1));
    set(order);
  }

  const tiles = words.map((word, k) => {
    const tile = element("button", { class: "ex-word", type: "button" }, word);
    tile.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const from = places().indexOf(k), to = from + by;
      if (to >= 0 && to < words.length) move(from, to);
      tile.focus();
    });
    tile.addEventListener("pointerdown", (event) => {
      tile.setPointerCapture(event.pointerId);
      held = { k, x: event.clientX - tile.offsetLeft, y: event.clientY - tile.offsetTop };
      tile.classList.add("ex-held");
    });
    tile.addEventListener("pointermove", (event) => {
      if (held?.k !== k) return;
      const at = row.getBoundingClientRect();
      const under = tiles.findIndex((other, n) => n !== k && inside(other, event.clientX - at.left, event.clientY - at.top));
      if (under >= 0) move(places().indexOf(k), places().indexOf(under));
      tile.style.translate = `${event.clientX - held.x - tile.offsetLeft}px ${event.clientY - held.y - tile.offsetTop}px`;
    });
    const drop = () => {
      if (held?.k !== k) return;
      held = undefined;
      tile.classList.remove("ex-held");
      tile.style.translate = "";
      draw();
    };
    tile.addEventListener("pointerup", drop);
    tile.addEventListener("pointercancel", drop);
    return tile;
  });
  let held;
  const inside = (tile, x, y) =>
    Math.abs(x - tile.offsetLeft - tile.offsetWidth / 2) < tile.offsetWidth / 2
    && Math.abs(y - tile.offsetTop - tile.offsetHeight / 2) < tile.offsetHeight / 2;

  const row = element("div", { class: "ex-words", role: "group",
    "aria-label": "The sentence. On a word, the left and right arrow keys move it." }, ...tiles);
  const check = (name, label) => checkbox(label, () => model.get(name), (on) => {
    model.set(name, on);
    model.save_changes();
  });
  const checks = [check("positions", "add the encoding of each position"),
    check("causal", "mask: a word sees only itself and those before it"),
    check("pooled", "pool: compare the mean over all words")];
  const button = (text, order) => {
    const made = element("button", { class: "ex-button", type: "button" }, text);
    made.addEventListener("click", () => set(order()));
    return made;
  };
  const buttons = element("div", { class: "ex-buttons" },
    button("reverse", () => places().reverse()), button("original order", () => words.map((_, k) => k)));
  const bars = element("div", { class: "ex-bars", "aria-hidden": "true" });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, row, element("div", { class: "ex-checks" }, ...checks.map((c) => c.row)), buttons, bars, reading);

  function draw() {
    const order = places(), [positions, causal, pooled] = TRAITS.slice(1).map((name) => model.get(name));
    for (const c of checks) c.refresh();
    order.forEach((k, place) => {
      tiles[k].style.order = place;
      tiles[k].setAttribute("aria-label", `${words[k]}, place ${place + 1} of ${words.length}`);
    });
    // what is seen and what Tab reaches come in one order again, once nothing is held
    if (!held && order.some((k, place) => row.children[place] !== tiles[k])) {
      const focused = document.activeElement;
      row.append(...order.map((k) => tiles[k]));
      if (tiles.includes(focused)) focused.focus();
    }

    const found = changes(model.get("vectors"), order, positions, causal, pooled);
    bars.replaceChildren(...found.flatMap((change, place) => {
      const bar = element("div", { class: "ex-bar" });
      bar.style.width = `${Math.min(100, 100 * (change < NOTHING ? 0 : change) / 2)}%`;
      return [element("span", {}, pooled ? "mean" : words[order[place]]),
        element("div", { class: "ex-track" }, bar),
        element("span", { class: "ex-number" }, change < NOTHING ? "0" : decimals(change))];
    }));
    const most = Math.max(...found), moved = order.some((k, place) => k !== place);
    const verdict = !moved ? "The words stand in their original order. Move one."
      : most >= NOTHING ? "Order is noticed."
      : pooled ? "Invariant: the mean over all words does not depend on their order."
      : "Equivariant: every output moved with its word, and none changed.";
    reading.replaceChildren(
      element("p", {}, element("b", {}, order.map((k) => words[k]).join(" "))),
      element("p", {}, `Largest change in ${pooled ? "the mean" : "a word’s output"}: `
        + `${most < NOTHING ? "0 (below 10⁻¹²)" : decimals(most)}. `, element("b", {}, verdict)));
  }

  for (const name of TRAITS) model.on(`change:${name}`, draw);
  draw();
  return () => { for (const name of TRAITS) model.off(`change:${name}`, draw); };
}

export default { render };
