// Runs the doctor's page: reads files, pasted numbers and samples, and shows their diagnoses. Nothing leaves the
// reader's machine.
import { element } from "../../pe_lib/course/explorers/frame/controls.mjs";
import { createNode, observeTheme, paintTables } from "../../pe_lib/course/explorers/scene/patch.mjs";
import { SAMPLES, diagnose } from "./answer.mjs";
import { doctor } from "./doctor.mjs";
import { readFile } from "./files.mjs";
import { spectrum } from "./pictures.mjs";
import { readPasted, refuse } from "./texts.mjs";

const form = document.querySelector(".om-doctor"),
  out = document.querySelector(".om-diagnoses");
const paste = form.querySelector("textarea"),
  files = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]")),
  samples = form.querySelector("select");
/** @type {() => { title?: string, items: Given[] } | Promise<{ title?: string, items: Given[] }>} */
let readSource = readSample; // the button reads the field that was used last

SAMPLES.forEach(([name], k) => samples.append(element("option", { value: k }, name)));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  showAnswer();
});
paste.addEventListener("input", () => {
  readSource = readPaste;
});
samples.addEventListener("change", () => {
  readSource = readSample;
  if (samples.value) showAnswer();
});
files.addEventListener("change", () => {
  readSource = readChosenFiles;
  showAnswer();
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
  readSource = folder ? () => refuse(`${folder.name}: a folder; drop the files that are in it`) : readChosenFiles;
  showAnswer();
});

observeTheme(() => out.querySelectorAll("svg").forEach((svg) => paintTables(svg, true)));

// The page opens with a sample. It is shown at once, so that nothing moves later, and before the output is live,
// so that a screen reader does not read it out.
samples.value = String(SAMPLES.findIndex(([name]) => name.startsWith("Llama")));
const { title, items } = readSample();
show(diagnose(items), title);
out.ariaLive = "polite";

function readSample() {
  if (!samples.value) return readPaste();
  const [title, make] = SAMPLES[samples.value];
  return { title, items: make() };
}

function readPaste() {
  samples.value = "";
  return { items: readPasted(paste.value) };
}

// Read all files, of which one may be a configuration. An error begins with the name of its file.
async function readChosenFiles() {
  samples.value = "";
  const lists = await Promise.all(
    [...files.files].map((file) => readFile(file).catch((error) => refuse(`${file.name}: ${error.message}`))),
  );
  if (!lists.length) refuse("nothing to read yet: choose a file, or paste numbers");
  return { items: lists.flat() };
}

async function showAnswer() {
  out.replaceChildren(element("p", {}, "Reading …"));
  await new Promise((done) => setTimeout(done)); // so that the browser paints the line before the diagnosis keeps it busy
  try {
    const { title, items } = await readSource();
    show(diagnose(items), title);
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
  out.replaceChildren(...results.map((result) => makeArticle(result, title)));
  results.forEach((result, k) => addPicture(result, out.children[k].querySelector(".om-pictures")));
}

function makeArticle({ title, diagnosis }, sampleTitle) {
  const [first, ...lines] = doctor._sentences.summarise(diagnosis),
    box = element("article", {});
  if (sampleTitle || title) box.append(element("p", { class: "om-given" }, sampleTitle || title));
  box.append(element("h2", {}, first), ...lines.map((line) => element("p", {}, line)));
  box.append(...diagnosis.findings.map(makeCard), element("div", { class: "om-pictures" }));
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

function makeCard({ seen: heading, evidence, otherwise, mend: fix, chapter: reference }) {
  const [, chapter, link] = /^(.*) \((.*)\)$/.exec(reference);
  const textByLabel = { Evidence: evidence, Or: otherwise, Fix: fix };
  const facts = Object.entries(textByLabel).filter(([, text]) => text);
  const terms = facts.flatMap(([label, text]) => [element("dt", {}, label), element("dd", {}, text)]);
  const read = element("a", { href: link }, chapter);
  const list = element("dl", {}, ...terms, element("dt", {}, "Read"), element("dd", {}, read));
  return element("section", { class: "om-finding" }, element("h3", {}, heading), list);
}

// Draw the frequencies of a diagnosis that has some
function addPicture({ diagnosis, expected }, place) {
  const { frequencies, rule } = Object.fromEntries(diagnosis.picture);
  if (!rule) return;
  const reference = expected ? "the configuration" : "the rule",
    dashedLine = expected ? ", what the configuration asks for (dashed)" : "",
    caption = `The frequencies as measured, the rule that gives them back${dashedLine}, and how far each is off ${reference}.`;
  const svg = /** @type {Element} */ (createNode(spectrum(caption, { frequencies, rule, expected: expected?.data })));
  place.append(element("figure", { class: "ex" }, svg, element("figcaption", {}, caption)));
  paintTables(svg);
}
