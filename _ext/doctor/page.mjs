// The page of the doctor: files, pasted numbers and samples in, diagnoses out. All of it happens here;
// nothing leaves the machine.
/* global WORDS */
import { element } from "../../pe_lib/course/explorers/controls.mjs";
import { redraw } from "../../pe_lib/course/explorers/draw.mjs";
import { answers, pasted } from "./answer.mjs";
import { summary, text } from "./diagnosis.mjs";
import { arrays } from "./files.mjs";
import { heatmap, spectrum } from "./pictures.mjs";
import { SAMPLES } from "./samples.mjs";

const form = document.querySelector(".om-doctor"),
  out = document.querySelector(".om-diagnoses");
const paste = form.querySelector("textarea"),
  files = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]")),
  samples = form.querySelector("select");
let drawn = []; // what ends the pictures that are shown

SAMPLES.forEach(([name], k) => samples.append(element("option", { value: k }, name)));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  answer(() => pasted(paste.value));
});
files.addEventListener("change", () => answer(() => opened([...files.files])));
samples.addEventListener("change", () => samples.value && answer(SAMPLES[samples.value][1], SAMPLES[samples.value][0]));
for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
  form.addEventListener(name, (event) => {
    event.preventDefault();
    form.classList.toggle("om-over", name === "dragenter" || name === "dragover");
  });
}
form.addEventListener("drop", (event) => answer(() => opened([...event.dataTransfer.files])));

// All files, a config.json among them; what cannot be read is told with its name
async function opened(chosen) {
  const found = await Promise.all(
    chosen.map((file) =>
      arrays(file).catch((error) => {
        throw new Error(`${file.name}: ${error.message}`);
      }),
    ),
  );
  return found.flat();
}

async function answer(read, given = "") {
  drawn.forEach((stop) => stop());
  drawn = [];
  out.replaceChildren(element("p", {}, "Reading …"));
  await new Promise((done) => setTimeout(done)); // so that this is seen
  try {
    const found = answers(await read());
    out.replaceChildren(...found.map((one) => shown(one, given)));
    found.forEach((one, k) => draw(one, out.children[k]));
  } catch (error) {
    out.replaceChildren(element("p", { class: "om-refused" }, `Cannot read this: ${error.message}.`));
  }
  out.scrollIntoView({
    block: "nearest",
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
  });
}

function shown({ title, diagnosis }, given) {
  const [first, ...lines] = summary(diagnosis),
    box = element("article", {});
  if (given || title) box.append(element("p", { class: "om-given" }, given || title));
  box.append(element("h3", {}, first), ...lines.map((said) => element("p", {}, said)));
  for (const { seen, evidence, otherwise, mend, chapter } of diagnosis.findings) {
    const card = element("section", { class: "om-finding" }, element("h4", {}, seen)),
      facts = element("dl", {});
    for (const [label, said] of [
      ["Evidence", evidence],
      ["Or", otherwise],
      ["Mend", mend],
    ]) {
      if (said) facts.append(element("dt", {}, label), element("dd", {}, said));
    }
    facts.append(element("dt", {}, "Read"), element("dd", {}, element("a", { href: WORDS.links[chapter] }, chapter)));
    card.append(facts);
    box.append(card);
  }
  box.append(element("div", { class: "om-pictures" }));
  if (diagnosis.alternatives.length) {
    const list = element("ul", {}, ...diagnosis.alternatives.map((said) => element("li", {}, said)));
    box.append(element("h4", {}, "What else it could be"), list);
  }
  const copy = element("button", { type: "button" }, "Copy as text");
  copy.addEventListener("click", async () => {
    await navigator.clipboard?.writeText(text(diagnosis));
    copy.textContent = "Copied";
  });
  if (navigator.clipboard) box.append(copy);
  return box;
}

function draw({ diagnosis, arrays: given }, box) {
  const place = box.querySelector(".om-pictures");
  const picture = (said, paint) => {
    const canvas = element("canvas", { role: "img", "aria-label": said });
    const figure = element("figure", { class: "ex" }, canvas, element("figcaption", {}, said));
    place.append(figure);
    drawn.push(redraw(figure, canvas, paint)[1]);
  };
  if (diagnosis.picture.rule) {
    picture(
      "Frequencies as measured, the rule that gives them back, and how far each is off it.",
      (context, room, colour) => spectrum(context, room, colour, diagnosis.picture),
    );
  }
  given
    .filter(({ shape }) => shape.length > 1)
    .slice(0, 2)
    .forEach((array) =>
      picture(
        `The first numbers${array.name ? ` of ${array.name}` : ""}: blue is negative, orange positive.`,
        (context, room, colour) => heatmap(context, room, colour, array),
      ),
    );
}
