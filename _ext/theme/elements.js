// Elements that scripts make, with their properties and children.
window.omMade = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
// A tick at the end of `place` where something is `done`, and in words for who listens
window.omTick = (place, done, said) => {
  const sign = place.querySelector(":scope > .om-tick");
  if (sign && !done) sign.remove();
  if (sign || !done) return;
  const tick = window.omMade("span", { className: "om-tick", role: "img", ariaLabel: said, textContent: "✓" });
  place.append(" ", tick);
};
