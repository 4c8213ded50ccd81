// What the doctor says: a diagnosis, its findings, and how both are written: pe_lib/doctor/_diagnosis.py and
// _sentences.py. The sentences are Python's, handed over as DATA.
/* global DATA */
import { bound, told } from "./numbers.mjs";
import { explained } from "./proof.mjs";
import { filled } from "./texts.mjs";

/** @type {(more?: Partial<Diagnosis>) => Diagnosis} */
export const diagnosis = (more = {}) => ({
  scheme: "unknown",
  base: null,
  width: null,
  layout: null,
  order: null,
  exponent: null,
  scaling: null,
  factor: null,
  first_position: null,
  direction: null,
  amplitude: null,
  precision: null,
  where: null,
  readings: [],
  problems: [],
  sure: false,
  residual: null,
  alternatives: [],
  details: {},
  exceptions: { rows: [], pairs: [], entries: [], items: [] },
  findings: [],
  recipe: null,
  rounding: null,
  given: null, // the table that the recipe gives back
  picture: {},
  ...more,
});

export const note = (name, words = {}) => filled(DATA.notes[name], words);
export const other = (name, words = {}) => filled(DATA.else[name], words);

// Add a problem and the finding that explains it, once
/** @param {Diagnosis} d @param {string} name @param {Values} words */
export function problem(d, name, words = {}, evidence = "") {
  if (d.problems.includes(name)) return;
  d.problems.push(name);
  const { seen, otherwise = "", mend = "", read } = DATA.problems[name],
    [chapter, link] = DATA.read[read];
  const said = { seen: filled(seen, words), otherwise: filled(otherwise, words), mend: filled(mend, words) };
  d.findings.push({ name, ...said, evidence, chapter, link });
}

// Take problems back that turned out to be meant so
/** @type {(d: Diagnosis, ...names: string[]) => void} */
export function drop(d, ...names) {
  d.problems = d.problems.filter((name) => !names.includes(name));
  d.findings = d.findings.filter(({ name }) => !names.includes(name));
}

// The gate: sure only of what the recipe gives back, entry by entry
export function gated(d) {
  d.sure &&= d.recipe !== null && explained(d.recipe, d.given, d.rounding, d.exceptions);
  return d;
}

const has = (x) => x !== null && x !== undefined;

// The first lines of a diagnosis, one fact each
/** @param {Diagnosis} d */
export function summary(d) {
  const name = DATA.schemes[d.scheme];
  let first = `${name[0].toUpperCase()}${name.slice(1)}.`;
  if (!d.sure) first = d.scheme === "unknown" ? "Nothing I know." : `Nothing I know for sure. Most like ${name}.`;
  const lines = [first],
    said = facts(d);
  if (said.length) lines.push(`${said.join("; ")}.`);
  if (has(d.residual)) lines.push(`Largest residual ${bound(d.residual)}.`);
  lines.push(...(d.details.notes ?? []));
  if (d.sure && !d.problems.length) lines.push("No problem found.");
  return lines;
}

// What applies, in the order of the keys
function facts(d) {
  const { details } = d,
    said = [];
  if (has(d.base)) said.push(`base ${told(d.base)}`);
  if (d.exponent === "own") said.push("a frequency of its own in each dimension");
  else if (has(d.exponent)) said.push(`exponent ${d.exponent}`);
  if (has(d.width)) said.push(`width ${told(d.width)}`);
  if (has(d.layout))
    said.push(DATA.layouts[[null, "sine first"].includes(d.order) ? d.layout : `${d.layout}, ${d.order}`]);
  if (has(d.scaling) && d.scaling !== "none")
    said.push(DATA.scalings[d.scaling] + (has(d.factor) && d.factor !== 1 ? ` by ${told(d.factor)}` : ""));
  if ("trained_length" in details) said.push(`trained on ${told(details.trained_length)} positions`);
  if ("rounded_ends" in details) said.push(`the ramp's ends ${details.rounded_ends ? "" : "not "}rounded`);
  if (has(d.first_position)) said.push(`from position ${told(d.first_position)}`);
  if (has(d.direction) && d.scheme === "rotary") said.push(d.direction === 1 ? "counter-clockwise" : "clockwise");
  if (has(d.amplitude) && d.amplitude !== 1) said.push(`amplitude ${told(d.amplitude)}`);
  if (has(d.precision)) said.push(d.where ? `${d.precision} ${d.where}` : d.precision);
  return said;
}

// The whole diagnosis as text, as Python prints it
/** @param {Diagnosis} d */
export function text(d) {
  const lines = summary(d);
  for (const { seen, evidence, otherwise, mend, chapter, link } of d.findings) {
    lines.push(`- ${seen}`);
    const more = { Evidence: evidence, Or: otherwise, Mend: mend, Read: `${chapter} (${link})` };
    for (const [label, said] of Object.entries(more)) if (said) lines.push(`    ${label}: ${said}`);
  }
  if (d.alternatives.length) lines.push("What else it could be:", ...d.alternatives.map((said) => `- ${said}`));
  return lines.join("\n");
}
