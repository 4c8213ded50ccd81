// As much of a page as explorers need to draw: node page.mjs asked.json drawn.json
// Each canvas keeps the marks made since it was last cleared; what is no number, and marks beyond
// the edges, are problems.
import { readFileSync, writeFileSync } from "node:fs";

const [asked, drawn] = process.argv.slice(2);
let size = { width: 0, height: 0 };
let problems = [];
let frames = [];

const nothing = () => {};
const rgb = (pixel) => `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
const corners = (x, y, w, h) => [
  [x, y],
  [x + w, y + h],
];

function canvasContext(canvas) {
  let path = [];
  let dashed = false;
  function note(kind, points, rest) {
    const known = [points, rest.r ?? 0, rest.start ?? 0, rest.end ?? 0].flat(2).every(Number.isFinite);
    const inside = ([x, y]) => x > -0.01 && y > -0.01 && x < size.width + 0.01 && y < size.height + 0.01;
    if (!known || !points.every(inside)) problems.push([kind, points, rest]);
    canvas.marks.push({ kind, points, ...rest });
  }
  function ended(straight, round, style) {
    for (const { points, rest } of path)
      if (rest || points.length > 1) note(rest ? round : straight, points, { ...rest, ...style });
  }
  const start = (points, rest = undefined) => path.push({ points, rest });
  const pen = () => ({ colour: context.strokeStyle, width: context.lineWidth, dashed });
  const context = {
    font: "12px sans",
    clearRect: () => (canvas.marks = []),
    beginPath: () => (path = []),
    moveTo: (x, y) => start([[x, y]]),
    lineTo: (x, y) => (path.length ? path.at(-1).points.push([x, y]) : start([[x, y]])),
    bezierCurveTo: (...numbers) => context.lineTo(...numbers.slice(-2)),
    quadraticCurveTo: (...numbers) => context.lineTo(...numbers.slice(-2)),
    arc: (x, y, r, from, to) => start([[x, y]], { r, start: from, end: to }),
    roundRect: (x, y, w, h) => start(corners(x, y, w, h)),
    stroke: () => ended("line", "arc", pen()),
    fill: () => ended("shape", "dot", { colour: context.fillStyle }),
    strokeRect: (x, y, w, h) => note("frame", corners(x, y, w, h), pen()),
    fillRect: (x, y, w, h) => note("bar", corners(x, y, w, h), { colour: context.fillStyle }),
    fillText: (text, x, y) =>
      note("label", [[x, y]], { text: String(text), align: context.textAlign, colour: context.fillStyle }),
    drawImage: ({ pixels }, x, y, w, h) =>
      pixels && note("map", corners(x, y, w, h), { cells: Array.from(pixels, rgb) }),
    measureText: (text) => ({ width: 0.5 * parseFloat(context.font.match(/([\d.]+)px/)[1]) * String(text).length }),
    createImageData: (width, height) => ({ data: new Uint8ClampedArray(4 * width * height) }),
    putImageData: ({ data }) => (canvas.pixels = new Uint32Array(data.buffer.slice(0))),
    setLineDash: (dashes) => (dashed = dashes.length > 0),
  };
  for (const name of ["closePath", "clip", "rect", "save", "restore", "scale", "setTransform", "strokeText"])
    context[name] = nothing;
  return context;
}

class Part {
  children = [];
  attributes = {};
  dataset = {};
  marks = [];
  clientWidth = size.width;
  clientHeight = size.height;
  style = { setProperty: nothing };
  classList = { add: nothing, remove: nothing, toggle: nothing };
  constructor(tag) {
    this.tag = tag;
  }
  append = (...parts) => (this.children = [...this.children.filter((one) => !parts.includes(one)), ...parts]);
  appendChild = (part) => this.append(part) && part;
  prepend = (...parts) => this.children.unshift(...parts);
  replaceChildren = (...parts) => (this.children = parts);
  getBoundingClientRect = () => ({ left: 0, top: 0, ...size });
  context = undefined;
  getContext = () => (this.context ??= canvasContext(this));
  // by tag or class
  querySelectorAll(selector) {
    const wanted = selector.split(", ");
    const names = ({ tag, attributes }) => [tag, ...(attributes.class ?? "").split(" ").map((name) => `.${name}`)];
    return this.all.filter((one) => names(one).some((name) => wanted.includes(name)));
  }
  querySelector = (selector) => this.querySelectorAll(selector)[0] ?? null;
  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
  }
  get all() {
    return this.children.flatMap((one) => (one instanceof Part ? [one, ...one.all] : []));
  }
  get lastChild() {
    return this.children.at(-1);
  }
  get textContent() {
    return this.children.map((one) => one.textContent ?? one).join("");
  }
  set textContent(text) {
    this.children = [text];
  }
}
for (const name of ["closest", "contains", "addEventListener", "removeEventListener", "focus"])
  Part.prototype[name] = nothing;

class Observer {
  observe() {}
  disconnect() {}
}

Object.assign(globalThis, {
  Element: Part,
  ResizeObserver: Observer,
  MutationObserver: Observer,
  ImageData: class {
    constructor(data) {
      this.data = data;
    }
  },
  document: Object.assign(new Part("html"), {
    createElement: (tag) => new Part(tag),
    documentElement: new Part("html"),
    body: new Part("body"),
    fonts: new Part("fonts"),
  }),
  location: new URL("https://a.b/c.html"),
  devicePixelRatio: 1,
  matchMedia: (query) => Object.assign(new Part("media"), { matches: query.includes("reduced-motion") }),
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
for (const { module, states, sizes } of JSON.parse(readFileSync(asked, "utf-8"))) {
  const { default: explorer } = await import(module);
  for (size of sizes) {
    const el = new Part("div");
    const shown = model({ ...states[0] });
    states.forEach((state, n) => {
      problems = [];
      if (n) for (const [name, value] of Object.entries(state)) shown.set(name, value);
      else explorer.render({ model: shown, el });
      settle();
      const { marks } = el.querySelector("canvas") ?? el;
      results.push({ problems, marks, reading: el.querySelector(".ex-reading").textContent, ...size });
    });
  }
}
writeFileSync(drawn, JSON.stringify(results));
