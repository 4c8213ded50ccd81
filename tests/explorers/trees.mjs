// Writes the drawings of explorers' scenes as lists of marks. Run it as: node trees.mjs request.json result.json
// The request file holds { stories, tellings: [{ module, about, states }] }.
// The first `stories` entries of `tellings` are also tested with simulated drags and key presses.
import { readFileSync, writeFileSync } from "node:fs";
import { limits } from "../../pe_lib/course/explorers/scene/limits.mjs";
import { findParts, revealing } from "../../pe_lib/course/explorers/scene/reveal.mjs";
import { sentence, asTree } from "../../pe_lib/course/explorers/scene/svg.mjs";
import { gestures, shown, steady } from "../gestures.mjs";

const [requestFile, resultFile] = process.argv.slice(2);
const SIZES = [304, 680]; // canvas widths on a phone with 360 pixels, and on a wide page
const PIXELS = { small: 12, large: 16, huge: 24 }; // font sizes by class; the default is 13

// Yield the marks in an SVG tree. Each mark inherits the classes and attributes of the groups around it.
function* marks({ tag, a, kids }, around = {}) {
  if (a.d === "") return; // an empty path draws nothing
  const has = { ...around, ...a, class: `${around.class ?? ""} ${a.class ?? ""}` },
    colour = has.class.match(/ [lf]-(\w+)(?!.* [lf]-)/)?.[1] ?? "black",
    filled = / f-/.test(has.class);
  // A group may have a transform, which moves all its marks.
  const [right, down] = tag === "g" ? (a.transform?.match(/-?[\d.]+/g) ?? [0, 0]).map(Number) : [0, 0];
  has.at = [(around.at?.[0] ?? 0) + right, (around.at?.[1] ?? 0) + down];
  const points = (...numbers) =>
    numbers.map((x, n) => (n % 2 ? [numbers[n - 1] + has.at[0], x + has.at[1]] : undefined)).filter(Boolean);
  const corners = () => points(has.x, has.y, has.x + has.width, has.y + has.height);
  const pen = { dashed: / dash/.test(has.class), width: Number(has["stroke-width"] ?? 0) };
  // Collect the points of a path, with only the end point of each curve.
  const through = has.d?.match(/[A-Z][^A-Z]*/g).flatMap((part) => {
    const numbers = (part.match(/-?[\d.]+/g) ?? []).map(Number);
    return /[ML]/.test(part) ? numbers : numbers.slice(-2);
  });
  const readMark = {
    line: () => ({ kind: "line", points: points(has.x1, has.y1, has.x2, has.y2), ...pen }),
    path: () => ({ kind: filled ? "shape" : "line", points: points(...through), ...pen }),
    table: () => ({ kind: "map", points: corners(), cells: Array.from(has.values) }),
    circle: () => ({ kind: filled ? "dot" : "arc", points: points(has.cx, has.cy), r: has.r }),
    rect: () => ({ kind: filled ? "bar" : "frame", points: corners(), depth: Number(has["fill-opacity"] ?? 1) }),
    text: () => ({
      kind: "label",
      points: points(has.x, has.y - 4.5),
      text: String(kids[0]),
      width: 0.54 * (PIXELS[has.class.match(/ (small|large|huge)\b/)?.[1]] ?? 13) * String(kids[0]).length,
      align: { mid: "center", end: "right" }[has.class.match(/ (mid|end)\b/)?.[1]] ?? "left",
    }),
  }[tag];
  if (readMark) yield { colour, ...readMark() };
  else for (const kid of kids) yield* marks(kid, has);
}

// List the choices that are visible in a state and show none of their options as chosen.
function findUnchecked(scene, about, state) {
  const traits = limits(about).traits,
    rows = [...(scene.controls ?? []), ...(scene.settings ?? [])].filter(({ when }) => !when || when(state));
  return rows.flatMap((row) => {
    const { name, options = row.max ? undefined : traits[name]?.values?.map((value) => [value]) } = row;
    const choices = typeof options === "function" ? options(state) : options,
      value = row.get ? row.get(state) : state[name];
    return choices && !choices.some(([choice]) => choice === value) ? [row.label ?? name] : [];
  });
}

// Return the marks and the reading of a story's step as a reader sees them, with only the parts that have been named.
// `unnamed` holds the marks that would be drawn if no part had been named.
function tellStep(scene, about, state, at, size) {
  const steps = about.stories[state.story].steps,
    seen = { ...state, ...findParts(steps, at) },
    draw = (s) => [...marks(asTree(revealing(scene).draw(s, size)))];
  return {
    seen: draw(seen),
    told: scene.reading(seen),
    unnamed: scene.reveals ? draw({ ...seen, revealed: [], lit: [] }) : [],
  };
}

const { stories, tellings } = JSON.parse(readFileSync(requestFile, "utf-8"));
const results = [];
for (const [n, { module, about, states }] of tellings.entries()) {
  const scene = (await import(module)).scene(limits(about), about);
  const sizes = SIZES.map((w) => ({ w, h: scene.height(w, states[0]) })),
    describe = (s, size) =>
      sentence(scene, s) + scene.reading(s) + JSON.stringify(Object.values(scene.parts).map((f) => f(s, size))),
    gestureProblems = [];
  if (n < stories)
    gestures(scene, states[0], sizes, (s, size) => {
      const outside = Object.entries(about.traits).filter(
        ([name, { min, max }]) => s[name] < (min ?? -Infinity) || s[name] > (max ?? Infinity),
      );
      if (outside.length) gestureProblems.push([`${outside} outside`, s]);
      if (!shown(scene, s, size, describe(s, size))) gestureProblems.push(["drawn or told", size, s]);
    });
  for (const size of sizes) {
    for (const [at, state] of states.entries()) {
      const problems = [...gestureProblems],
        all = [...marks(asTree(scene.draw(state, size)))];
      const inside = ([x, y]) => x > -0.1 && y > -0.1 && x < size.w + 0.1 && y < size.h + 0.1;
      if (!shown(scene, state, size, describe(state, size))) problems.push("drawn or told");
      if (!steady(scene, state, size)) problems.push("drawn in two ways");
      problems.push(...all.filter(({ points }) => !points.every(inside)));
      results.push({
        problems,
        marks: all,
        reading: scene.reading(state),
        width: size.w,
        parts: Object.keys(scene.parts),
        unchecked: findUnchecked(scene, about, state),
        ...(n < stories ? tellStep(scene, about, state, at, size) : {}),
      });
    }
  }
}
writeFileSync(resultFile, JSON.stringify(results));
