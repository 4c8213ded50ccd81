// Draws clocks with one hand or two hands, and finds the hand that a reader drags. Hands turn clockwise from the top.
import { tip, wedge } from "./chart.mjs";
import { isUnder, windClock } from "./hold.mjs";
import { group, line, path, ring } from "./svg.mjs";

const TURN = 2 * Math.PI;

// Return the angle between −π and π that has the same direction.
/** @type {(angle: number) => number} */
const wrapAngle = (angle) => angle - TURN * Math.round(angle / TURN);

// Draw a clock whose hand casts two shadows: blue shows how far right the hand points, and orange how far up.
/** @type {(dial: Circle, angle: number) => Tree} */
export function clock(dial, angle) {
  const { x, y, r } = dial,
    [tx, ty] = tip(dial, angle),
    wide = r > 40 ? "thick" : "bar";
  return group(
    ring(x, y, r),
    line(x, y, tx, y, `l-blue ${wide}`),
    line(tx, y, tx, ty, `l-orange ${wide}`),
    line(x, y, tx, ty, "l-ink bar"),
    ring(tx, ty, 3.5, "f-ink knob"),
  );
}

// Draw a clock with a solid hand `here`, a dashed hand `there`, and the angle between them in green.
/** @type {(dial: Circle, here: number, there: number, colours?: string[]) => Tree} */
export function twoHands(dial, here, there, [solid, broken] = ["ink", "ink"]) {
  const between = wrapAngle(there - here),
    from = Math.min(here, here + between);
  const [[ax, ay], [bx, by]] = [tip(dial, here), tip(dial, there)];
  return group(
    path("f-green", wedge({ ...dial, r: 0.62 * dial.r }, from, from + Math.abs(between)), { "fill-opacity": 0.25 }),
    ring(dial.x, dial.y, dial.r),
    line(dial.x, dial.y, bx, by, `l-${broken} bar dash`),
    line(dial.x, dial.y, ax, ay, `l-${solid} bar`),
    ring(bx, by, 5, `f-paper l-${broken}`),
    ring(ax, ay, 5, `f-${solid} knob`),
  );
}

// Return what a reader can drag at a point on clocks with two hands, in the format of `gesturesFor`.
// The result is the nearer hand, or both hands if they lie on each other or the point is far from both.
// `names` are the traits that { here, there, both } change; they are rounded when the reader lets go.
// `ways` has −1 for a trait that turns its hand back as it grows.
/** @type {(s: State, p: Point, dials: any[], how: { names: Values, ways?: Values }, limits: Limits) => Hold[]} */
export function gripHands(s, p, dials, { names, ways = {} }, { setValue, step }) {
  const dial = dials.find((candidate) => isUnder(p, candidate, 12));
  if (!dial) return [];
  const angle = Math.atan2(p.x - dial.x, dial.y - p.y);
  const [here, there] = [dial.here, dial.there].map((hand) => Math.abs(wrapAngle(angle - hand)));
  const both = Math.abs(wrapAngle(dial.here - dial.there)) < 0.25 || Math.min(here, there) > 0.6,
    name = names[both ? "both" : here < there ? "here" : "there"];
  const frequency = dial.frequency * (ways[name] ?? 1),
    gripDial = { ...dial, frequency, start: angle - s[name] * frequency };
  return [{ ...windClock(setValue, gripDial, name), on: true, end: (now) => step(now, name, 0) }];
}
