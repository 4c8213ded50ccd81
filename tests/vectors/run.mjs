// Calls functions of many modules in one process. Run it as: node run.mjs questions.json answers.json
import { readFileSync, writeFileSync } from "node:fs";
import { limits } from "../../pe_lib/course/explorers/scene/limits.mjs";

const [questions, answers] = process.argv.slice(2);
const { about, asked } = JSON.parse(readFileSync(questions, "utf-8"));
const loaded = {};

// Return the value of an argument. If the argument has the form { $call: [url, name, args] }, make that call.
const argument = (one) => (Array.isArray(one?.$call) ? answer(...one.$call) : one);

// Return the exports of a module. The scene of an explorer is made with what its class says about it.
async function load(url) {
  const module = await import(url);
  return about[url] ? { ...module, scene: module.scene(limits(about[url]), about[url]) } : module;
}

async function answer(url, name, args) {
  const given = await Promise.all(args.map(argument));
  const module = (loaded[url] ??= await load(url));
  const within = name.startsWith("done.") && module.scene?.done ? module.scene : module;
  const found = name.split(".").reduce((part, key) => part[key], within);
  return typeof found === "function" ? found(...given) : found;
}

const found = [];
for (const question of asked) found.push(await answer(...question));
const plain = (_, value) =>
  value instanceof Set ? [...value] : ArrayBuffer.isView(value) ? [].slice.call(value) : value;
writeFileSync(answers, JSON.stringify(found, plain));
