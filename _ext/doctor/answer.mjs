// Diagnoses what was dropped or pasted, as pe_lib.doctor's `examine` does, and compares it with a configuration.
import { groups } from "./config.mjs";
import { doctor } from "./doctor.mjs";
import { NDArray } from "./numpy.mjs";
import { refuse } from "./texts.mjs";

const { _config, _examine, samples } = doctor;

// A map of Python's as an object of JavaScript
const object = (x) => (x instanceof Map ? Object.fromEntries([...x].map(([key, value]) => [key, object(value)])) : x);
const item = ([name, x]) => (x instanceof NDArray ? { name, array: x } : { name, config: object(x) });
// The samples as [name, make], where make returns what somebody would drop
export const SAMPLES = samples.samples().map(([name, make]) => [name, () => Array.from(make(), item)]);

// Diagnoses the arrays, or the configurations if there are no arrays: [{title, diagnosis, expected}]
/** @param {Given[]} items */
export function answers(items) {
  const configs = items.filter(({ config }) => config);
  if (configs.length > 1 && configs.length < items.length)
    refuse("there are several configurations; choose the one to compare the arrays with");
  const required = configs.map(({ config }) => groups(config)),
    tensors = new Map();
  for (const { name, array } of items) {
    const unique = tensors.has(name) ? `${tensors.size}/${name}` : name; // so that each of two files is diagnosed
    if (array) tensors.set(unique, () => array);
  }
  if (!tensors.size)
    return required.map(([group], k) => ({ title: configs[k].name, diagnosis: _config.describe_group(group) }));
  const entries = _examine.diagnose_tensors(tensors, new _config.Requirements(required[0]));
  return entries.map(({ name, count, diagnosis }) => ({
    title: count > 1 ? `${name} and ${count - 1} more` : name,
    diagnosis,
    expected: required[0]?.[0].layer.frequencies,
  }));
}
