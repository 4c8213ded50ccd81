// What a position prints, and who else prints the same: one clock between two walls, or several
// clocks that narrow a position down, by who prints the same or by the place nearest to a guess.
/* global ABOUT */
import { entry, frequency } from "../maths.mjs";
import { redrawOn } from "../frame/draw.mjs";
import { bold, checkbox, choice, decimals, element, fill, folded, slider } from "../frame/controls.mjs";
import { wind } from "../frame/drag.mjs";
import { stage } from "../frame/stage.mjs";
import { drawWalls } from "./walls.mjs";
import { drawRows } from "./narrowing.mjs";
import { drawGuesses, guesses } from "./guesses.mjs";

const TRAITS = ["positions", "position", "digits", "read", "cosines", "off"],
  BASE = 10_000;
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

// The positions below `positions` whose pair prints as that of `position` does
export function agreeing(pair, position, positions, d, digits, cosines) {
  const atol = 0.5 * 10 ** -digits,
    dims = cosines ? [2 * pair, 2 * pair + 1] : [2 * pair];
  const printed = dims.map((dim) => Number(entry(position, dim, d, BASE).toFixed(digits)));
  return Array.from({ length: positions }, (_, k) => k).filter((k) =>
    dims.every((dim, n) => Math.abs(entry(k, dim, d, BASE) - printed[n]) <= atol),
  );
}

// The positions that agree with each of the pairs that are read
export function candidates({ read, position, positions, d_model, digits, cosines }) {
  const each = read.map((pair) => new Set(agreeing(pair, Math.round(position), positions, d_model, digits, cosines)));
  return Array.from({ length: positions }, (_, k) => k).filter((k) => each.every((some) => some.has(k)));
}

// Whether no two positions print the same
export function unique({ read, positions, d_model, digits, cosines }) {
  const prints = new Set();
  for (let k = 0; k < positions; k++)
    prints.add(
      read
        .flatMap((i) => (cosines ? [2 * i, 2 * i + 1] : [2 * i]))
        .map((dim) => decimals(entry(k, dim, d_model, BASE), digits))
        .join(),
    );
  return prints.size === positions;
}

const listed = (all) => all.slice(0, 10).join(", ") + (all.length > 10 ? ", …" : "");

/** @type {(widget: Widget) => Scene} */
function scene({ model, el }) {
  const d = model.get("d_model"),
    pairs = Array.from({ length: d / 2 }, (_, i) => i);
  const guessing = model.get("story") === "nearest"; // from clock to clock
  const several = guessing || model.get("story") === "decoding"; // clocks; else one
  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const inside = (t) => Math.min(Math.max(t, 0), model.get("positions") - 1);
  const place = (t) => set("position", inside(t));

  const position = slider(model, {
    name: "position",
    label: "position",
    min: 0,
    max: () => model.get("positions") - 1,
    step: Math.round,
    text: (t) => String(Math.round(t)),
  });
  const others = [
    slider(model, { name: "digits", label: "decimals", min: 1, max: () => 6 }),
    ...(guessing
      ? []
      : [slider(model, { name: "positions", label: "below", min: 10, max: () => 1000, unit: "positions" })]),
  ];
  const off = slider(model, {
    name: "off",
    label: "error",
    min: 0,
    max: () => 60,
    value: (s) => s / 100,
    step: (v) => 100 * v,
    text: (v) => decimals(v, 2),
    unit: "radians",
  });
  const tick = (i) => {
    const made = checkbox(
      String(i),
      () => model.get("read").includes(i),
      (on) =>
        set(
          "read",
          pairs.filter((j) => (j === i ? on : model.get("read").includes(j))),
        ),
    );
    made.row.querySelector("input").setAttribute("aria-label", `pair ${i}`);
    return made;
  };
  const which = several
    ? pairs.map(tick)
    : [
        choice(
          "pair",
          pairs.map((i) => [String(i), String(i)]),
          () => String(model.get("read")[0] ?? ""),
          (i) => set("read", [Number(i)]),
        ),
      ];
  const cosine = checkbox(
    "cosine",
    () => model.get("cosines"),
    (on) => set("cosines", on),
  );
  const controls = [position, ...(guessing ? [off] : []), ...others, ...which, cosine];
  const canvas = element("canvas", {
    class: "ex-canvas ex-phase",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "clocks",
    "aria-label": [
      guessing
        ? "A clock for each pair, and beside it the places that it leaves, around the guess of the clock above."
        : several
          ? "A clock for each pair, and beside it the positions that print what it prints."
          : "A clock. Under it the sine of every position, beside it the cosine.",
      "The arrow keys move the position by one, Page Up and Page Down by ten.",
    ].join(" "),
  });
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(
    el,
    canvas,
    position.row,
    ...(guessing ? [off.row] : []),
    element(
      "div",
      { class: "ex-choices", role: "group", "aria-label": "What is read" },
      ...(several ? [element("span", {}, "pairs")] : []),
      ...which.map((c) => c.row),
      ...(guessing ? [] : [cosine.row]),
    ),
    reading,
    folded(guessing ? "Decimals" : "Decimals and length", ...others.map((s) => s.row)),
  );

  let dials = [],
    shown = { boxes: {}, lines: [] },
    found = [],
    all = [],
    computed = "",
    told = "";

  // Who agrees, renewed only when an input changes: each pair by its sine, by what is read, and all
  function compare(state) {
    const { positions, digits, cosines, read, position: t } = state;
    if (computed === (computed = [positions, digits, cosines, read, t].join())) return;
    found = pairs.map((i) => ({
      sine: agreeing(i, t, positions, d, digits, false),
      read: agreeing(i, t, positions, d, digits, cosines),
    }));
    all = candidates({ ...state, d_model: d });
  }

  /** @type {Draw} */
  function draw(context, size, colour) {
    const [positions, at, digits, read, cosines, off] = TRAITS.map((name) => model.get(name));
    if (at > positions - 1) return place(at);
    for (const part of controls) part.refresh();
    const state = { positions, position: Math.round(at), digits, read, cosines, off, d_model: d };
    if (guessing) {
      context.textBaseline = "middle";
      const led = guesses(state);
      shown = drawGuesses(context, size, colour, { ...state, at, pairs, led });
      dials = shown.dials;
      return follow(state, led);
    }
    compare(state);
    const value = (i, part) => decimals(entry(state.position, 2 * i + part, d, BASE), digits);
    const print = (i) => ({ sine: value(i, 0), cosine: value(i, 1) });
    context.font = `12px ${colour.font}`;
    context.textBaseline = "middle";
    shown = (several ? drawRows : drawWalls)(context, size, colour, {
      ...state,
      at,
      pairs,
      found,
      all,
      print,
      frequency: (i) => frequency(i, d, BASE),
    });
    dials = shown.dials;
    tell(state, print);
  }

  function tell({ position: t, positions, read, cosines }, print) {
    const prints = read
      .map((i, n) => {
        const { sine, cosine } = print(i),
          values = cosines ? `(${sine}, ${cosine})` : sine;
        return n ? `pair ${i} ${values}` : `pair ${i} prints ${values}`;
      })
      .join("; ");
    const said = [
      prints ? `**Position ${t}:** ${prints}.` : `**Position ${t}:** nothing is read.`,
      all.length === 1
        ? `**Only one position below ${positions} agrees:** ${listed(all)}`
        : `**${all.length} positions below ${positions} agree:** ${listed(all)}`,
    ];
    if (told === (told = said.join())) return;
    reading.replaceChildren(...said.map((each) => element("p", {}, ...bold(each))));
  }

  // The guesses in words
  function follow({ position: t, digits, off, read }, led) {
    const last = led.at(-1)?.guess,
      found = Math.round(last),
      end = read.includes(0);
    const places = `${digits} ${digits === 1 ? "decimal" : "decimals"}`,
      misread = off ? `, misread by ${decimals(off, 2)} radians` : "",
      way = led.map(({ guess }) => decimals(guess, 1)).join(" → ") || "nothing is read.";
    const said = [
      `Position ${t}, read to ${places}${misread}: ${way}`,
      !led.length
        ? ""
        : !end
          ? `So far: near ${decimals(last, 1)}.`
          : found === t
            ? `Found: ${t}.`
            : `Lost: ${decimals(found, 0)} in place of ${t}.`,
    ];
    if (told === (told = said.join())) return;
    reading.replaceChildren(element("p", {}, said[0]), element("p", {}, element("b", {}, said[1])));
  }

  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    place(Math.round(model.get("position")) + KEYS[event.key]);
  });
  // A hand is wound; along a wall or a row the position is pointed at
  wind(
    canvas,
    () => dials,
    () => model.get("position"),
    (wanted) => {
      place(Math.round(inside(wanted)));
      return inside(wanted);
    },
    {
      grab: (point) => shown.lines.find((line) => line.has(point)),
      move: (line, point) => place(Math.round(line.position(point))),
    },
  );

  const part = (name) => () => shown.boxes[name];
  return {
    stop: redrawOn(model, TRAITS, el, canvas, draw),
    parts: {
      clock: part("clock"),
      floor: part("floor"),
      wall: part("wall"),
      answer: part("answer"),
      first: part(0),
      second: part(1),
      third: part(2),
      fourth: part(3),
    },
  };
}

// Whether all clocks together lead to another position
const lost = (state) => Math.round(guesses(state).at(-1).guess) !== Math.round(state.position);

const joined = (all) => all.reduce((before, next) => `${before} and ${next}`);

export const done = {
  nearest: (state) =>
    state.read.length === state.d_model / 2 &&
    state.digits > 2 &&
    lost(state) &&
    !lost({ ...state, off: Math.max(0, state.off - 0.01) })
      ? `Found: at ${decimals(state.off, 2)} radians a hand takes the wrong turn, one step less is safe.`
      : "",
  main(state) {
    const { cosines, digits, read } = state;
    if (cosines || digits < 3 || read.length !== 1) return "";
    const all = candidates(state);
    return all.length > 1 && !all.includes(11) ? `Found: ${joined(all)} print the same sine.` : "";
  },
  decoding: (state) =>
    state.read.length === 2 && unique(state)
      ? `Found: pairs ${joined(state.read)}. The slow one says where about, the quick one which.`
      : "",
  crest: ({ read, cosines, position, d_model }) =>
    cosines && read.join() === "2" && Math.abs(Math.cos(position * frequency(2, d_model, BASE))) > 0.95
      ? `Found: at ${Math.round(position)} the rim runs along the cosine's strip, and there the sine is the sharp one.`
      : "",
  turns: (state) =>
    state.cosines && state.read.join() === "1" && candidates(state).length === 1
      ? `Found: to ${state.digits} decimals only ${Math.round(state.position)}. 63 positions are a little more than a turn.`
      : "",
};

const fits = ({ d_model, position, positions, read }) =>
  position <= positions - 1 && read.every((pair) => Number.isInteger(pair) && pair >= 0 && pair < d_model / 2);

export default stage(ABOUT, scene, {
  done,
  fits,
  play: { trait: "position", unit: 700, high: ({ positions }) => positions - 1 },
});
