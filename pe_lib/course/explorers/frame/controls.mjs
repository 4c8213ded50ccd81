// Defines the controls below an explorer's picture, and formats numbers as people write them.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Values} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** @type {(label: string, act: () => void, c?: string) => HTMLButtonElement} */
export function button(label, act, c = "") {
  const node = element("button", { type: "button", class: `ex-button ${c}`.trim() }, label);
  node.addEventListener("click", act);
  return node;
}

// Append parts to an element, and give their controls an attribute that JupyterLab looks for.
// Without the attribute, JupyterLab takes the arrow keys from the controls. Each control needs its own attribute.
/** @param {Element} el @param {Node[]} parts */
export function appendParts(el, ...parts) {
  el.append(...parts);
  for (const control of el.querySelectorAll("input, select, button, [tabindex]"))
    control.setAttribute("data-lm-suppress-shortcuts", "true");
}

// Return a sentence as parts of an element, with **bold**, ^a power^, and [a link](address) if `hasPages` is true.
/** @type {(text: string, hasPages?: boolean) => (Node | string)[]} */
export const formatSentence = (text, hasPages = true) =>
  text.split(/(\*\*.*?\*\*|\^.*?\^|\[.*?\]\(.*?\))/).map((part) => {
    if (part.startsWith("**")) return element("b", {}, part.slice(2, -2));
    if (part.startsWith("^")) return element("sup", {}, part.slice(1, -1));
    const [, says, href] = part.match(/^\[(.*)\]\((.*)\)$/) ?? [];
    if (!says) return part;
    return hasPages ? element("a", { href }, says) : says;
  });

// Format a whole number with a comma between each group of three digits. A formatter of Intl is much slower.
/** @type {(x: number) => string} */
export const groupDigits = (x) => (Math.round(x) || 0).toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");

// Format a wavelength in positions.
/** @type {(x: number) => string} */
export const formatWavelength = (x) => (x < 100 ? x.toFixed(2) : groupDigits(x));

// Format a position as a whole number, or with one decimal while the position moves.
/** @type {(t: number) => string} */
export const formatPosition = (t) => (Number.isInteger(t) ? groupDigits(t).replace("-", "−") : decimals(t, 1));

// Format a number with this number of decimals and a true minus sign, but never as "−0.0000".
/** @type {(x: number, digits?: number) => string} */
export function decimals(x, digits = 4) {
  const text = Math.abs(x).toFixed(digits);
  return (x < 0 && Number(text) !== 0 ? "−" : "") + text;
}

// Format a number with four significant digits, without trailing zeros.
/** @type {(x: number) => string} */
export const significant = (x) => String(Number(x.toPrecision(4)));

// In a notebook, each explorer has a copy of this module, so a count alone would give two controls the same name.
// Radio buttons with the same name would form a single group.
const script = Math.random().toString(36).slice(2, 8);
let count = 0;
/** @type {(name: string) => string} */
const uniqueId = (name) => `ex-${name}-${script}-${++count}`;

// Return a slider that shows `get()` and calls `set(value)`. It moves in whole steps from `min` to `max()`.
// `value(step)` converts a step to a value, and `step(value)` converts a value to a step.
// Readers see `text(value)`, and a screen reader adds the `unit`.
/** @type {(row: any, max: () => number, get: () => any, set: (value: any) => void) => Control} */
function slider({ name, label, min, value, step, text, unit = "" }, max, get, set) {
  const id = uniqueId(name);
  const input = element("input", { type: "range", id, name, min, step: 1 });
  const valueText = document.createTextNode("");
  const boxes = [input, element("output", { for: id }, valueText)].map((node) => element("div", {}, node));
  const row = element("div", { class: "ex-slider" }, element("label", { for: id }, label), ...boxes);
  const apply = () => {
    waiting = undefined;
    set(value(Number(input.value)));
  };
  // The browser moves the slider at the first touch. The new value counts once the finger moves sideways or taps.
  // If the finger scrolls the page instead, the slider moves back.
  /** @type {{ x: number, from: string } | undefined} */
  let waiting;
  input.addEventListener("pointerdown", ({ pointerType, clientX }) => {
    if (pointerType === "touch") waiting = { x: clientX, from: input.value };
  });
  input.addEventListener("input", () => {
    if (!waiting) apply();
  });
  input.addEventListener("pointermove", ({ clientX }) => {
    if (waiting && Math.abs(clientX - waiting.x) > 6) apply();
  });
  input.addEventListener("pointerup", () => {
    if (waiting) apply();
  });
  input.addEventListener("pointercancel", () => {
    if (waiting) input.value = waiting.from;
    waiting = undefined;
  });
  const refresh = () => {
    const current = get(),
      says = text(current),
      [most, at] = [max(), Math.round(step(current))].map(String);
    if (waiting) return; // the slider stays under the finger until the touch ends
    if (input.max !== most) input.max = most;
    if (input.value !== at) input.value = at;
    if (valueText.nodeValue === says) return;
    valueText.nodeValue = says;
    input.setAttribute("aria-valuetext", `${says} ${unit}`.trim());
  };
  return { row, refresh };
}

// The slider for d_model, with powers of two from 2 to 512
export const WIDTH = {
  name: "d_model",
  min: 1,
  max: () => 9,
  value: (/** @type {number} */ step) => 2 ** step,
  step: Math.log2,
};

// The slider for the base, with ten steps for each power of ten, from 2 to a million
export const BASE = {
  name: "base",
  min: 3,
  max: () => 60,
  text: groupDigits,
  value: (/** @type {number} */ step) => Number((10 ** (step / 10)).toPrecision(2)),
  step: (/** @type {number} */ base) => 10 * Math.log10(base),
};

// Return a check box with this label.
/** @type {(label: string, get: () => any, set: (value: any) => void) => Control} */
function checkbox(label, get, set) {
  const box = element("input", { type: "checkbox" });
  box.addEventListener("change", () => set(box.checked));
  return {
    row: element("label", { class: "ex-check" }, box, label),
    refresh: () => {
      if (box.checked !== get()) box.checked = get();
    },
  };
}

// Return radio buttons for `options`, which are pairs of a value and its label.
/** @type {(label: string, options: any[], get: () => any, set: (value: any) => void) => Control} */
function choice(label, options, get, set) {
  const group = uniqueId("choice");
  const inputs = options.map(() => element("input", { type: "radio", name: group }));
  inputs.forEach((input, n) => input.addEventListener("change", () => set(options[n][0])));
  const row = element(
    "div",
    { class: "ex-group", role: "radiogroup", "aria-label": label },
    element("span", {}, label),
    element(
      "div",
      { class: "ex-choices" },
      ...options.map(([, text], n) => element("label", { class: "ex-check" }, inputs[n], text)),
    ),
  );
  const refresh = () => {
    for (const [n, input] of inputs.entries()) {
      const isChosen = options[n][0] === get();
      if (input.checked !== isChosen) input.checked = isChosen;
    }
  };
  return { row, refresh };
}

// Return a menu for the same `options` as `choice`, which fits in one line.
/** @type {(label: string, options: any[], get: () => any, set: (value: any) => void) => Control} */
function menu(label, options, get, set) {
  const id = uniqueId("menu");
  const list = element("select", { id }, ...options.map(([, text]) => element("option", {}, text)));
  list.addEventListener("change", () => set(options[list.selectedIndex][0]));
  const refresh = () => {
    const at = options.findIndex(([value]) => value === get());
    if (list.selectedIndex !== at) list.selectedIndex = at;
  };
  return { row: element("div", { class: "ex-choose" }, element("label", { for: id }, label), list), refresh };
}

// Return a button that shows `says(state)` and changes the state by `press`.
/** @type {(row: any, state: () => State, update: LiveScene["update"]) => Control} */
function pressButton({ says, press }, state, update) {
  const row = button(says(state()), () => update(press), "ex-next");
  return {
    row,
    refresh: () => {
      if (row.textContent !== says(state())) row.textContent = says(state());
    },
  };
}

// Return the control for a row of contributing/explorer.md: a slider, a check box, radio buttons, a menu or a button.
// The trait named by `name` determines the type of control, its limits, and its options.
// `limits` come from limits.mjs, and `update(change)` changes the state.
/** @type {(row: any, limits: Limits, state: () => State, update: LiveScene["update"]) => Control} */
export function control(row, { traits, most, setValue }, state, update) {
  if (row.press) return pressButton(row, state, update);
  const { name, label = name, get = (/** @type {State} */ s) => s[name] } = row,
    { set = (/** @type {State} */ s, /** @type {any} */ value) => setValue(s, name, value) } = row,
    /** @type {Partial<Trait>} */
    { type = "", min, values } = traits[name] ?? {},
    { options = row.max ? undefined : values?.map((value) => [value, String(value)]) } = row,
    current = () => get(state()),
    change = (/** @type {any} */ value) => update((s) => set(s, value));
  if (options) {
    const choices = typeof options === "function" ? options(state()) : options;
    return (row.menu ? menu : choice)(label, choices, current, change);
  }
  if (!row.max && !["int", "real"].includes(type)) return checkbox(label, current, change);
  const { per = 1 } = row, // the number of steps for a difference of 1
    max = row.max ?? ((/** @type {State} */ s) => Math.round(per * most(s, name)));
  const usual = {
    min: per * (min ?? 0),
    value: (/** @type {number} */ step) => step / per,
    step: (/** @type {number} */ value) => per * value,
    text: formatPosition,
  };
  return slider({ ...usual, ...row, label }, () => max(state()), current, change);
}
