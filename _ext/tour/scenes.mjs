import { clocks } from "./scenes/dials.mjs";
import { counter } from "./scenes/counter.mjs";
import { distance } from "./scenes/distance.mjs";
import { diagnose, learn, lookup } from "./scenes/doors.mjs";
import { sentence } from "./scenes/sentence.mjs";
import { shadows } from "./scenes/shadows.mjs";
import { shuffle } from "./scenes/shuffle.mjs";
import { turned } from "./scenes/turned.mjs";

/** @type {Record<string, any>} what each must have: mount.mjs */
export const scenes = { sentence, shuffle, counter, shadows, clocks, distance, turned, learn, lookup, diagnose };
