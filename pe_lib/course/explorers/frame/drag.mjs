// Holding what is drawn: a mouse holds at once, and a finger when it first moves sideways, rests for a moment, or taps. A
// thumb that scrolls past moves up or down at first, and the browser takes it, so it changes nothing.

const REST = 350, // milliseconds until a resting finger holds
  SIDEWAYS = 6, // pixels: less is no direction
  STILL = 2; // pixels that a resting finger may move

// `grab(point)` returns what is held there, or undefined for nothing. `move(held, point)` follows the hand, and
// `drop(held)` lets go. A tap of a finger grabs and moves to the same point. Points are in pixels from the upper left
// corner of the node.
/** @param {HTMLElement | SVGElement} node @param {Hand} hand */
export function drag(node, { grab, move, drop }) {
  /** @type {any} */
  let grip;
  /** @type {Point | undefined} */
  let waiting; // where a finger went down that may still scroll
  /** @type {number | undefined} */
  let timer;

  /** @param {PointerEvent} event */
  const pointOf = (event) => {
    const box = node.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  /** @param {PointerEvent} event @param {Point} point */
  const begin = (event, point) => {
    grip = grab(point);
    if (grip === undefined) return;
    node.setPointerCapture(event.pointerId);
    move(grip, pointOf(event));
  };
  /** @param {PointerEvent} event */
  const beginWaiting = (event) => {
    const from = waiting;
    waiting = undefined;
    if (from) begin(event, from);
  };
  /** @param {PointerEvent} event */
  const press = (event) => {
    if (!event.isPrimary || event.button) return;
    if (event.pointerType !== "touch") return begin(event, pointOf(event));
    waiting = pointOf(event);
    timer = setTimeout(() => beginWaiting(event), REST);
  };
  /** @param {PointerEvent} event */
  const follow = (event) => {
    if (grip !== undefined) return move(grip, pointOf(event));
    if (!waiting) return;
    const { x, y } = pointOf(event),
      [aside, along] = [Math.abs(x - waiting.x), Math.abs(y - waiting.y)],
      way = Math.max(aside, along);
    if (way > STILL) clearTimeout(timer);
    if (way < SIDEWAYS) return;
    if (aside >= along) beginWaiting(event);
    else waiting = undefined;
  };
  /** @param {PointerEvent} event */
  const release = (event) => {
    if (waiting) begin(event, waiting);
    end();
  };
  function end() {
    clearTimeout(timer);
    if (grip !== undefined) drop(grip);
    grip = waiting = undefined;
  }
  /** @param {TouchEvent} event */
  const keepFromScrolling = (event) => {
    if (grip !== undefined && event.cancelable) event.preventDefault(); // a scroll that has begun goes on
  };

  node.style.touchAction = "pan-y";
  const listeners = { pointerdown: press, pointermove: follow, pointerup: release, pointercancel: end };
  for (const [name, listener] of Object.entries(listeners))
    node.addEventListener(name, /** @type {EventListener} */ (listener));
  // a hand that holds something may move in any direction
  node.addEventListener("touchmove", /** @type {EventListener} */ (keepFromScrolling), { passive: false });
}

// The position of a clock's hand after it is wound from the position `at` to the point, the shorter way round
/** @type {(dial: Dial, at: number, point: Point) => number} */
export function windTo({ x, y, frequency, start = 0 }, at, point) {
  const off = Math.atan2(point.x - x, y - point.y) - start - at * frequency;
  return at + (off - 2 * Math.PI * Math.round(off / (2 * Math.PI))) / frequency;
}
