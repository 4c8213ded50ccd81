// What the page's doctor says of cases from a file, and of its own samples: a line of JSON each.
import { createReadStream, readFileSync } from "node:fs";
import readline from "node:readline";

const [, , folder, words, cases, configs] = process.argv;
globalThis.WORDS = JSON.parse(readFileSync(words, "utf8"));
const load = (name) => import(`${folder}/${name}.mjs`);
const [{ identify }, { text }, { SAMPLES }, { answers }, { against, configured, read }] = await Promise.all(
  ["identify", "diagnosis", "samples", "answer", "config"].map(load),
);

const number = (v) => (typeof v === "number" ? v : { nan: NaN, inf: Infinity, "-inf": -Infinity }[v]);
const unpacked = ({ shape, numbers }) => ({ shape, data: Float64Array.from(numbers, number) });
const say = (line) => console.log(JSON.stringify(line));

for await (const line of readline.createInterface({ input: createReadStream(cases) })) {
  say({ text: text(identify(...JSON.parse(line).arrays.map(unpacked))) });
}
for (const [name, make] of SAMPLES) {
  const given = make(),
    packed = given.map((item) => (item.config ? item : { ...item, data: [...item.data] }));
  say({
    name,
    given: packed,
    text: answers(given)
      .map((one) => text(one.diagnosis))
      .join("\n"),
  });
}
for (const { config, list } of JSON.parse(readFileSync(configs, "utf8"))) {
  try {
    const want = read(config),
      seen = identify({ shape: [list.length], data: Float64Array.from(list) });
    say({ text: [text(configured(want)), text(against(seen, want))].join("\n") });
  } catch (error) {
    say({ text: error.message });
  }
}
