// A picture as data in the page, and which keys move what it shows.
import { round } from "./svg.mjs";

export const NS = "http://www.w3.org/2000/svg";
export const KEYS = {
  ArrowRight: { right: 1, up: 0 },
  ArrowLeft: { right: -1, up: 0 },
  ArrowUp: { right: 0, up: 1 },
  ArrowDown: { right: 0, up: -1 },
  Home: { right: 0, up: 0, end: -1 },
  End: { right: 0, up: 0, end: 1 },
};

export function make(tree) {
  if (typeof tree !== "object") return document.createTextNode(tree);
  const node = document.createElementNS(NS, tree.tag);
  for (const name in tree.a) if (tree.a[name] !== undefined) node.setAttribute(name, round(tree.a[name]));
  node.append(...tree.kids.map(make));
  return node;
}

// What differs between two pictures is written into the page, and nothing else
export function patch(node, was, now) {
  if (typeof now !== "object" || was.tag !== now.tag) {
    if (was !== now) node.replaceWith(make(now));
    return;
  }
  for (const name in { ...was.a, ...now.a }) {
    const value = round(now.a[name]);
    if (value === round(was.a[name])) continue;
    if (value === undefined) node.removeAttribute(name);
    else node.setAttribute(name, value);
  }
  const nodes = [...node.childNodes];
  now.kids.forEach((kid, k) => (k < nodes.length ? patch(nodes[k], was.kids[k], kid) : node.append(make(kid))));
  for (const old of nodes.slice(now.kids.length)) old.remove();
}
