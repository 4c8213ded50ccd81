// Return a new element with these properties and children
window.omMake = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
// Put a tick at the end of `place` if something `isDone`, or else remove the tick. A screen reader reads `label`.
window.omTick = (place, isDone, label) => {
  const sign = place.querySelector(":scope > .om-tick");
  if (sign && !isDone) sign.remove();
  if (sign || !isDone) return;
  const tick = window.omMake("span", { className: "om-tick", role: "img", ariaLabel: label, textContent: "✓" });
  place.append(" ", tick);
};
