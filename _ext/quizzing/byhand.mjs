// Offers a picture in which a reader sets the answer by hand, and shows a wrong answer as a hand. What draws both is
// loaded when it is first needed, because most readers of a page need it late or never.

const folder = /** @type {HTMLScriptElement} */ (document.currentScript).src;
/** @type {(address: string) => Promise<unknown>} */
const load = (address) =>
  new Promise((done, fail) => {
    const script = Object.assign(document.createElement("script"), { src: address, onload: done, onerror: fail });
    document.head.append(script);
  });
/** @type {Promise<unknown> | undefined} */
let isLoaded;
async function loadPictures() {
  const parts = "../explorers/shared.js";
  const isThere = document.querySelector('script[src*="explorers/shared.js"]');
  isLoaded ??= (isThere ? Promise.resolve() : load(new URL(parts, folder).href)).then(() =>
    load(new URL("pictures.js", folder).href),
  );
  await isLoaded;
  return window.omPictures;
}

// Add the button By hand to a form. `getData` returns the picture of the question's present numbers; without it, the
// form gets no button. `restart` draws the picture for other numbers, if it is there.
/** @param {HTMLFormElement} form @param {(() => Values) | undefined} getData @param {(answer: string) => void} write */
export function addByHand(form, getData, write) {
  if (!getData) return undefined;
  const buttons = form.querySelector(".om-buttons"),
    box = document.createElement("div");
  const toggle = Object.assign(document.createElement("button"), { type: "button", textContent: "By hand" });
  toggle.setAttribute("aria-expanded", "false");
  buttons.append(toggle);
  buttons.before(box);
  let stop = () => {};
  async function open() {
    try {
      const { setByHand } = await loadPictures();
      stop();
      stop = setByHand(box, getData(), write);
    } catch {
      box.replaceChildren("The picture could not be loaded. Please type the answer.");
    }
  }
  const isOpen = () => toggle.getAttribute("aria-expanded") === "true";
  toggle.addEventListener("click", async () => {
    toggle.setAttribute("aria-expanded", String(!isOpen()));
    if (isOpen()) {
      await open();
      box.querySelector("svg")?.focus({ preventScroll: true });
    } else {
      stop();
      box.replaceChildren();
      box.className = "";
    }
  });
  return { restart: () => isOpen() && open() };
}

/** @type {WeakMap<HTMLElement, number>} */
const requests = new WeakMap(); // the latest request to each box, because a picture may come after the next answer

// Show the numbers of a wrong answer as hands beside the right ones, or empty the box if there is nothing to show.
// A number is wrong if it is further from the right one than the question's `tolerance` allows.
/** @param {HTMLElement} box @param {any[] | undefined} clocks @param {number[]} mine @param {number[]} right @param {number} tolerance */
export async function showHands(box, clocks, mine, right, tolerance) {
  const request = (requests.get(box) ?? 0) + 1;
  requests.set(box, request);
  box.replaceChildren();
  if (!clocks || !mine.length) return;
  try {
    const { drawHands } = await loadPictures();
    if (requests.get(box) === request)
      box.replaceChildren(...[drawHands(clocks, mine, right, tolerance)].filter(Boolean));
  } catch {
    // The words beside it say what is wrong; the picture only shows it
  }
}
