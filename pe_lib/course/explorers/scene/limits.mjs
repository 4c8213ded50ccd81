// Enforces the limits of traits that their class states, for scenes, controls, Play and links.
// A limit is `min` or `max`, or another trait (a number or a list) that a value has to stay `below`.
import { clamp } from "../maths.mjs";

/** @type {(about: { traits?: Record<string, Trait> }) => Limits} */
export function limits({ traits = {} }) {
  const names = Object.keys(traits);

  // Return the largest value that a trait may have in this state.
  /** @type {Limits["most"]} */
  function most(s, name) {
    const { max, below } = traits[name];
    return below ? (s[below].length ?? s[below]) - 1 : (max ?? Infinity);
  }

  // Return the value of a trait after it is moved within its limits.
  /** @type {(s: State, name: string) => any} */
  function limitValue(s, name) {
    if (typeof s[name] !== "number") return s[name];
    const value = clamp(s[name], traits[name].min ?? -Infinity, most(s, name));
    return traits[name].type === "int" ? Math.round(value) : value;
  }

  // Return the state with a new value of a trait, as near as its limits allow, and lower the traits that depend on it.
  /** @type {Limits["setValue"]} */
  function setValue(s, name, value) {
    const next = { ...s, [name]: value };
    for (const other of names)
      if (other === name || traits[other].below === name) next[other] = limitValue(next, other);
    return next;
  }
  return {
    traits,
    most,
    setValue,
    // Move a trait by a number of steps from the nearest whole number.
    step: (s, name, by) => setValue(s, name, Math.round(s[name]) + by),
    fits: (s) => names.every((name) => limitValue(s, name) === s[name]),
  };
}
