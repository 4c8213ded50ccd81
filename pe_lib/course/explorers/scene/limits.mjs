// Where the values of traits end, as their class says in ABOUT: between `min` and `max`, or before the end of another
// trait, `below`, which may be a list. What scenes, controls, Play and links go by.
import { clamp } from "../maths.mjs";

export function limits({ traits = {} }) {
  const named = Object.keys(traits);
  function most(s, name) {
    const { max, below } = traits[name];
    return below ? (s[below].length ?? s[below]) - 1 : (max ?? Infinity);
  }
  function inside(s, name) {
    if (typeof s[name] !== "number") return s[name];
    const value = clamp(s[name], traits[name].min ?? -Infinity, most(s, name));
    return traits[name].type === "int" ? Math.round(value) : value;
  }

  // Another value, as far as there is one; what must stay below it follows
  function put(s, name, value) {
    const next = { ...s, [name]: value };
    for (const one of named) if (one === name || traits[one].below === name) next[one] = inside(next, one);
    return next;
  }
  return {
    traits,
    most,
    put,
    step: (s, name, by) => put(s, name, Math.round(s[name]) + by), // by whole ones
    fits: (s) => named.every((name) => inside(s, name) === s[name]),
  };
}
