// The doctor's page: it reads files, pasted numbers and samples, and shows their diagnoses. Nothing leaves the
// machine.
import { element } from "../../pe_lib/course/explorers/frame/controls.mjs";
import { createNode, observeTheme, paintTables } from "../../pe_lib/course/explorers/scene/patch.mjs";
import { SAMPLES, answers } from "./answer.mjs";
import { doctor } from "./doctor.mjs";
import { arrays } from "./files.mjs";
import { spectrum } from "./pictures.mjs";
import { readPasted, refuse } from "./texts.mjs";

const form = document.querySelector(".om-doctor"),
  out = document.querySelector(".om-diagnoses");
const paste = form.querySelector("textarea"),
  files = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]")),
  samples = form.querySelector("select");
/** @type {() => { title?: string, items: Given[] } | Promise<{ title?: string, items: Given[] }>} */
let source = sample; // what the button reads: the field that was used last

SAMPLES.forEach(([name], k) => samples.append(element("option", { value: k }, name)));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  answer();
});
paste.addEventListener("input", () => {
  source = pastedNumbers;
});
samples.addEventListener("change", () => {
  source = sample;
  if (samples.value) answer();
});
files.addEventListener("change", () => {
  source = chosenFiles;
  answer();
});
for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
  form.addEventListener(name, (event) => {
    event.preventDefault();
    form.classList.toggle("om-over", name === "dragenter" || name === "dragover");
  });
}
form.addEventListener("drop", ({ dataTransfer }) => {
  const entries = [...dataTransfer.items].map((item) => item.webkitGetAsEntry());
  const folder = entries.find((entry) => entry?.isDirectory);
  files.files = dataTransfer.files; // so that the field shows their names
  source = folder ? () => refuse(`${folder.name}: a folder; drop the files that are in it`) : chosenFiles;
  answer();
});

observeTheme(() => out.querySelectorAll("svg").forEach((svg) => paintTables(svg, true)));

// The page opens with a sample. It is shown at once, so that nothing moves later, and before the output is live,
// so that a screen reader does not read it out.
samples.value = String(SAMPLES.findIndex(([name]) => name.startsWith("Llama")));
const { title, items } = sample();
show(answers(items), title);
out.ariaLive = "polite";

function sample() {
  if (!samples.value) return pastedNumbers();
  const [title, make] = SAMPLES[samples.value];
  return { title, items: make() };
}

function pastedNumbers() {
  samples.value = "";
  return { items: readPasted(paste.value) };
}

// Reads all files, also a configuration among them; an error begins with the name of its file
async function chosenFiles() {
  samples.value = "";
  const lists = await Promise.all(
    [...files.files].map((file) => arrays(file).catch((error) => refuse(`${file.name}: ${error.message}`))),
  );
  if (!lists.length) refuse("nothing to read yet: choose a file, or paste numbers");
  return { items: lists.flat() };
}

async function answer() {
  out.replaceChildren(element("p", {}, "Reading …"));
  await new Promise((done) => setTimeout(done)); // the browser paints this before it is busy
  try {
    const { title, items } = await source();
    show(answers(items), title);
  } catch (error) {
    show([]);
    out.append(element("p", { class: "om-refused" }, `Cannot read this: ${error.message}.`));
  }
  out.scrollIntoView({
    block: "nearest",
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
  });
}

function show(results, title = "") {
  out.replaceChildren(...results.map((result) => article(result, title)));
  results.forEach((result, k) => picture(result, out.children[k].querySelector(".om-pictures")));
}

function article({ title, diagnosis }, sampleTitle) {
  const [first, ...lines] = doctor._sentences.summarise(diagnosis),
    box = element("article", {});
  if (sampleTitle || title) box.append(element("p", { class: "om-given" }, sampleTitle || title));
  box.append(element("h2", {}, first), ...lines.map((line) => element("p", {}, line)));
  box.append(...diagnosis.findings.map(card), element("div", { class: "om-pictures" }));
  if (diagnosis.alternatives.length) {
    const list = element("ul", {}, ...diagnosis.alternatives.map((sentence) => element("li", {}, sentence)));
    box.append(element("h3", {}, "What else it could be"), list);
  }
  if (navigator.clipboard) {
    const copy = element("button", { type: "button" }, "Copy as text");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(String(diagnosis));
      copy.textContent = "Copied";
    });
    box.append(copy);
  }
  return box;
}

function card({ seen, evidence, otherwise, mend, chapter: place }) {
  const [, chapter, link] = /^(.*) \((.*)\)$/.exec(place);
  const labelled = { Evidence: evidence, Or: otherwise, Fix: mend };
  const facts = Object.entries(labelled).filter(([, text]) => text);
  const terms = facts.flatMap(([label, text]) => [element("dt", {}, label), element("dd", {}, text)]);
  const read = element("a", { href: link }, chapter);
  const list = element("dl", {}, ...terms, element("dt", {}, "Read"), element("dd", {}, read));
  return element("section", { class: "om-finding" }, element("h3", {}, seen), list);
}

// Draws the frequencies, if there are any
function picture({ diagnosis, expected }, place) {
  const { frequencies, rule } = Object.fromEntries(diagnosis.picture);
  if (!rule) return;
  const reference = expected ? "the configuration" : "the rule",
    dashed = expected ? ", what the configuration asks for (dashed)" : "",
    caption = `The frequencies as measured, the rule that gives them back${dashed}, and how far each is off ${reference}.`;
  const svg = /** @type {Element} */ (createNode(spectrum(caption, { frequencies, rule, expected: expected?.data })));
  place.append(element("figure", { class: "ex" }, svg, element("figcaption", {}, caption)));
  paintTables(svg);
}
