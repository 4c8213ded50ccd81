// Clocks with one hand or two, and how two are taken hold of. 0 is straight up, and hands turn clockwise.
import { tip, wedge } from "./chart.mjs";
import { under, winding } from "./held.mjs";
import { group, line, path, ring } from "./svg.mjs";

const TURN = 2 * Math.PI;

// The same direction as an angle between half a turn back and half a turn on
const wrapped = (angle) => angle - TURN * Math.round(angle / TURN);

// A hand with its shadows: blue how far right, orange how far up
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

// A solid hand `here` and a broken one `there`, and in green the angle between them
export function two(dial, here, there, [solid, broken] = ["ink", "ink"]) {
  const apart = wrapped(there - here),
    from = Math.min(here, here + apart);
  const [[ax, ay], [bx, by]] = [tip(dial, here), tip(dial, there)];
  return group(
    path("f-green", wedge({ ...dial, r: 0.62 * dial.r }, from, from + Math.abs(apart)), { "fill-opacity": 0.25 }),
    ring(dial.x, dial.y, dial.r),
    line(dial.x, dial.y, bx, by, `l-${broken} bar dash`),
    line(dial.x, dial.y, ax, ay, `l-${solid} bar`),
    ring(bx, by, 5, `f-paper l-${broken}`),
    ring(ax, ay, 5, `f-${solid} knob`),
  );
}

// What a point takes hold of on clocks that know the angles of their two hands, for `holding`: the nearer hand, or both
// away from them and where they lie on each other. `names` are the traits that { here, there, both } take along, to
// whole ones in the end.
export function gripped(s, p, dials, names, { put, step }) {
  const dial = dials.find((one) => under(p, one, 12));
  if (!dial) return [];
  const angle = Math.atan2(p.x - dial.x, dial.y - p.y);
  const [here, there] = [dial.here, dial.there].map((hand) => Math.abs(wrapped(angle - hand)));
  const both = Math.abs(wrapped(dial.here - dial.there)) < 0.25 || Math.min(here, there) > 0.6,
    name = names[both ? "both" : here < there ? "here" : "there"];
  const held = { ...dial, start: angle - s[name] * dial.frequency };
  return [{ ...winding(put, held, name), on: true, end: (now) => step(now, name, 0) }];
}
