// Controls shared by the explorers: labelled sliders bound to the model, numbers as people write them.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Values} attributes
 * @param {(Node | string)[]} children
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function button(label, act, c = "") {
  const made = element("button", { type: "button", class: `ex-button ${c}`.trim() }, label);
  made.addEventListener("click", act);
  return made;
}

// Parts into an element. JupyterLab takes the arrow keys from any control that doesn't itself carry the
// attribute; on a parent it comes too late for its selectors.
export function fill(el, ...parts) {
  el.append(...parts);
  for (const control of el.querySelectorAll("input, select, button, [tabindex]"))
    control.setAttribute("data-lm-suppress-shortcuts", "true");
}

// A sentence as parts of an element: **bold**, ^a power^, and [a link](address) where there are pages to link to
export const bold = (text, linked = true) =>
  text.split(/(\*\*.*?\*\*|\^.*?\^|\[.*?\]\(.*?\))/).map((part) => {
    if (part.startsWith("**")) return element("b", {}, part.slice(2, -2));
    if (part.startsWith("^")) return element("sup", {}, part.slice(1, -1));
    const [, says, href] = part.match(/^\[(.*)\]\((.*)\)$/) ?? [];
    if (!says) return part;
    return linked ? element("a", { href }, says) : says;
  });

const thousands = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 }); // made once: it takes a tenth of a frame
export const grouped = (x) => thousands.format(x);

// A wavelength in positions
export const waved = (x) => (x < 100 ? x.toFixed(2) : grouped(x));

// A position as people read it: whole, or on its way with one decimal
export const place = (t) => (Number.isInteger(t) ? grouped(t).replace("-", "−") : decimals(t, 1));

// A number to `digits` decimals with a true minus sign, never "−0.0000"
export function decimals(x, digits = 4) {
  const text = Math.abs(x).toFixed(digits);
  return (x < 0 && Number(text) !== 0 ? "−" : "") + text;
}

// Four significant digits, without trailing zeros
export const significant = (x) => String(Number(x.toPrecision(4)));

// Each explorer of a notebook has these controls in a module of its own: a count alone would name two
// alike, and radio buttons of one name are one group.
const script = Math.random().toString(36).slice(2, 8);
let made = 0;
const unlike = (name) => `ex-${name}-${script}-${++made}`;

// A slider, with `now()` for its value and `set(value)` for a change. It moves in whole steps from `min` to `max()`;
// `value(step)` is the value there, `step(value)` the way back, `text(value)` what people and screen readers are told,
// the latter with its `unit`.
function slider({ name, label, min, value, step, text, unit = "" }, max, now, set) {
  const id = unlike(name);
  const input = element("input", { type: "range", id, name, min, step: 1 });
  const told = document.createTextNode("");
  const boxes = [input, element("output", { for: id }, told)].map((one) => element("div", {}, one));
  const row = element("div", { class: "ex-slider" }, element("label", { for: id }, label), ...boxes);
  const apply = () => {
    waiting = undefined;
    set(value(Number(input.value)));
  };
  // Where a finger goes down, the browser moves the slider at once. It counts when the finger moves
  // sideways or taps; a thumb that scrolls past takes it back.
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
    const shown = now(),
      says = text(shown),
      [most, at] = [max(), Math.round(step(shown))].map(String);
    if (waiting) return; // it stays under the finger
    if (input.max !== most) input.max = most;
    if (input.value !== at) input.value = at;
    if (told.nodeValue === says) return;
    told.nodeValue = says;
    input.setAttribute("aria-valuetext", `${says} ${unit}`.trim());
  };
  return { row, refresh };
}

// d_model in powers of two from 2 to 512
export const WIDTH = { name: "d_model", min: 1, max: () => 9, value: (step) => 2 ** step, step: Math.log2 };

// The base in ten steps a decade, from 2 to a million
export const BASE = {
  name: "base",
  min: 3,
  max: () => 60,
  text: grouped,
  value: (step) => Number((10 ** (step / 10)).toPrecision(2)),
  step: (base) => 10 * Math.log10(base),
};

// A box to tick
function checkbox(label, now, set) {
  const box = element("input", { type: "checkbox" });
  box.addEventListener("change", () => set(box.checked));
  return {
    row: element("label", { class: "ex-check" }, box, label),
    refresh: () => {
      box.checked = now();
    },
  };
}

// One of several: `options` are [value, label]
function choice(label, options, now, set) {
  const group = unlike("choice");
  const inputs = options.map(() => element("input", { type: "radio", name: group }));
  inputs.forEach((input, n) => input.addEventListener("change", () => set(options[n][0])));
  const row = element(
    "div",
    { class: "ex-choices", role: "radiogroup", "aria-label": label },
    element("span", {}, label),
    ...options.map(([, text], n) => element("label", { class: "ex-check" }, inputs[n], text)),
  );
  const refresh = () => inputs.forEach((input, n) => (input.checked = options[n][0] === now()));
  return { row, refresh };
}

// The same, folded to one line
function menu(label, options, now, set) {
  const id = unlike("menu");
  const list = element("select", { id }, ...options.map(([, text]) => element("option", {}, text)));
  list.addEventListener("change", () => set(options[list.selectedIndex][0]));
  const refresh = () => {
    list.selectedIndex = options.findIndex(([value]) => value === now());
  };
  return { row: element("div", { class: "ex-choose" }, element("label", { for: id }, label), list), refresh };
}

// A row of controls, as contributing/explorer.md tells: a slider, a box, or one of several. What it is, where it ends
// or what there is to choose from is in the trait of its `name`; `limits` are those of limits.mjs, `put(change)` changes
// the state.
/** @returns {Control} */
export function control(one, { traits, most, put: kept }, state, put) {
  const { name, label = name, get = (s) => s[name], set = (s, value) => kept(s, name, value) } = one,
    { type, min, values } = traits[name] ?? {},
    { options = one.max ? undefined : values?.map((value) => [value, String(value)]) } = one,
    now = () => get(state()),
    change = (value) => put((s) => set(s, value));
  if (options)
    return (one.menu ? menu : choice)(label, typeof options === "function" ? options(state()) : options, now, change);
  if (!one.max && !["int", "real"].includes(type)) return checkbox(label, now, change);
  const { per = 1 } = one, // so many steps for a whole one
    max = one.max ?? ((s) => Math.round(per * most(s, name)));
  const usual = { min: per * (min ?? 0), value: (step) => step / per, step: (value) => per * value, text: place };
  return slider({ ...usual, ...one, label }, () => max(state()), now, change);
}
