// Prints each scene as it is at first, for the page before its script runs, for paper, and for readers without
// scripts: reads { widths, sizes } and writes { scene: { alt, hint, pictures: by size } }, as JSON.
import { readFileSync } from "node:fs";
import { print } from "../../pe_lib/course/explorers/scene/svg.mjs";

const given = JSON.parse(readFileSync(0, "utf8"));
globalThis.WIDTHS = given.widths;
const { scenes } = await import("./scenes.mjs");

const printed = Object.entries(scenes).map(([name, scene]) => {
  const pictures = given.sizes.map((w) => {
    const h = scene.height(w);
    return { box: `0 0 ${w} ${h}`, inside: print(scene.draw(scene.start, { w, h })) };
  });
  return [name, { alt: scene.alt(scene.start), hint: scene.hint, pictures }];
});
console.log(JSON.stringify(Object.fromEntries(printed)));
