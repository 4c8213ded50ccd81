// What a diagnosis shows: the numbers as colours, and the frequencies with their rule.
import { line, paint } from "./canvas.mjs";
import { doctor } from "./doctor.mjs";
import { told } from "./formats.mjs";

const { significant } = doctor._numbers;
const most = (numbers) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);
const size = (numbers) => most(numbers.map(Math.abs));

const ROWS = 64,
  COLUMNS = 128;

// The first rows of an array as colours, teal below 0 and rose above
export function heatmap(context, { width, height }, colour, { shape, data }) {
  const [all, columns] = shape.slice(-2);
  const [w, h] = [Math.min(columns, COLUMNS), Math.min(all, ROWS)];
  const values = Float64Array.from({ length: w * h }, (_, k) => data[Math.floor(k / w) * columns + (k % w)]);
  const scale = size(values.filter((v) => Number.isFinite(v) && Math.abs(v) < 1e4)) || 1;
  const image = new ImageData(w, h);
  paint(
    values.map((v) => (Number.isFinite(v) ? Math.min(Math.max(v / scale, -1), 1) : 0)),
    new Uint32Array(image.data.buffer),
  );
  const small = new OffscreenCanvas(w, h);
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 36, 6, width - 42, height - 30);
  label(context, colour, "row", 4, 16);
  label(context, colour, "0", 30, 16, "right");
  label(context, colour, String(h - 1), 30, height - 28, "right");
  label(context, colour, "column 0", 36, height - 8);
  label(context, colour, String(w - 1), width - 8, height - 8, "right");
}

// Frequencies over their pair, on a logarithmic scale: dots as measured, a line by the rule, a dashed one
// as a configuration wants them; below, how far each is off what is wanted, or else off the rule
export function spectrum(context, { width, height }, colour, { frequencies, rule, wanted }) {
  const n = rule.length,
    upper = height * 0.62,
    left = 52,
    right = width - 12;
  const logs = [...frequencies, ...rule, ...(wanted ?? [])].filter((v) => v > 0).map(Math.log10);
  const low = Math.floor(-most(logs.map((v) => -v))),
    high = Math.max(Math.ceil(most(logs)), low + 1);
  const x = (i) => left + (i / Math.max(1, n - 1)) * (right - left);
  const y = (v) => 14 + ((high - Math.log10(v)) / (high - low)) * (upper - 24);
  const level = (at) =>
    line(context, colour.grid, 1, [
      [left, at],
      [right, at],
    ]);
  const curve = (w, ink, dashes = []) => {
    const points = [...w].flatMap((v, i) => (v > 0 ? [[x(i), y(v)]] : []));
    line(context, ink, 2, points, dashes);
  };
  for (let power = high; power >= low; power -= Math.max(1, Math.ceil((high - low) / 5))) {
    level(y(10 ** power));
    label(context, colour, power ? `1e${power}` : "1", left - 6, y(10 ** power) + 4, "right");
  }
  curve(rule, colour.orange);
  if (wanted) curve(wanted, colour.ink, [5, 4]);
  context.fillStyle = colour.blue;
  frequencies.forEach((v, i) => {
    if (!(v > 0)) return;
    context.beginPath();
    context.arc(x(i), y(v), n > 80 ? 2 : 3, 0, 2 * Math.PI);
    context.fill();
  });
  label(context, colour, "radians per position", left, 10);
  const aim = wanted ?? rule,
    off = [...aim].map((v, i) => (v > 0 && frequencies[i] > 0 ? Math.log(frequencies[i] / v) : 0)),
    far = Math.max(size(off), 1e-12);
  const middle = (upper + height - 22) / 2 + 8,
    tall = (height - 22 - upper) / 2 - 8;
  level(middle);
  off.forEach((v, i) => {
    const end = middle - (v / far) * tall;
    line(context, colour.ink, 1.5, [
      [x(i), middle],
      [x(i), end],
    ]);
  });
  const share =
    far > 0.5 ? `up to ${told(significant(Math.exp(far), 2))} times` : `at most ${(100 * far).toPrecision(2)} %`;
  label(context, colour, `off ${wanted ? "the configuration" : "the rule"}, ${share}`, left, upper + 4);
  label(context, colour, "pair 0", left, height - 6);
  label(context, colour, String(n - 1), right, height - 6, "right");
}

function label(context, colour, text, x, y, align = "left") {
  Object.assign(context, { fillStyle: colour.muted, font: `11px ${colour.font}`, textAlign: align });
  context.fillText(text, x, y);
}
