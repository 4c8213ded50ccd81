// Calls functions from many modules in one process: node run.mjs questions.json answers.json
import { readFileSync, writeFileSync } from "node:fs";

const [questions, answers] = process.argv.slice(2);
const { about, asked } = JSON.parse(readFileSync(questions, "utf-8"));
const loaded = {};

// Resolves an argument, which may itself be a call in the form { $call: [url, name, args] }.
const argument = (one) => (Array.isArray(one?.$call) ? answer(...one.$call) : one);

async function answer(url, name, args) {
  const given = await Promise.all(args.map(argument));
  Object.assign(globalThis, { ABOUT: about[url] ?? {} }); // a bundle puts this constant before an explorer's module
  const module = (loaded[url] ??= await import(url));
  const within = name.startsWith("done.") && module.scene?.done ? module.scene : module;
  const found = name.split(".").reduce((part, key) => part[key], within);
  return typeof found === "function" ? found(...given) : found;
}

const found = [];
for (const question of asked) found.push(await answer(...question));
const plain = (_, value) =>
  value instanceof Set ? [...value] : ArrayBuffer.isView(value) ? [].slice.call(value) : value;
writeFileSync(answers, JSON.stringify(found, plain));
