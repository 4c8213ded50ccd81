// Puts pictures beside the questions of a page: one in which a reader sets the answer by hand, and clocks that show a
// wrong number beside the right one. The page loads this script when a reader first needs a picture.
import { appendParts, button, element, formatSentence } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { hand, knob, tip } from "../../../pe_lib/course/explorers/scene/chart.mjs";
import { live } from "../../../pe_lib/course/explorers/scene/live.mjs";
import { createNode, NS } from "../../../pe_lib/course/explorers/scene/patch.mjs";
import { group, line, ring, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { arrows } from "./arrows.mjs";
import { cells } from "./cells.mjs";
import { columns } from "./columns.mjs";
import { cut } from "./cut.mjs";
import { dials } from "./dials.mjs";
import { patches } from "./patches.mjs";
import { stretch } from "./stretch.mjs";
import { tiles } from "./tiles.mjs";
import { twins } from "./twins.mjs";

const KINDS = { arrows, cells, clocks: dials, columns, patches, spectrum: cut, stretch, twins, words: tiles };

const drawing = (attributes) => {
  const svg = document.createElementNS(NS, "svg");
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  return svg;
};

// Put the picture of `data` into `box`. `write(answer)` is called whenever the reader has changed the answer.
export function setByHand(box, data, write) {
  const scene = KINDS[data.kind](data);
  let state = scene.first;
  const reading = element("p", { "aria-live": "polite" });
  const svg = drawing({
    class: "ex-drawn",
    tabindex: "0",
    role: "application",
    "aria-label": `Answer by hand. ${scene.moves}`,
  });
  box.className = "ex om-byhand";
  box.replaceChildren();
  const picture = live(svg, scene, {
    get: () => state,
    set(next) {
      state = next;
      write(scene.answer(state));
    },
    onDraw: () => reading.replaceChildren(...formatSentence(scene.reading(state))),
  });
  const buttons = (scene.buttons ?? []).map(({ says, change }) => button(says, () => picture.update(change)));
  appendParts(box, svg, element("div", { class: "om-buttons" }, ...buttons), reading);
  return picture.stop;
}

// Draw the clocks of wrong numbers: a dashed hand for the reader's number, and a solid one for the right number.
// Return undefined if no clock has a wrong number, or if a number is missing.
export function drawHands(clocks, mine, right, tolerance) {
  if (mine.length !== right.length || !mine.every(Number.isFinite)) return undefined;
  const end = (numbers, { frequency, of }) => {
    const values = of.map((n) => numbers[n]);
    return of.length > 1
      ? { r: Math.hypot(...values), angle: Math.atan2(values[0], values[1]) }
      : { r: 1, angle: values[0] * frequency };
  };
  const wrong = clocks.filter(({ of }) =>
    of.some((n) => Math.abs(mine[n] - right[n]) > tolerance * (1 + Math.abs(right[n]))),
  );
  if (!wrong.length) return undefined;
  const r = 44,
    wide = 130;
  const tree = group(
    wrong.map((clock, n) => {
      const dial = { x: wide * (n + 0.5), y: r + 16, r },
        [solid, broken] = [end(right, clock), end(mine, clock)];
      const long = { ...dial, r: r * Math.min(broken.r, 1.3) };
      return [
        ring(dial.x, dial.y, r),
        line(dial.x, dial.y - r, dial.x, dial.y - r + 6, "l-muted"),
        hand({ ...dial, r: r * solid.r }, solid.angle, "l-ink bar"),
        knob(...tip({ ...dial, r: r * solid.r }, solid.angle), 5),
        hand(long, broken.angle, "l-muted bar dash"),
        ring(...tip(long, broken.angle), 5, "f-paper l-muted"),
        text(dial.x, dial.y + r + 24, "mono mid f-muted", clock.says),
      ];
    }),
  );
  const size = `0 0 ${wide * wrong.length} ${2 * r + 48}`,
    svg = drawing({ class: "ex-drawn", viewBox: size, role: "img", "aria-label": describe(wrong, mine, right, end) });
  svg.append(createNode(tree));
  const box = element(
    "div",
    { class: "ex om-hands" },
    svg,
    element("p", {}, "The solid hand is the right one. The dashed hand is yours."),
  );
  svg.style.cssText = `--ex-tall: ${2 * r + 48}px; inline-size: min(100%, ${wide * wrong.length}px)`;
  return box;
}

// Say for each clock by how many degrees the wrong hand is off.
function describe(clocks, mine, right, end) {
  const parts = clocks.map((clock) => {
    const off = ((end(mine, clock).angle - end(right, clock).angle) * 180) / Math.PI,
      degrees = Math.round(off - 360 * Math.round(off / 360));
    return `${clock.says}: your hand is ${Math.abs(degrees)} degrees ${degrees < 0 ? "before" : "after"} the right one`;
  });
  return `Clocks. ${parts.join("; ")}.`;
}

window.omPictures = { setByHand, drawHands };
