// What pure scenes can be asked without a page: node tour.mjs asked.json answered.json
// asked: { widths: of letters, states: { scene: [changes of its start] } }
import { readFileSync, writeFileSync } from "node:fs";

const [asked, answered] = process.argv.slice(2);
const { widths, states } = JSON.parse(readFileSync(asked, "utf8"));
globalThis.WIDTHS = widths;
const { scenes } = await import("../../_ext/tour/scenes.mjs");
const { print } = await import("../../_ext/tour/svg.mjs");
const problems = [];

function frozen(x) {
  if (x && typeof x === "object") for (const part of Object.values(x)) frozen(part);
  return Object.freeze(x);
}

// Any gesture, anywhere, leaves a state that can be drawn, told and valued
function tried(name, scene, w) {
  const size = { w, h: scene.height(w) };
  const look = (s) => {
    const drawn = print(scene.draw(s, size)),
      [now, least, most] = scene.value(s);
    if (/NaN|undefined/.test(drawn + scene.alt(s))) problems.push([name, w, "drawn or told", s]);
    if (drawn !== print(scene.draw(s, size))) problems.push([name, w, "drawn in two ways", s]);
    if (!(least <= now && now <= most)) problems.push([name, w, "a value outside", s]);
  };
  let s = frozen(structuredClone(scene.start));
  for (let n = 0; n < 150; n++) {
    const p = { x: (n * 97.3) % w, y: (n * 53.1) % size.h };
    s = frozen(scene.down(s, size, p));
    for (const by of [-80, 0, 300]) look((s = frozen(scene.move(s, size, { x: p.x + by, y: p.y + by / 9 }))));
    s = frozen(scene.up(s));
    s = frozen(scene.key(s, { right: (n % 3) - 1, up: n % 3 ? 0 : (n % 2) * 2 - 1, end: n % 25 ? undefined : 1 }));
    look(s);
  }
  for (let n = 0; scene.settle && scene.settle(s, 16) !== s; s = frozen(scene.settle(s, 16)))
    if (++n > 600) throw Error(`${name} never rests`);
  for (const f of [0, 0.013, 0.5, 0.76, 1]) look(frozen(scene.film.at(f, frozen(structuredClone(scene.start)))));
}

for (const [name, scene] of Object.entries(scenes)) for (const w of [288, 358, 720]) tried(name, scene, w);

const told = {};
for (const [name, changes] of Object.entries(states))
  told[name] = changes.map((change) => scenes[name].alt({ ...scenes[name].start, ...change }));
writeFileSync(answered, JSON.stringify({ problems, told }));
