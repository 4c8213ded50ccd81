// What pure scenes can be asked without a page: node tour.mjs asked.json answered.json
// asked: { scene: [changes of its start] }
import { readFileSync, writeFileSync } from "node:fs";
import { scenes } from "../../_ext/tour/scenes.mjs";
import { print } from "../../pe_lib/course/explorers/scene/svg.mjs";
import { frozen, gestures, shown, steady } from "../gestures.mjs";

const [asked, answered] = process.argv.slice(2);
const states = JSON.parse(readFileSync(asked, "utf8"));
const problems = [];

// Any gesture, anywhere, leaves a state that can be drawn, told and valued
for (const [name, scene] of Object.entries(scenes)) {
  const sizes = [288, 358, 720].map((w) => ({ w, h: scene.height(w) }));
  const look = (s, size) => {
    const [now, least, most] = scene.value(s);
    if (!shown(scene, s, size, scene.alt(s))) problems.push([name, size, "drawn or told", s]);
    if (!(least <= now && now <= most)) problems.push([name, "a value outside", s]);
  };
  gestures(scene, scene.start, sizes, look);
  for (const size of sizes)
    for (const f of [0, 0.013, 0.5, 0.76, 1]) {
      const s = frozen(scene.film.at(f, frozen(structuredClone(scene.start))));
      look(s, size);
      if (!steady(scene, s, size)) problems.push([name, size, "drawn in two ways", s]);
    }
  // What is printed is what the film leads to. The sentence is printed on its way, with a table that is half written.
  const size = sizes[1],
    picture = (s) => print(scene.draw(s, size));
  if (scene.rest && name !== "sentence" && picture(scene.rest) !== picture(scene.film.at(1, scene.start)))
    problems.push([name, "rests in another state than its film"]);
}

const told = {};
for (const [name, changes] of Object.entries(states))
  told[name] = changes.map((change) => scenes[name].alt({ ...scenes[name].start, ...change }));
writeFileSync(answered, JSON.stringify({ problems, told }));
