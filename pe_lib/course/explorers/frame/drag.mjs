// Taking hold of what is drawn: by mouse at once, by finger when it moves sideways first, rests for a
// moment, or taps. A thumb that scrolls past moves up or down at once, and the browser takes it: it
// changes nothing.

const REST = 350; // milliseconds

// `grab(point)` says what is held there, undefined for nothing, `move(held, point)` follows, and `drop(held)` lets go. A
// tap of a finger grabs and moves to the same point. Points are in pixels from the node's upper left corner.
/** @param {HTMLElement} node @param {Hand} hand */
export function drag(node, { grab, move, drop }) {
  let held, waiting, rest;
  const seen = (event) => {
    const box = node.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const begin = (event, point) => {
    held = grab(point);
    if (held === undefined) return;
    node.setPointerCapture(event.pointerId);
    move(held, seen(event));
  };
  node.style.touchAction = "pan-y";
  node.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button) return;
    if (event.pointerType !== "touch") return begin(event, seen(event));
    waiting = seen(event);
    rest = setTimeout(() => {
      const from = waiting;
      waiting = undefined;
      begin(event, from);
    }, REST);
  });
  // what is held does not scroll the page, wherever it is drawn to
  node.addEventListener(
    "touchmove",
    (event) => {
      if (held !== undefined && event.cancelable) event.preventDefault(); // a scroll under way goes on
    },
    { passive: false },
  );
  node.addEventListener("pointermove", (event) => {
    if (held !== undefined) return move(held, seen(event));
    if (!waiting) return;
    const { x, y } = seen(event),
      [aside, along] = [Math.abs(x - waiting.x), Math.abs(y - waiting.y)];
    if (Math.max(aside, along) > 2) clearTimeout(rest);
    if (Math.max(aside, along) < 6) return;
    const from = waiting;
    waiting = undefined;
    if (aside >= along) begin(event, from);
  });
  node.addEventListener("pointerup", (event) => {
    if (waiting) begin(event, waiting);
    end();
  });
  node.addEventListener("pointercancel", end);
  function end() {
    clearTimeout(rest);
    if (held !== undefined) drop(held);
    held = waiting = undefined;
  }
}

// The position that a clock's hand at `at` is moved to when it goes under the point, the shorter way round
/** @type {(dial: Dial, at: number, point: Point) => number} */
export function wound({ x, y, frequency, start = 0 }, at, point) {
  const off = Math.atan2(point.x - x, y - point.y) - start - at * frequency;
  return at + (off - 2 * Math.PI * Math.round(off / (2 * Math.PI))) / frequency;
}
