// A picture as data in the page, and which keys move what it shows.
import { LOOKS, round } from "./svg.mjs";

export const NS = "http://www.w3.org/2000/svg";
export const KEYS = {
  ArrowRight: { right: 1, up: 0 },
  ArrowLeft: { right: -1, up: 0 },
  ArrowUp: { right: 0, up: 1 },
  ArrowDown: { right: 0, up: -1 },
  Home: { right: 0, up: 0, end: -1 },
  End: { right: 0, up: 0, end: 1 },
  PageUp: { right: 0, up: 0, page: 1 },
  PageDown: { right: 0, up: 0, page: -1 },
};

export function make(tree) {
  if (typeof tree !== "object") return document.createTextNode(tree);
  const node = document.createElementNS(NS, tree.tag === "table" ? "foreignObject" : tree.tag);
  for (const name in tree.a) write(node, name, tree.a[name]);
  if (tree.tag === "table") node.append(document.createElement("canvas"));
  node.append(...tree.kids.map(make));
  return node;
}

// The numbers of a table are the node's own, for `ink`
function write(node, name, value) {
  if (typeof value === "object") node[name] = value;
  else if (value === undefined) node.removeAttribute(name);
  else node.setAttribute(name, round(value));
}

// What differs between two pictures is written into the page, and nothing else; words in place, as `renew` does
export function patch(node, was, now) {
  if (was === now) return; // a part that a scene kept
  if (typeof was !== typeof now || was.tag !== now.tag) return node.replaceWith(make(now));
  if (typeof now !== "object") {
    node.nodeValue = now;
    return;
  }
  for (const name in { ...was.a, ...now.a })
    if (round(now.a[name]) !== round(was.a[name])) write(node, name, now.a[name]);
  if (now.tag === "table") return;
  const nodes = [...node.childNodes];
  now.kids.forEach((kid, k) => (k < nodes.length ? patch(nodes[k], was.kids[k], kid) : node.append(make(kid))));
  for (const old of nodes.slice(now.kids.length)) old.remove();
}

// Tables whose numbers are others than before, or all of them, onto their canvases: a number's depth is how much of its
// colour covers the paper
export function ink(svg, all = false) {
  for (const table of svg.querySelectorAll("foreignObject")) {
    if (table.inked === table.values && !all) continue;
    const { values, firstChild: canvas } = table,
      columns = Number(table.getAttribute("columns")),
      { hues, hue, depth } = LOOKS[table.getAttribute("as")],
      context = canvas.getContext("2d", { willReadFrequently: true });
    Object.assign(canvas, { width: columns, height: values.length / columns });
    const colours = hues.map((name) => {
      context.fillStyle = getComputedStyle(svg).getPropertyValue(`--ex-${name}`);
      return parseInt(/** @type {string} */ (context.fillStyle).slice(1).match(/../g).reverse().join(""), 16);
    });
    const image = context.createImageData(canvas.width, canvas.height),
      pixels = new Uint32Array(image.data.buffer); // of alpha, blue, green, red
    // a quarter of a million in a frame: a rounding or a remainder by call would cost ten times as much
    for (let k = 0, column = 0; k < values.length; k++, column = column + 1 === columns ? 0 : column + 1)
      pixels[k] = ((255 * depth(values[k]) + 0.5) << 24) | colours[hue(values[k], column)];
    context.putImageData(image, 0, 0);
    table.inked = values;
  }
}

// Calls `act` when the page's colours change; returns what ends that
export function themed(act) {
  const observer = new MutationObserver(act),
    dark = matchMedia("(prefers-color-scheme: dark)");
  for (const node of [document.documentElement, document.body])
    observer.observe(node, { attributes: true, attributeFilter: ["data-theme", "data-jp-theme-light", "class"] });
  dark.addEventListener("change", act);
  return () => {
    observer.disconnect();
    dark.removeEventListener("change", act);
  };
}
