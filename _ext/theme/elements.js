// Makes an element with these properties and children.
window.omMake = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
// Puts a tick at the end of `place` if something is `done`, or removes it; a screen reader reads `label`
window.omTick = (place, done, label) => {
  const sign = place.querySelector(":scope > .om-tick");
  if (sign && !done) sign.remove();
  if (sign || !done) return;
  const tick = window.omMake("span", { className: "om-tick", role: "img", ariaLabel: label, textContent: "✓" });
  place.append(" ", tick);
};
