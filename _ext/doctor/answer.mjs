// From what was dropped or pasted to diagnoses: pe_lib.doctor's `examine`, of the first configuration among them.
import { groups } from "./config.mjs";
import { doctor } from "./doctor.mjs";
import { NDArray } from "./numpy.mjs";
import { refuse } from "./texts.mjs";

const { _config, _examine, samples } = doctor;

const object = (x) => (x instanceof Map ? Object.fromEntries([...x].map(([key, value]) => [key, object(value)])) : x);
const named = ([name, x]) => (x instanceof NDArray ? { name, array: x } : { name, config: object(x) });
// The samples: [name, make], which makes what would be dropped
export const SAMPLES = samples.samples().map(([name, make]) => [name, () => Array.from(make(), named)]);

// What is said of the arrays, [{title, diagnosis, wanted}]; or of the configurations, where there are no others
/** @param {Given[]} given */
export function answers(given) {
  const configs = given.filter(({ config }) => config);
  if (configs.length > 1 && configs.length < given.length)
    refuse("there are several configurations; choose the one to compare the arrays with");
  const asked = configs.map(({ config }) => groups(config)),
    found = new Map();
  for (const { name, array } of given) {
    const unique = found.has(name) ? `${found.size}/${name}` : name; // of two files each is diagnosed
    if (array) found.set(unique, () => array);
  }
  if (!found.size)
    return asked.map(([group], k) => ({ title: configs[k].name, diagnosis: _config.describe_group(group) }));
  const entries = _examine.diagnose_tensors(found, new _config.Requirements(asked[0]));
  return entries.map(({ name, count, diagnosis }) => ({
    title: count > 1 ? `${name} and ${count - 1} more` : name,
    diagnosis,
    wanted: asked[0]?.[0].layer.frequencies,
  }));
}
