// Diagnoses what somebody drops or pastes, as `examine` of pe_lib.doctor does, and compares it with a configuration.
import { readGroups } from "./config.mjs";
import { doctor } from "./doctor.mjs";
import { NDArray } from "./numpy.mjs";
import { refuse } from "./texts.mjs";

const { _examine, _requirements, samples } = doctor;

// Return the objects of JavaScript for the maps that the translated Python uses as dictionaries
const toObject = (x) =>
  x instanceof Map ? Object.fromEntries([...x].map(([key, value]) => [key, toObject(value)])) : x;
const toItem = ([name, x]) => (x instanceof NDArray ? { name, array: x } : { name, config: toObject(x) });
// Each sample is [name, make], where make returns what somebody would drop
export const SAMPLES = samples.samples().map(([name, make]) => [name, () => Array.from(make(), toItem)]);

// Diagnose the arrays, or the configurations if there are no arrays. Return a list of {title, diagnosis, expected}.
/** @param {Given[]} items */
export function diagnose(items) {
  const configs = items.filter(({ config }) => config);
  if (configs.length > 1 && configs.length < items.length)
    refuse("there are several configurations; choose the one to compare the arrays with");
  const required = configs.map(({ config }) => readGroups(config)),
    tensors = new Map();
  for (const { name, array } of items) {
    const unique = tensors.has(name) ? `${tensors.size}/${name}` : name; // two files may use one name
    if (array) tensors.set(unique, () => array);
  }
  if (!tensors.size)
    return required.map(([group], k) => ({ title: configs[k].name, diagnosis: _requirements.describe_group(group) }));
  const entries = _examine.diagnose_tensors(tensors, new _requirements.Requirements(required[0]));
  return entries.map(({ name, count, diagnosis }) => ({
    title: count > 1 ? `${name} and ${count - 1} more` : name,
    diagnosis,
    expected: required[0]?.[0].layer.frequencies,
  }));
}
