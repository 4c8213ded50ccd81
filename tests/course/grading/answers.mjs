// Read typed numbers and judge answers with the website's modules, and print the results as JSON
import { readFileSync } from "node:fs";
const [folder, file] = process.argv.slice(2);
const { typed: texts, answers } = JSON.parse(readFileSync(file, "utf-8"));
const { parseAnswer, parseOtherwise } = await import(`${folder}/numbers.mjs`);
const { judge } = await import(`${folder}/judge.mjs`);
const OTHERWISE = { otherwise: "numbers", "otherwise a number": "number" };
const read = texts.map(([kind, text]) =>
  (OTHERWISE[kind] ? (parseOtherwise(OTHERWISE[kind], text)[0] ?? [NaN]) : parseAnswer(kind, text)).map((value) =>
    Number.isNaN(value) ? null : value,
  ),
);
const messages = answers.map(({ asked, variant, tries }) =>
  tries.map((text) => judge(asked, asked.variants[variant], text)),
);
console.log(JSON.stringify({ read, messages }));
