// Prints each scene as it rests, which the page shows before its script runs, on paper, and to readers without scripts.
// Reads { sizes } and writes { scene: { alt, hint, arrows, pictures }, … } with a picture for each size, as JSON.
import { readFileSync } from "node:fs";
import { print } from "../../pe_lib/course/explorers/scene/svg.mjs";
import { scenes } from "./scenes.mjs";

const input = JSON.parse(readFileSync(0, "utf8"));

const printedScenes = Object.entries(scenes).map(([name, scene]) => {
  const { hint, arrows = "", form = null, rest = scene.start } = scene;
  const pictures = input.sizes.map((w) => {
    const h = scene.height(w);
    return { box: `0 0 ${w} ${h}`, inside: print(scene.draw(rest, { w, h })) };
  });
  return [name, { alt: scene.alt(rest), hint, arrows, form, pictures }];
});
console.log(JSON.stringify(Object.fromEntries(printedScenes)));
