import { clocks } from "./scenes/dials.mjs";
import { counter } from "./scenes/counter.mjs";
import { distance } from "./scenes/distance.mjs";
import { diagnose, learn, lookup } from "./scenes/doors.mjs";
import { million } from "./scenes/million.mjs";
import { sentence } from "./scenes/sentence.mjs";
import { shadows } from "./scenes/shadows.mjs";
import { shuffle } from "./scenes/shuffle.mjs";
import { rotation } from "./scenes/rotation.mjs";

/** @type {Record<string, any>} by the id of a scene in index.md; mount.mjs lists what a scene must have */
export const scenes = {
  sentence,
  shuffle,
  counter,
  shadows,
  clocks,
  distance,
  turned: rotation,
  million,
  learn,
  lookup,
  diagnose,
};
