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

// The explorer's parts into its element. JupyterLab takes the arrow keys from any control that
// doesn't itself carry the attribute; on a parent it comes too late for its selectors.
export function fill(el, ...parts) {
  el.classList.add("ex");
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
/**
 * @param {{ name: string, label: string, min: number, value?: (step: number) => any, step?: (value: any) => number,
 *   text?: (value: any) => string, unit?: string }} about
 * @param {() => number} max
 * @param {() => any} now
 * @param {(value: any) => void} set
 * @returns {Control}
 */
export function slider(
  { name, label, min, value = (s) => s, step = (v) => v, text = String, unit = "" },
  max,
  now,
  set,
) {
  const id = unlike(name);
  const input = element("input", { type: "range", id, name, min, step: 1 });
  const output = element("output", { for: id });
  const row = element("div", { class: "ex-slider" }, element("label", { for: id }, label), input, output);
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
  let last = "";
  const refresh = () => {
    const shown = now(),
      most = max(),
      at = String(Math.round(step(shown)));
    if (last === (last = [shown, most].join())) return; // an untouched slider costs no layout
    input.max = String(most);
    if (input.value !== at) input.value = at;
    output.textContent = text(shown);
    input.setAttribute("aria-valuetext", `${text(shown)} ${unit}`.trim());
  };
  return { row, refresh };
}

// d_model in powers of two from 2 to 512
export const WIDTH = {
  name: "d_model",
  label: "d_model",
  min: 1,
  max: () => 9,
  value: (step) => 2 ** step,
  step: Math.log2,
};

// The base in ten steps a decade, from 10^(min/10) to a million
export const baseFrom = (min) => ({
  name: "base",
  label: "base",
  min,
  max: () => 60,
  text: grouped,
  value: (step) => Number((10 ** (step / 10)).toPrecision(2)),
  step: (base) => 10 * Math.log10(base),
});

// A box to tick, with `on()` for its state and `set(on)` for a change
/** @type {(label: string, on: () => boolean, set: (on: boolean) => void) => Control} */
export function checkbox(label, on, set) {
  const box = element("input", { type: "checkbox" });
  box.addEventListener("change", () => set(box.checked));
  return {
    row: element("label", { class: "ex-check" }, box, label),
    refresh: () => {
      box.checked = on();
    },
  };
}

// One of several: `options` are [value, label], `chosen()` is the value now
/** @type {(label: string, options: string[][], chosen: () => string, set: (value: string) => void) => Control} */
export function choice(label, options, chosen, set) {
  const group = unlike("choice");
  const inputs = options.map(([value]) => element("input", { type: "radio", name: group, value }));
  inputs.forEach((input) => input.addEventListener("change", () => set(input.value)));
  const row = element(
    "div",
    { class: "ex-choices", role: "radiogroup", "aria-label": label },
    element("span", {}, label),
    ...options.map(([, text], n) => element("label", { class: "ex-check" }, inputs[n], text)),
  );
  return {
    row,
    refresh: () => {
      for (const input of inputs) input.checked = input.value === chosen();
    },
  };
}

// The same, folded to one line: `options` are [value, label]
export function menu(label, options, chosen, set) {
  const id = unlike("menu");
  const list = element("select", { id }, ...options.map(([value, text]) => element("option", { value }, text)));
  list.addEventListener("change", () => set(list.value));
  const row = element("div", { class: "ex-choose" }, element("label", { for: id }, label), list);
  return {
    row,
    refresh: () => {
      list.value = chosen();
    },
  };
}
