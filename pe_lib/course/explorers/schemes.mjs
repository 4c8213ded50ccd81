// A recorded table of experiments: which scheme of position learns which task, and how far it goes.
import { checkbox, choice, element, fill } from "./controls.mjs";

const TRAITS = ["task", "causal", "layers"];
const TASKS = [["previous", "the word before"], ["order", "who bites whom"], ["counting", "more praise or complaint"]];

export const mean = (shares) => shares.reduce((a, b) => a + b, 0) / shares.length;

// The shares of each scheme by length: [scheme, [[share of each seed], …]]
export function chosen(recording, task, causal, layers) {
  return recording.settings
    .filter((cell) => cell.task === task && cell.causal === causal && cell.layers === layers)
    .map((cell) => [cell.scheme, recording.lengths.map((_, n) => cell.right.map((seed) => seed[n]))]);
}

// Schemes by name; *none* is the name of one
export const named = (schemes) => schemes.join(", ") || "no scheme";

function render({ model, el }) {
  const recording = model.get("recording");
  const set = (name, value) => { model.set(name, value); model.save_changes(); };
  const parts = [
    choice("task", TASKS, () => model.get("task"), (task) => set("task", task)),
    choice("layers", [["1", "one"], ["2", "two"]], () => String(model.get("layers")), (n) => set("layers", Number(n))),
    checkbox("causal mask", () => model.get("causal"), (on) => set("causal", on)),
  ];
  const body = element("tbody");
  const table = element("table", { class: "ex-shares" },
    element("caption", {}, `Share right: mean, and lowest–highest of the seeds; trained at length ${recording.lengths[0]}`),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "scheme"),
      ...recording.lengths.map((length) => element("th", { scope: "col" }, `at ${length}`)))), body);
  const reading = element("div", { class: "ex-reading", "aria-live": "polite" });
  fill(el, element("div", { class: "ex-controls ex-stacked" }, ...parts.map((part) => part.row)), table, reading);

  function draw() {
    for (const part of parts) part.refresh();
    const found = chosen(recording, ...TRAITS.map((name) => model.get(name)));
    body.replaceChildren(...found.map(([scheme, lengths]) => element("tr", {}, element("th", { scope: "row" }, scheme),
      ...lengths.map((shares) => {
        const [low, high] = [Math.min(...shares), Math.max(...shares)].map((v) => v.toFixed(2));
        const cell = element("td", {}, element("b", {}, mean(shares).toFixed(2)), element("small", {}, ` ${low}–${high}`));
        cell.style.setProperty("--share", `${Math.round(100 * mean(shares))}%`);
        return cell;
      }))));
    const solved = found.filter(([, lengths]) => Math.min(...lengths[0]) > 0.95).map(([scheme]) => scheme);
    const lasting = found.filter(([, lengths]) => Math.min(...lengths.at(-1)) > 0.95).map(([scheme]) => scheme);
    reading.replaceChildren(
      element("p", {}, element("b", {}, `Learned at length ${recording.lengths[0]} `), `(above 0.95 for every seed): ${named(solved)}.`),
      element("p", {}, element("b", {}, `Still at ${recording.lengths.at(-1)}: `), `${named(lasting)}.`));
  }

  for (const name of TRAITS) model.on(`change:${name}`, draw);
  draw();
  return () => { for (const name of TRAITS) model.off(`change:${name}`, draw); };
}

export default { render };
