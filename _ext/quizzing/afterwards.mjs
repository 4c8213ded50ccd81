// Shows what follows a right answer: why it is right, a shorter way, a question that goes on from it, and what is next.

// `texts` come from pe_lib/course/grading/afterwards; without them the box is emptied. `makeNext` returns a link or a
// button that leads on, or undefined.
/** @param {HTMLElement} box @param {Values | undefined} texts @param {() => HTMLElement | undefined} makeNext */
export function showAfterwards(box, texts, makeNext) {
  box.replaceChildren();
  if (!texts) return;
  const add = (tag, html) => {
    const node = box.appendChild(document.createElement(tag));
    node.innerHTML = html;
    return node;
  };
  add("p", `<strong>Why?</strong> ${texts.why}`);
  if (texts.shorter) add("p", `<strong>A shorter way.</strong> ${texts.shorter}`);
  const more = add("p", texts.what_if),
    reveal = Object.assign(document.createElement("button"), { type: "button", textContent: "Think, then show" });
  more.className = "om-what-if";
  more.append(" ", reveal);
  reveal.addEventListener("click", () => {
    const then = document.createElement("span");
    then.innerHTML = texts.then;
    then.tabIndex = -1;
    reveal.replaceWith(then);
    then.focus({ preventScroll: true });
  });
  const next = makeNext();
  if (!next) return;
  next.classList.add("om-go-on");
  add("p", "").append(next);
}
