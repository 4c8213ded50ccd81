// Print the page's diagnoses of cases from a file, of the page's samples, and of configurations.
import { readFileSync } from "node:fs";
import { TRANSLATED } from "#generated/doctor.mjs";

const [, , folder, file] = process.argv;
const { cases, configs } = JSON.parse(readFileSync(file, "utf8"));
const load = (name) => import(`${folder}/${name}.mjs`);
const [{ SAMPLES, diagnose }, { readGroups }, { doctor, python }, { NDArray, np }] = await Promise.all(
  ["answer", "config", "doctor", "numpy"].map(load),
);
const { identify } = doctor._identify,
  { compare_with_groups: compareWithGroups } = doctor._config,
  { describe_group: describeGroup } = doctor._requirements;

const number = (v) => (typeof v === "number" ? v : { nan: NaN, inf: Infinity, "-inf": -Infinity }[v]);
const array = ({ shape, numbers }) => new NDArray(Float64Array.from(numbers, number), shape);

// Return a configuration's frequencies and a list's diagnosis, or why the configuration is refused.
function compared({ config, list }) {
  try {
    const wanted = readGroups(config),
      given = new NDArray(Float64Array.from(list)),
      { frequencies, amplitude } = wanted[0].layer;
    const said = [describeGroup(wanted[0]), compareWithGroups(identify(given), [given], wanted)].map(String).join("\n");
    return { said, amplitude, frequencies: frequencies.tolist() };
  } catch (error) {
    return { refused: error.message };
  }
}

// List names that the translation uses but that python.mjs and numpy.mjs do not define.
const missing = (owner, name) =>
  Array.from(String(TRANSLATED).matchAll(new RegExp(`\\b${name}\\.(\\w+)`, "g")), ([, used]) => used).filter(
    (used) => !(used in owner),
  );

const said = {
  missing: [...missing(python, "py"), ...missing(python.methods, "py.methods"), ...missing(np, "np")],
  cases: cases.map((arrays) => String(identify(...arrays.map(array)))),
  samples: SAMPLES.map(([name, make]) => [
    name,
    diagnose(make())
      .map((one) => String(one.diagnosis))
      .join("\n"),
  ]),
  configs: configs.map(compared),
};
console.log(JSON.stringify(said));
