// Lets readers drag parts of a picture. A mouse grabs a part at once.
// A finger grabs a part when it first moves sideways, rests for a moment, or taps.
// If a finger first moves up or down, the browser scrolls the page and nothing in the picture changes.

const REST = 350, // milliseconds after which a resting finger grabs
  SIDEWAYS = 6, // pixels; shorter movements have no clear direction
  STILL = 2; // pixels by which a resting finger may move

// `grab(point)` returns the part at this point, or undefined if there is nothing to grab.
// `move(held, point)` follows the pointer, and `drop(held)` lets go. A tap grabs a part and moves it to the same point.
// Points are in pixels from the upper left corner of the node.
/** @param {HTMLElement | SVGElement} node @param {Hand} hand */
export function drag(node, { grab, move, drop }) {
  /** @type {any} */
  let grip;
  /** @type {Point | undefined} */
  let waiting; // the start of a touch that may still become a scroll
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
  // While the reader drags something, the finger may move in any direction without scrolling the page.
  node.addEventListener("touchmove", /** @type {EventListener} */ (keepFromScrolling), { passive: false });
}

// Returns the position after a clock's hand turns from the position `at` to the point by the shorter way.
/** @type {(dial: Dial, at: number, point: Point) => number} */
export function windTo({ x, y, frequency, start = 0 }, at, point) {
  const off = Math.atan2(point.x - x, y - point.y) - start - at * frequency;
  return at + (off - 2 * Math.PI * Math.round(off / (2 * Math.PI))) / frequency;
}
