// The page of the doctor: files, pasted numbers and samples in, diagnoses out. All of it happens here;
// nothing leaves the machine.
import { element } from "../../pe_lib/course/explorers/frame/controls.mjs";
import { createNode, observeTheme, paintTables } from "../../pe_lib/course/explorers/scene/patch.mjs";
import { SAMPLES, answers } from "./answer.mjs";
import { doctor } from "./doctor.mjs";
import { arrays } from "./files.mjs";
import { spectrum } from "./pictures.mjs";
import { pasted, refuse } from "./texts.mjs";

const form = document.querySelector(".om-doctor"),
  out = document.querySelector(".om-diagnoses");
const paste = form.querySelector("textarea"),
  files = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]")),
  samples = form.querySelector("select");
/** @type {() => { title?: string, given: Given[] } | Promise<{ title?: string, given: Given[] }>} */
let source = sample; // what Diagnose reads: that which was touched last

SAMPLES.forEach(([name], k) => samples.append(element("option", { value: k }, name)));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  answer();
});
paste.addEventListener("input", () => {
  source = typed;
});
samples.addEventListener("change", () => {
  source = sample;
  if (samples.value) answer();
});
files.addEventListener("change", () => {
  source = chosen;
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
  files.files = dataTransfer.files; // their names are shown where files are chosen
  source = folder ? () => refuse(`${folder.name}: a folder; drop the files that are in it`) : chosen;
  answer();
});

observeTheme(() => out.querySelectorAll("svg").forEach((svg) => paintTables(svg, true)));

// The case with which the page opens: at once, so that nothing jumps, and without a word to who listens
samples.value = String(SAMPLES.findIndex(([name]) => name.startsWith("Llama")));
const { title, given } = sample();
show(answers(given), title);
out.ariaLive = "polite";

function sample() {
  if (!samples.value) return typed();
  const [title, createNode] = SAMPLES[samples.value];
  return { title, given: createNode() };
}

function typed() {
  samples.value = "";
  return { given: pasted(paste.value) };
}

// All files, a configuration among them; what cannot be read is told with its name
async function chosen() {
  samples.value = "";
  const found = await Promise.all(
    [...files.files].map((file) => arrays(file).catch((error) => refuse(`${file.name}: ${error.message}`))),
  );
  if (!found.length) refuse("nothing to read yet: choose a file, or paste numbers");
  return { given: found.flat() };
}

async function answer() {
  out.replaceChildren(element("p", {}, "Reading …"));
  await new Promise((done) => setTimeout(done)); // so that this is seen
  try {
    const { title, given } = await source();
    show(answers(given), title);
  } catch (error) {
    show([]);
    out.append(element("p", { class: "om-refused" }, `Cannot read this: ${error.message}.`));
  }
  out.scrollIntoView({
    block: "nearest",
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
  });
}

function show(found, title = "") {
  out.replaceChildren(...found.map((one) => article(one, title)));
  found.forEach((one, k) => picture(one, out.children[k].querySelector(".om-pictures")));
}

function article({ title, diagnosis }, given) {
  const [first, ...lines] = doctor._sentences.summary(diagnosis),
    box = element("article", {});
  if (given || title) box.append(element("p", { class: "om-given" }, given || title));
  box.append(element("h2", {}, first), ...lines.map((said) => element("p", {}, said)));
  box.append(...diagnosis.findings.map(card), element("div", { class: "om-pictures" }));
  if (diagnosis.alternatives.length) {
    const list = element("ul", {}, ...diagnosis.alternatives.map((said) => element("li", {}, said)));
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
  const said = { Evidence: evidence, Or: otherwise, Mend: mend };
  const facts = Object.entries(said).filter(([, words]) => words);
  const terms = facts.flatMap(([label, words]) => [element("dt", {}, label), element("dd", {}, words)]);
  const read = element("a", { href: link }, chapter);
  const list = element("dl", {}, ...terms, element("dt", {}, "Read"), element("dd", {}, read));
  return element("section", { class: "om-finding" }, element("h3", {}, seen), list);
}

// Draws the frequencies, if there are any
function picture({ diagnosis, wanted }, place) {
  const { frequencies, rule } = Object.fromEntries(diagnosis.picture);
  if (!rule) return;
  const said = `Frequencies as measured, the rule that gives them back${wanted ? ", what the configuration asks for (dashed)" : ""}, and how far each is off ${wanted ? "the configuration" : "the rule"}.`;
  const svg = /** @type {Element} */ (createNode(spectrum(said, { frequencies, rule, wanted: wanted?.data })));
  place.append(element("figure", { class: "ex" }, svg, element("figcaption", {}, said)));
  paintTables(svg);
}
