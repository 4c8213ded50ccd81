// The limits of traits, as their class states them in ABOUT: `min` and `max`, or another trait that a value stays `below`,
// which may be a list. Scenes, controls, Play and links keep them.
import { clamp } from "../maths.mjs";

/** @type {(about: { traits?: Record<string, Trait> }) => Limits} */
export function limits({ traits = {} }) {
  const names = Object.keys(traits);

  // The largest value that a trait may have in this state
  /** @type {Limits["most"]} */
  function most(s, name) {
    const { max, below } = traits[name];
    return below ? (s[below].length ?? s[below]) - 1 : (max ?? Infinity);
  }

  // The value of a trait, moved within its limits
  /** @type {(s: State, name: string) => any} */
  function limitValue(s, name) {
    if (typeof s[name] !== "number") return s[name];
    const value = clamp(s[name], traits[name].min ?? -Infinity, most(s, name));
    return traits[name].type === "int" ? Math.round(value) : value;
  }

  // The state with another value of a trait, as near as its limits allow; traits that stay below it follow
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
    // The same for a step from the nearest whole number
    step: (s, name, by) => setValue(s, name, Math.round(s[name]) + by),
    fits: (s) => names.every((name) => limitValue(s, name) === s[name]),
  };
}
