// Inserts a picture, given as plain data, into the page, and updates it there.
import { LOOKS, round } from "./svg.mjs";

export const NS = "http://www.w3.org/2000/svg";

/** @type {(tree: any) => Node} */
export function createNode(tree) {
  if (typeof tree !== "object") return document.createTextNode(tree);
  const node = document.createElementNS(NS, tree.tag === "table" ? "foreignObject" : tree.tag);
  for (const name in tree.a) write(node, name, tree.a[name]);
  if (tree.tag === "table") node.append(document.createElement("canvas"));
  node.append(...tree.kids.map(createNode));
  return node;
}

// Write an attribute of a node. A table's numbers become a property of the node, which `paintTables` reads.
/** @type {(node: any, name: string, value: any) => void} */
function write(node, name, value) {
  if (typeof value === "object") node[name] = value;
  else if (value === undefined) node.removeAttribute(name);
  else node.setAttribute(name, round(value));
}

// Update a node from one picture to another, and write only the differences.
// Text is changed in place, because browsers do more work when a node is added or removed.
/** @type {(node: any, before: any, after: any) => void} */
export function patch(node, before, after) {
  if (before === after) return; // the scene kept this part
  if (typeof before !== typeof after || before.tag !== after.tag) return node.replaceWith(createNode(after));
  if (typeof after !== "object") {
    node.nodeValue = after;
    return;
  }
  for (const name in after.a) {
    const [was, is] = [before.a[name], after.a[name]];
    if (was !== is && round(was) !== round(is)) write(node, name, is);
  }
  for (const name in before.a) if (!(name in after.a)) write(node, name, undefined);
  if (after.tag === "table") return;
  const { childNodes } = node;
  for (let k = 0; k < after.kids.length; k++) {
    if (k >= before.kids.length) node.append(createNode(after.kids[k]));
    else if (before.kids[k] !== after.kids[k]) patch(childNodes[k], before.kids[k], after.kids[k]);
  }
  while (childNodes.length > after.kids.length) childNodes[after.kids.length].remove();
}

// Paint the tables whose numbers have changed, or all tables if `all` is true, onto their canvases.
// The depth of a number is the opacity of its colour over the paper.
/** @type {(svg: Element, all?: boolean) => void} */
export function paintTables(svg, all = false) {
  for (const table of /** @type {NodeListOf<any>} */ (svg.querySelectorAll("foreignObject"))) {
    if (table.painted === table.values && !all) continue;
    const { values, firstChild: canvas } = table,
      columns = Number(table.getAttribute("columns")),
      { hues, hue, depth } = LOOKS[table.getAttribute("as")],
      context = canvas.getContext("2d", { willReadFrequently: true });
    Object.assign(canvas, { width: columns, height: values.length / columns });
    const colours = hues.map((name) => {
      context.fillStyle = getComputedStyle(svg).getPropertyValue(`--ex-${name}`);
      const bytes = context.fillStyle.slice(1).match(/../g); // "#rrggbb"
      return parseInt(bytes.reverse().join(""), 16);
    });
    const image = context.createImageData(canvas.width, canvas.height),
      pixels = new Uint32Array(image.data.buffer); // the bytes are alpha, blue, green, red
    // A frame may have 250,000 pixels, and a call of Math.round or a remainder would take ten times as long.
    for (let k = 0, column = 0; k < values.length; k++, column = column + 1 === columns ? 0 : column + 1)
      pixels[k] = ((255 * depth(values[k]) + 0.5) << 24) | colours[hue(values[k], column)];
    context.putImageData(image, 0, 0);
    table.painted = values;
  }
}

// Call `act` whenever the page's colours change, and return a function that ends the observation.
/** @type {(act: () => void) => () => void} */
export function observeTheme(act) {
  const observer = new MutationObserver(act),
    darkness = matchMedia("(prefers-color-scheme: dark)");
  for (const node of [document.documentElement, document.body])
    observer.observe(node, { attributes: true, attributeFilter: ["data-theme", "data-jp-theme-light", "class"] });
  darkness.addEventListener("change", act);
  return () => {
    observer.disconnect();
    darkness.removeEventListener("change", act);
  };
}
