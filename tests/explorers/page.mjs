// As much of a page as explorers need to draw: node page.mjs asked.json drawn.json
// Each canvas keeps the marks made since it was last cleared; numbers that are none, and marks
// beyond its edges, are problems.
import { readFileSync, writeFileSync } from "node:fs";

const [asked, drawn] = process.argv.slice(2);
let size = { width: 0, height: 0 };
let problems = [];
let recorded; // a training, for who asks for one

const RESTS = ["fillStyle", "strokeStyle", "lineWidth", "font", "textAlign", "globalAlpha"];
const copy = (context) => Object.fromEntries([...RESTS, "dashes", "scaled", "clipped"].map((name) => [name, context[name]]));

class Context {
  constructor(canvas) {
    Object.assign(this, { canvas, dashes: [], scaled: 1, clipped: false, saved: [], path: [], font: "12px sans" });
  }
  place(...points) {
    const placed = points.map((point) => point.map((x) => x * this.scaled));
    if (!placed.flat().every(Number.isFinite)) problems.push(`no numbers: ${JSON.stringify(points)}`);
    return placed;
  }
  note(kind, points, rest) {
    const { width, height } = size;
    const out = ([x, y]) => x < -0.01 || y < -0.01 || x > width + 0.01 || y > height + 0.01;
    if (!this.clipped && points.some(out)) problems.push(`${kind} beyond the edge: ${JSON.stringify([points, rest])}`);
    this.canvas.marks.push({ kind, points, ...rest });
  }
  pen() {
    return { colour: this.strokeStyle, width: this.lineWidth, dashed: this.dashes.length > 0 };
  }
  clearRect() {
    this.canvas.marks = [];
  }
  beginPath() {
    this.path = [];
  }
  moveTo(x, y) {
    this.path.push({ points: this.place([x, y]) });
  }
  lineTo(x, y) {
    if (!this.path.length) return this.moveTo(x, y);
    this.path.at(-1).points.push(...this.place([x, y]));
  }
  bezierCurveTo(...numbers) {
    this.place(numbers);
    this.lineTo(...numbers.slice(-2));
  }
  quadraticCurveTo(...numbers) {
    this.bezierCurveTo(...numbers);
  }
  arc(x, y, r, start, end) {
    this.place([r, start, end]);
    this.path.push({ points: this.place([x, y]), r: r * this.scaled, start, end });
  }
  rect(x, y, w, h) {
    this.place([x, y, w, h]);
  }
  roundRect(x, y, w, h) {
    this.path.push({ points: this.place([x, y], [x + w, y + h]) });
  }
  closePath() {}
  clip() {
    this.clipped = true;
  }
  ended(line, round, style) {
    for (const { points, ...rest } of this.path)
      if (rest.r !== undefined) this.note(round, points, { ...rest, ...style });
      else if (points.length > 1) this.note(line, points, style);
  }
  stroke() {
    this.ended("line", "arc", this.pen());
  }
  fill() {
    this.ended("shape", "dot", { colour: this.fillStyle });
  }
  strokeRect(x, y, w, h) {
    this.note("frame", this.place([x, y], [x + w, y + h]), this.pen());
  }
  fillRect(x, y, w, h) {
    this.note("bar", this.place([x, y], [x + w, y + h]), { colour: this.fillStyle });
  }
  fillText(text, x, y) {
    this.note("label", this.place([x, y]), { text: String(text), align: this.textAlign, colour: this.fillStyle });
  }
  strokeText() {}
  measureText(text) {
    return { width: 0.5 * parseFloat(this.font.match(/([\d.]+)px/)[1]) * String(text).length };
  }
  drawImage({ pixels }, x, y, w, h) {
    const corners = this.place([x, y], [x + w, y + h]);
    if (pixels) this.note("map", corners, { cells: Array.from(pixels, (one) => `rgb(${one & 255} ${(one >> 8) & 255} ${(one >> 16) & 255})`) });
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
  setTransform() {}
  scale(factor) {
    this.scaled *= factor;
  }
  save() {
    this.saved.push(copy(this));
  }
  restore() {
    Object.assign(this, this.saved.pop());
  }
}

globalThis.Element = class {
  constructor(tag) {
    Object.assign(this, { tag, children: [], attributes: {}, dataset: {}, marks: [], hidden: false, value: "" });
    this.style = { setProperty() {} };
    this.classList = { add() {}, remove() {}, toggle() {}, contains: () => false };
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
  }
  append(...parts) {
    const others = this.children.filter((one) => !parts.includes(one));
    this.children = [...others, ...parts.map((part) => (part instanceof Element ? part : String(part)))];
  }
  appendChild(part) {
    this.append(part);
    return part;
  }
  prepend(...parts) {
    this.children.unshift(...parts);
  }
  replaceChildren(...parts) {
    this.children = [];
    this.append(...parts);
  }
  get all() {
    return this.children.flatMap((one) => (one instanceof Element ? [one, ...one.all] : []));
  }
  get lastChild() {
    return this.children.at(-1);
  }
  get textContent() {
    return this.children.map((one) => one.textContent ?? one).join("");
  }
  set textContent(text) {
    this.children = [String(text)];
  }
  // by tag or by the last class named
  querySelectorAll(selector) {
    const wanted = selector.split(",").map((one) => one.trim().split(" ").at(-1));
    const has = (one, name) =>
      name.startsWith(".") ? one.attributes.class?.split(" ").includes(name.slice(1)) : one.tag === name;
    return this.all.filter((one) => wanted.some((name) => has(one, name)));
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
  closest() {
    return null;
  }
  contains() {
    return false;
  }
  addEventListener() {}
  removeEventListener() {}
  focus() {}
};

let frames = new Map();
const never = { observe() {}, disconnect() {} };
Object.assign(globalThis, {
  ImageData: class {
    constructor(data) {
      this.data = data;
    }
  },
  ResizeObserver: function () {
    return never;
  },
  MutationObserver: function () {
    return never;
  },
  // Trains nothing, and says what was recorded of a training
  Worker: class {
    addEventListener(sign, act) {
      if (sign === "message") this.report = act;
    }
    postMessage({ run, goal }) {
      if (recorded) this.report({ data: { run, ...(goal ? recorded : { ...recorded, losses: [], shares: undefined }) } });
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
  requestAnimationFrame: (act) => frames.set(frames.size + 1, act).size,
  cancelAnimationFrame: (frame) => frames.delete(frame),
});

function settle() {
  for (let n = 0; frames.size; n++) {
    if (n > 20) throw new Error("it never comes to rest");
    const now = frames;
    frames = new Map();
    for (const act of now.values()) act(performance.now());
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
    on: (event, act) => (heard[event] ??= new Set()).add(act),
    off: (event, act) => heard[event]?.delete(act),
    save_changes() {},
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
      const [canvas] = el.querySelectorAll("canvas");
      const [reading] = el.querySelectorAll(".ex-reading");
      results.push({ problems, marks: canvas?.marks ?? [], reading: reading.textContent, ...size });
    });
  }
}
writeFileSync(drawn, JSON.stringify(results));
