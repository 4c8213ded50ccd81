// What the page's doctor says of the cases in a file, of its own samples, and of configurations.
import { readFileSync } from "node:fs";

const [, , folder, file] = process.argv;
const { data, cases, configs } = JSON.parse(readFileSync(file, "utf8"));
globalThis.DATA = data;
const load = (name) => import(`${folder}/${name}.mjs`);
const [{ identify }, { text }, { SAMPLES }, { answers }, { against, configured, read }] = await Promise.all(
  ["identify", "diagnosis", "samples", "answer", "config"].map(load),
);

const number = (v) => (typeof v === "number" ? v : { nan: NaN, inf: Infinity, "-inf": -Infinity }[v]);
const unpacked = ({ shape, numbers }) => ({ shape, data: Float64Array.from(numbers, number) });

function sampled([name, make]) {
  const given = make();
  const packed = given.map((item) => (item.config ? item : { ...item, data: [...item.data] }));
  return {
    name,
    given: packed,
    text: answers(given)
      .map((one) => text(one.diagnosis))
      .join("\n"),
  };
}

// Frequencies, as its reading has them; what it says of a list, and why it reads nothing
function compared({ config, list }) {
  try {
    const wanted = read(config),
      given = { shape: [list.length], data: Float64Array.from(list) };
    const { frequencies, amplitude } = wanted;
    const said = [configured(wanted), against(identify(given), [given], wanted)].map(text).join("\n");
    return { said, amplitude, frequencies: [...frequencies] };
  } catch (error) {
    return { refused: error.message };
  }
}

const said = {
  cases: cases.map((arrays) => text(identify(...arrays.map(unpacked)))),
  samples: SAMPLES.map(sampled),
  configs: configs.map(compared),
};
console.log(JSON.stringify(said));
