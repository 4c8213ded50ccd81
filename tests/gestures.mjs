// What any scene is asked, without a page: whatever a hand does, its state can be drawn and told.
import { print } from "../pe_lib/course/explorers/scene/svg.mjs";

export function frozen(x) {
  if (Object.isFrozen(x) || ArrayBuffer.isView(x)) return x; // numbers in a buffer can't be frozen
  for (const part of Object.values(x)) frozen(part);
  return Object.freeze(x);
}

// What moves by itself comes to rest, within 600 frames, or is looked at after so many
function rested(scene, s, ms, frames = 600) {
  for (let n = 0; scene.tick && n < frames; n++) {
    const next = frozen(scene.tick(s, ms));
    if (next === s) return s;
    s = next;
    if (n === 599) throw Error("it never rests");
  }
  return s;
}

// Gestures at many places, from `start`, on pictures of these sizes in turn: `look` is given each state
// that they leave, and the size. Returns the last.
export function gestures(scene, start, sizes, look) {
  let s = frozen(structuredClone(start));
  for (let n = 0; n < 150; n++) {
    const size = sizes[(n >> 1) % sizes.length];
    const p = { x: (n * 97.3) % size.w, y: (n * 53.1) % size.h };
    s = frozen(scene.down(s, size, p));
    if (s.hold)
      for (const by of [-80, 0, 300]) look((s = frozen(scene.move(s, size, { x: p.x + by, y: p.y + by / 9 }))), size);
    s = frozen(scene.up(s));
    const key = { right: (n % 3) - 1, up: n % 3 ? 0 : (n % 2) * 2 - 1, shift: n % 5 === 0 };
    s = frozen(scene.key(s, n % 25 ? key : { right: 0, up: 0, ...(n % 2 ? { end: 1 } : { page: -1 }) }));
    look((s = rested(scene, s, 16, 30)), size);
  }
  look(rested(scene, s, 16), sizes[0]);
  return rested(scene, s, Infinity);
}

// Whether a state can be drawn and told
export const shown = (scene, s, size, said) => !/NaN|undefined/.test(print(scene.draw(s, size)) + said);

// Whether it is drawn in one way, whatever was drawn before
export function steady(scene, s, size) {
  const drawn = print(scene.draw(s, size));
  return drawn === print(scene.draw(s, size));
}
