// Words on a line that are moved by hand, numbers that glide to where they belong, and ribbons between words.
import { element } from "./frame/controls.mjs";
import { drag } from "./frame/drag.mjs";

// The order in which word k stands at `place`, and those between make room
export function moved(order, k, place) {
  const others = order.filter((word) => word !== k);
  return [...others.slice(0, place), k, ...others.slice(place)];
}

// Numbers that are on their way: each call brings them nearer to `targets`, in `pace` milliseconds by two thirds and the
// one at `at` all at once, and says whether any still moves. Who wants no motion sees them where they belong.
export function glide(pace) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let shown = [],
    last = 0;
  return (targets, at = -1) => {
    const now = performance.now(),
      share = 1 - Math.exp(-Math.min(now - last, 32) / pace);
    if (shown.length !== targets.length || still.matches) shown = [...targets];
    last = now;
    let moving = false;
    targets.forEach((target, k) => {
      const off = target - shown[k],
        near = k === at || Math.abs(off) < 0.002;
      shown[k] = near ? target : shown[k] + share * off;
      moving ||= !near;
    });
    return { shown, moving };
  };
}

const LEAST = 24; // pixels of a button, for a finger; where words stand closer, only the chosen one has its button

// A canvas with a button over each of the words that it draws: the buttons are for the keyboard and for screen readers,
// mouse and finger take hold of the word below them. `place(k)` is where word k stands, `put(k, place, rests)` moves it
// there, held or at rest, and `choose(k)` is told whose turn it is; only words at places from 0 to `most` are moved.
// Returns { node, lay, held, show }: `lay(xs, y, size, slot)` says where the words were drawn.
export function line(canvas, words, { label, chosen, choose, place, put, most }) {
  const tiles = words.map(() => element("button", { class: "ex-word", type: "button" }));
  const keys = "On a word, the left and right arrow keys move it, up and down go to the word before and after.";
  const group = element("div", { role: "group", "aria-label": `${label} ${keys}` }, ...tiles);
  const node = element("div", { class: "ex-line" }, canvas, group);
  const within = (x) => Math.min(Math.max(x, 0), most);
  let laid = { xs: [], y: 0, slot: 1 },
    held,
    told = "";

  const hold = (k) => {
    tiles[k].hidden = false;
    tiles[k].focus({ preventScroll: true });
  };
  group.addEventListener("keydown", (event) => {
    const k = tiles.indexOf(event.target),
      by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const to = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by && !to) return;
    event.preventDefault();
    if (by) return put(k, within(place(k) + by), true);
    const next = words.findIndex((_, j) => place(j) === place(k) + to);
    if (next < 0 || place(next) > most) return;
    choose(next);
    hold(next);
  });
  group.addEventListener("focusin", ({ target }) => {
    const k = tiles.indexOf(target);
    if (held === undefined && k !== chosen()) choose(k);
  });
  drag(node, {
    grab({ x, y }) {
      if (group.hidden || Math.abs(y - laid.y) > 26) return undefined;
      const k = laid.xs.findIndex((at, j) => place(j) <= most && Math.abs(x - at) <= laid.slot / 2);
      if (k < 0) return undefined;
      choose(k);
      hold(k);
      return { k, off: x - laid.xs[k] };
    },
    move({ k, off }, { x }) {
      held = { k, place: within((x - off) / laid.slot - 0.5) };
      put(k, held.place, false);
    },
    drop({ k }) {
      const { place: at } = held;
      held = undefined;
      put(k, Math.round(at), true);
    },
  });

  return {
    node,
    held: () => held,
    show: (on) => {
      group.hidden = !on;
    },
    /** @param {number[]} xs @param {number} y @param {number[]} size @param {number} slot */
    lay(xs, y, [wide, h], slot) {
      laid = { xs, y, slot };
      const w = Math.max(wide, LEAST),
        close = slot < LEAST;
      const says = words.map((word, k) => `${word}, place ${Math.round(place(k)) + 1} of ${words.length}`);
      xs.forEach((x, k) =>
        Object.assign(tiles[k].style, {
          width: `${w}px`,
          height: `${h}px`,
          transform: `translate(${x - w / 2}px, ${y - h / 2}px)`,
        }),
      );
      if (told === (told = [chosen(), close, ...says].join())) return;
      tiles.forEach((tile, k) => {
        tile.setAttribute("aria-label", says[k]);
        tile.tabIndex = k === chosen() ? 0 : -1;
        tile.hidden = close && k !== chosen();
      });
    },
  };
}

// An arch between the stretch [a, b] of the line at y and the stretch [c, d] to the right of it, `tall` pixels high;
// as thick at each end as its stretch is long
/** @type {(context: CanvasRenderingContext2D, y: number, from: number[], to: number[], tall: number) => void} */
export function arch(context, y, [a, b], [c, d], tall) {
  const outer = tall / 0.75,
    inner = Math.max(0, outer - (b - a + d - c) / 1.5); // a Bézier curve rises to 3/4
  context.beginPath();
  context.moveTo(a, y);
  context.bezierCurveTo(a, y - outer, d, y - outer, d, y);
  context.lineTo(c, y);
  context.bezierCurveTo(c, y - inner, b, y - inner, b, y);
  context.fill();
}

// Where on its foot each word's share lies, [start, end] in shares: what goes to the left lies left, the nearest
// outermost, so that arches do not cross; its own share lies in the middle. `xs` are the words' places.
export function feet(weights, xs) {
  return weights.map((row, k) => {
    const rank = (j) => (j === k ? 0 : 1 / (xs[j] - xs[k]));
    const found = [];
    let from = 0;
    for (const j of row.map((_, j) => j).sort((a, b) => rank(a) - rank(b))) found[j] = [from, (from += row[j])];
    return found;
  });
}
