// Draws a scene for print, for notebooks, and for readers without JavaScript.
// The script reads { module, about, state, width } from its input and writes { alt, height, picture }, both as JSON.
import { readFileSync } from "node:fs";
import { print, sentence } from "./svg.mjs";

const { module, about, state, width } = JSON.parse(readFileSync(0, "utf8"));
Object.assign(globalThis, { ABOUT: about }); // a bundle puts this constant before an explorer's module
const { scene } = await import(module);
const height = scene.height(width, state);
console.log(
  JSON.stringify({ alt: sentence(scene, state), height, picture: print(scene.draw(state, { w: width, h: height })) }),
);
