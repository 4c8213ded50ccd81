// As much of a page as explorers need to draw: node page.mjs asked.json drawn.json
// Each canvas keeps the marks made since it was last cleared; what is no number, and marks beyond
// the edges, are problems.
import { readFileSync, writeFileSync } from "node:fs";

const [asked, drawn] = process.argv.slice(2);
let size = { width: 0, height: 0 };
let problems = [];
let recorded; // of a training, for who asks for one
let frames = [];

const rgb = (pixel) => `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;

class Context {
  dashes = [];
  font = "12px sans";
  constructor(canvas) {
    this.canvas = canvas;
  }
  note(kind, points, rest) {
    const known = [...points.flat(), rest.r ?? 0, rest.start ?? 0, rest.end ?? 0].every(Number.isFinite);
    const inside = ([x, y]) => x > -0.01 && y > -0.01 && x < size.width + 0.01 && y < size.height + 0.01;
    if (!known || !points.every(inside)) problems.push([kind, points, rest]);
    this.canvas.marks.push({ kind, points, ...rest });
  }
  box(kind, x, y, w, h, rest) {
    const corner = [x + w, y + h];
    this.note(kind, [[x, y], corner], rest);
  }
  get pen() {
    return { colour: this.strokeStyle, width: this.lineWidth, dashed: this.dashes.length > 0 };
  }
  clearRect() {
    this.canvas.marks = [];
  }
  beginPath() {
    this.path = [];
  }
  moveTo(x, y) {
    this.path.push({ points: [[x, y]] });
  }
  lineTo(x, y) {
    if (this.path.length) this.path.at(-1).points.push([x, y]);
    else this.moveTo(x, y);
  }
  bezierCurveTo(...numbers) {
    this.lineTo(...numbers.slice(-2));
  }
  quadraticCurveTo(...numbers) {
    this.lineTo(...numbers.slice(-2));
  }
  arc(x, y, r, start, end) {
    this.path.push({ points: [[x, y]], rest: { r, start, end } });
  }
  roundRect(x, y, w, h) {
    const corner = [x + w, y + h];
    this.path.push({ points: [[x, y], corner] });
  }
  ended(straight, round, style) {
    for (const { points, rest } of this.path)
      if (rest || points.length > 1) this.note(rest ? round : straight, points, { ...rest, ...style });
  }
  stroke() {
    this.ended("line", "arc", this.pen);
  }
  fill() {
    this.ended("shape", "dot", { colour: this.fillStyle });
  }
  strokeRect(x, y, w, h) {
    this.box("frame", x, y, w, h, this.pen);
  }
  fillRect(x, y, w, h) {
    this.box("bar", x, y, w, h, { colour: this.fillStyle });
  }
  fillText(text, x, y) {
    this.note("label", [[x, y]], { text: String(text), align: this.textAlign, colour: this.fillStyle });
  }
  drawImage({ pixels }, x, y, w, h) {
    if (pixels) this.box("map", x, y, w, h, { cells: Array.from(pixels, rgb) });
  }
  measureText(text) {
    return { width: 0.5 * parseFloat(this.font.match(/([\d.]+)px/)[1]) * String(text).length };
  }
  createImageData(width, height) {
    return new ImageData(new Uint8ClampedArray(4 * width * height));
  }
  putImageData({ data }) {
    this.canvas.pixels = new Uint32Array(data.buffer.slice(0));
  }
  setLineDash(dashes) {
    this.dashes = dashes;
  }
}

globalThis.Element = class {
  children = [];
  attributes = {};
  dataset = {};
  marks = [];
  style = { setProperty() {} };
  classList = { add() {}, toggle() {} };
  constructor(tag) {
    this.tag = tag;
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
  }
  append(...parts) {
    this.children = [...this.children.filter((one) => !parts.includes(one)), ...parts];
  }
  appendChild(part) {
    this.append(part);
    return part;
  }
  prepend(...parts) {
    this.children.unshift(...parts);
  }
  replaceChildren(...parts) {
    this.children = parts;
  }
  get lastChild() {
    return this.children.at(-1);
  }
  get all() {
    return this.children.flatMap((one) => (one instanceof Element ? [one, ...one.all] : []));
  }
  get textContent() {
    return this.children.map((one) => one.textContent ?? one).join("");
  }
  set textContent(text) {
    this.children = [text];
  }
  // by tag or class
  querySelectorAll(selector) {
    const wanted = selector.split(", ");
    const names = ({ tag, attributes }) => [tag, ...(attributes.class ?? "").split(" ").map((name) => `.${name}`)];
    return this.all.filter((one) => names(one).some((name) => wanted.includes(name)));
  }
  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  getBoundingClientRect() {
    return { left: 0, top: 0, ...size };
  }
  get clientWidth() {
    return size.width;
  }
  get clientHeight() {
    return size.height;
  }
  getContext() {
    return (this.context ??= new Context(this));
  }
};

// What nobody draws with does nothing
const nothing = () => {};
for (const name of ["closest", "contains", "addEventListener", "removeEventListener", "focus"])
  Element.prototype[name] = nothing;
for (const name of ["closePath", "clip", "rect", "save", "restore", "scale", "setTransform", "strokeText"])
  Context.prototype[name] = nothing;
class Observer {
  observe() {}
  disconnect() {}
}

Object.assign(globalThis, {
  ResizeObserver: Observer,
  MutationObserver: Observer,
  ImageData: class {
    constructor(data) {
      this.data = data;
    }
  },
  // Trains nothing, and says what was recorded of a training
  Worker: class {
    addEventListener(sign, act) {
      if (sign === "message") this.report = act;
    }
    postMessage({ run, goal }) {
      const before = { losses: [], shares: undefined };
      if (recorded) this.report({ data: { ...recorded, ...(goal ? {} : before), run } });
    }
    terminate() {}
  },
  document: Object.assign(new Element("html"), {
    createElement: (tag) => new Element(tag),
    documentElement: new Element("html"),
    body: new Element("body"),
    fonts: new Element("fonts"),
  }),
  location: new URL("https://a.b/c.html"),
  devicePixelRatio: 1,
  matchMedia: (query) => Object.assign(new Element("media"), { matches: query.includes("reduced-motion") }),
  getComputedStyle: () => ({ getPropertyValue: (name) => name.replace("--ex-", ""), fontFamily: "sans" }),
  requestAnimationFrame: (act) => frames.push(act),
  cancelAnimationFrame: (frame) => delete frames[frame - 1],
});

function settle() {
  for (let n = 0; frames.length; n++) {
    if (n > 20) throw new Error("it never comes to rest");
    const now = frames;
    frames = [];
    for (const act of Object.values(now)) act(performance.now());
  }
}

function model(state) {
  const heard = {};
  return {
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      for (const act of heard[`change:${name}`] ?? []) act();
    },
    on: (event, act) => (heard[event] ??= []).push(act),
    off: nothing,
    save_changes: nothing,
  };
}

const results = [];
for (const { module, states, sizes, runs } of JSON.parse(readFileSync(asked, "utf-8"))) {
  const { default: explorer } = await import(module);
  for (size of sizes) {
    const el = new Element("div");
    const shown = model({ ...states[0] });
    states.forEach((state, n) => {
      problems = [];
      recorded = runs[n];
      if (n) for (const [name, value] of Object.entries(state)) shown.set(name, value);
      else explorer.render({ model: shown, el });
      settle();
      const { marks } = el.querySelector("canvas") ?? el;
      results.push({ problems, marks, reading: el.querySelector(".ex-reading").textContent, ...size });
    });
  }
}
writeFileSync(drawn, JSON.stringify(results));
