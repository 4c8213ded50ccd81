// What the doctor says: a diagnosis, its findings, and how both are written. The sentences are those of
// pe_lib/doctor/_sentences.py, handed over as WORDS.
/* global WORDS */
import { bound, told } from "./numbers.mjs";

/** @type {(more?: Partial<Diagnosis>) => Diagnosis} */
export const diagnosis = (more = {}) => ({
  scheme: "unknown",
  base: null,
  width: null,
  layout: null,
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
  findings: [],
  picture: {},
  ...more,
});

export const filled = (template, words) => template.replace(/\{(\w+)\}/g, (_, name) => words[name]);

// Add a problem and the finding that explains it, once
/** @param {Diagnosis} d @param {string} name @param {Values} words */
export function problem(d, name, words = {}, evidence = "") {
  if (d.problems.includes(name)) return;
  d.problems.push(name);
  const [seen, otherwise, mend, chapter] = WORDS.problems[name];
  d.findings.push({
    name,
    seen: filled(seen, words),
    evidence,
    otherwise: filled(otherwise, words),
    mend: filled(mend, words),
    chapter,
  });
}

/** @type {(d: Diagnosis, name: string) => void} */
export function without(d, name) {
  d.problems = d.problems.filter((other) => other !== name);
  d.findings = d.findings.filter((finding) => finding.name !== name);
}

const has = (x) => x !== null && x !== undefined;

// The first lines of a diagnosis, one fact each
/** @param {Diagnosis} d */
export function summary(d) {
  const name = WORDS.schemes[d.scheme];
  let lines = [`${name[0].toUpperCase()}${name.slice(1)}.`];
  if (!d.sure) lines = [d.scheme === "unknown" ? "Nothing I know." : `Nothing I know for sure. Most like ${name}.`];
  else if (d.scheme === "none") lines = ["No positions."];
  const facts = [];
  if (has(d.base)) facts.push(`base ${told(d.base)}`);
  if (has(d.exponent))
    facts.push(d.exponent === "own" ? "a frequency of its own in each dimension" : `exponent ${d.exponent}`);
  if (has(d.width)) facts.push(`width ${told(d.width)}`);
  if (has(d.layout)) facts.push(WORDS.layouts[d.layout]);
  if (has(d.scaling) && d.scaling !== "none") {
    facts.push(WORDS.scalings[d.scaling] + (has(d.factor) && d.factor !== 1 ? ` by ${told(d.factor)}` : ""));
  }
  if ("trained_length" in d.details) facts.push(`trained on ${told(d.details.trained_length)} positions`);
  if ("rounded_ends" in d.details) facts.push(`the ramp's ends ${d.details.rounded_ends ? "" : "not "}rounded`);
  if (has(d.first_position)) facts.push(`from position ${told(d.first_position)}`);
  if (has(d.direction) && d.scheme === "rotary") facts.push(d.direction === 1 ? "counter-clockwise" : "clockwise");
  if (has(d.amplitude) && d.amplitude !== 1) facts.push(`amplitude ${told(d.amplitude)}`);
  if (has(d.precision)) facts.push(d.where ? `${d.precision} ${d.where}` : d.precision);
  if (facts.length) lines.push(`${facts.join("; ")}.`);
  if (has(d.residual)) lines.push(`Largest residual ${bound(d.residual)}.`);
  lines.push(...(d.details.notes ?? []));
  if (d.sure && !d.problems.length) lines.push("No problem found.");
  return lines;
}

const linked = (chapter) => `${chapter} (${WORDS.links[chapter]})`;

// The whole diagnosis as text, as Python prints it
/** @param {Diagnosis} d */
export function text(d) {
  const lines = summary(d);
  for (const { seen, evidence, otherwise, mend, chapter } of d.findings) {
    lines.push(`- ${seen}`);
    for (const [label, said] of [
      ["Evidence", evidence],
      ["Or", otherwise],
      ["Mend", mend],
      ["Read", linked(chapter)],
    ]) {
      if (said) lines.push(`    ${label}: ${said}`);
    }
  }
  if (d.alternatives.length) lines.push("What else it could be:", ...d.alternatives.map((said) => `- ${said}`));
  return lines.join("\n");
}
