// What a reader found, taken along: as an address, as the call that makes it, as a picture.
import { NS, theme } from "../scene/patch.mjs";

// The value that the text of an address means for a trait, undefined if it is none
export function value(text, { type, values, min, max, above }) {
  if (type === "bool") return { true: true, false: false }[text];
  if (type === "enum") return values.find((one) => String(one) === text);
  const whole = { real: 0, int: 1, even: 2 }[type];
  if (whole !== undefined) {
    const number = text.trim() === "" ? NaN : Number(text),
      inside = number >= (min ?? -Infinity) && number <= (max ?? Infinity) && !(number <= above);
    return inside && Number.isFinite(number) && !(whole && number % whole) ? number : undefined;
  }
  if (type !== "list") return undefined;
  try {
    const list = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

// The values that an address holds for the explorer `id`
export function found({ search, hash }, id, traits) {
  if (hash !== `#${id}`) return {};
  const read = [...new URLSearchParams(search)]
    .filter(([name]) => name in traits && name !== "story")
    .map(([name, text]) => [name, value(text, traits[name])]);
  return Object.fromEntries(read.filter(([, one]) => one !== undefined));
}

const text = (one) => (typeof one === "string" ? one : JSON.stringify(one));
const differs = (state, start) => Object.keys(state).filter((name) => text(state[name]) !== text(start[name]));

// The step of its story that an address holds for the explorer `id`, from 0
export function foundStep({ search, hash }, id) {
  const step = Number(new URLSearchParams(search).get("step"));
  return hash === `#${id}` && Number.isInteger(step) && step > 0 ? step - 1 : 0;
}

// The address of the explorer `id` in this state and step, on the page at `here`
export function address(here, id, state, start, step = 0) {
  const query = new URLSearchParams(differs(state, start).map((name) => [name, text(state[name])]));
  if (step) query.set("step", String(step + 1));
  return `${here.split(/[?#]/)[0]}${query.size ? `?${query}` : ""}#${id}`;
}

// The Python call that makes an explorer in this state. What is long stands for itself: by the name of
// its argument if it was `given`, else not at all.
export function call(name, state, given) {
  function python(one) {
    if (typeof one === "boolean") return one ? "True" : "False";
    return Array.isArray(one) ? `[${one.map(python).join(", ")}]` : JSON.stringify(one);
  }
  const long = (one) => one && typeof one === "object" && JSON.stringify(one).length > 100;
  const named = Object.entries(state).filter(([key, one]) => !long(one) || given.includes(key));
  return `${name}(${named.map(([key, one]) => `${key}=${long(one) ? key : python(one)}`).join(", ")})`;
}

// A drawing as an image. Outside of the page it has no style sheet: each mark takes its looks along.
const LOOKS = (
  "fill fill-opacity opacity stroke stroke-width stroke-dasharray stroke-linejoin stroke-linecap paint-order font " +
  "text-anchor image-rendering"
).split(" ");
async function image(svg, { width, height }) {
  const copy = svg.cloneNode(true),
    marks = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((mark, n) => {
    const style = getComputedStyle(marks[n]);
    for (const name of LOOKS) mark.style.setProperty(name, style.getPropertyValue(name));
  });
  const tables = svg.querySelectorAll("foreignObject canvas");
  copy.querySelectorAll("foreignObject").forEach((table, n) => {
    const still = document.createElementNS(NS, "image");
    for (const { name, value } of table.attributes) still.setAttribute(name, value);
    for (const [name, value] of Object.entries({ href: tables[n].toDataURL(), preserveAspectRatio: "none" }))
      still.setAttribute(name, value);
    still.style.imageRendering = "pixelated";
    table.replaceWith(still);
  });
  for (const [name, value] of Object.entries({ width, height })) copy.setAttribute(name, value);
  const made = new Image();
  made.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await made.decode();
  return made;
}

// The picture as it stands, and under it what is said, as a PNG
export async function picture(svg, words, title) {
  const box = svg.getBoundingClientRect(),
    drawn = await image(svg, box),
    colour = theme(svg),
    scale = 2,
    line = 22;
  const sheet = document.createElement("canvas"),
    context = sheet.getContext("2d");
  context.font = `14px ${colour.font}`;
  const lines = wrapped(words, (part) => context.measureText(part).width <= box.width);
  Object.assign(sheet, { width: scale * (box.width + 32), height: scale * (box.height + 44 + line * lines.length) });
  context.scale(scale, scale);
  context.fillStyle = colour.paper;
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.drawImage(drawn, 16, 16, box.width, box.height);
  Object.assign(context, { fillStyle: colour.ink, font: `14px ${colour.font}`, textBaseline: "top" });
  lines.forEach((part, n) => context.fillText(part, 16, box.height + 28 + n * line));
  sheet.toBlob((blob) => {
    const link = Object.assign(document.createElement("a"), {
      href: URL.createObjectURL(blob),
      download: `${title}.png`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
}

// Words in lines that fit
export function wrapped(words, fits) {
  const lines = [];
  for (const word of words.split(/\s+/)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && fits(longer)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
