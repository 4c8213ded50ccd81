// Translates the keys of a keyboard into steps to the right and up, pages, and the two ends.

/** @type {Record<string, { right: number, up: number, page?: number, end?: number }>} */
export const KEYS = {
  ArrowRight: { right: 1, up: 0 },
  ArrowLeft: { right: -1, up: 0 },
  ArrowUp: { right: 0, up: 1 },
  ArrowDown: { right: 0, up: -1 },
  Home: { right: 0, up: 0, end: -1 },
  End: { right: 0, up: 0, end: 1 },
  PageUp: { right: 0, up: 0, page: 1 },
  PageDown: { right: 0, up: 0, page: -1 },
};

// Calls `press(key)` for each key that a scene can use, and hides the key from the browser if `press` returns true.
// Keys that are pressed with a modifier are left to the browser.
/** @param {Element} node @param {(key: Key) => boolean} press */
export function listenToKeys(node, press) {
  /** @param {KeyboardEvent} event */
  const hear = (event) => {
    if (!(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (press({ ...KEYS[event.key], shift: event.shiftKey })) event.preventDefault();
  };
  node.addEventListener("keydown", /** @type {EventListener} */ (hear));
}
