// Shows the whole course in one picture: a position in a sentence turns eight clocks, and they write its row of the
// table. Readers can type their own sentence, and see whether attention notices that two of its words change places.
import { WIDTHS } from "#generated/widths.mjs";
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { windTo } from "../../../pe_lib/course/explorers/frame/drag.mjs";
import { drawMixtures, holdWords, largestChange, moveByKey } from "../../../pe_lib/course/explorers/machine/moving.mjs";
import { readOrder, wordPlaces } from "../../../pe_lib/course/explorers/machine/moving.mjs";
import { drawClocks, drawFrame, drawLabels, drawMark } from "../../../pe_lib/course/explorers/machine/picture.mjs";
import { drawNumbers, drawSentence, encodePositions } from "../../../pe_lib/course/explorers/machine/picture.mjs";
import { layOut, PAIRS, rowAt, wordAt, WORDS } from "../../../pe_lib/course/explorers/machine/picture.mjs";
import { clamp, range, rememberLast } from "../../../pe_lib/course/explorers/maths.mjs";
import { glideTo } from "../../../pe_lib/course/explorers/scene/glide.mjs";
import { gesturesFor } from "../../../pe_lib/course/explorers/scene/hold.mjs";
import { group, rect, table, text } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, ease } from "../parts.mjs";
import { connectForm, readAddress, VIEWS, writeAddress } from "../typing.mjs";

const TABLE = 190, // the height of the table in pixels, for any number of words
  FOOT = 26; // below the table, for a line in words

const measure = (word) => [...word].reduce((sum, letter) => sum + (WIDTHS[letter] ?? 0.6), 0);
const lastOf = (s) => s.words.length - 1;
const hasClocks = (s) => s.view === "clocks";
const moveTo = (s, position) => ({ ...s, position: clamp(position, 0, lastOf(s)) });
const rest = (s) => moveTo(s, Math.round(s.position));
const rowsOf = rememberLast((count) => Float64Array.from(encodePositions(count).flat()));

const layOutClocks = (s, size) => layOut(size, { words: s.words, tall: TABLE, measure });
const layOutWords = (s, size) => layOut(size, { words: readOrder(s), tall: TABLE, margin: 46, measure });

// Return what moves the position: a clock, the sentence, which can be pulled, and a row.
function holdPosition(s, size, p) {
  const to = layOutClocks(s, size),
    word = wordAt(to, p),
    row = rowAt(to, p),
    step = size.w / s.words.length;
  const wind = (dial) => {
    const start = Math.atan2(p.x - dial.x, dial.y - p.y) - s.position * dial.frequency; // it turns from where it stands
    return { on: dial, to: (now, q) => moveTo(now, windTo({ ...dial, start }, now.position, q)), end: rest };
  };
  return [
    ...to.dials.map(wind),
    { on: row >= 0, to: (now, q) => moveTo(now, rowAt(to, q) < 0 ? now.position : rowAt(to, q)) },
    { on: true, to: (now, q) => moveTo(now, (word < 0 ? s.position : word) + (q.x - p.x) / step), end: rest },
  ];
}

function drawTable(s, size) {
  const to = layOutClocks(s, size),
    { position: t } = s,
    written = Math.min(s.words.length, t + 1);
  return [
    drawSentence(to, t),
    drawNumbers(to, Math.round(t)),
    drawMark(to, t),
    drawClocks(to, t),
    drawLabels(to, { bold: Math.round(t) }),
    table(to.left, to.top, to.wide, to.row * to.rows, 2 * PAIRS, rowsOf(to.rows), "encoding"),
    rect(to.left, to.top + to.row * written, to.wide, to.row * (to.rows - written), "f-paper", { "fill-opacity": 0.8 }),
    drawFrame(to, t),
  ];
}

// Say below the mixtures whether attention has noticed the new order.
function verdict(s) {
  const most = largestChange(s);
  if (s.order.every((k, place) => k === place)) return ["Drag one word onto another.", "f-muted"];
  if (!most) return ["No number has changed.", "f-green bold"];
  return [`Numbers have changed by up to ${decimals(most, 2)}.`, "f-ink bold"];
}

const attention = (s) => ({ ...s, clocks: s.view === "both" });
const { current, tick } = glideTo(wordPlaces);

function drawAttention(s, size) {
  const own = { ...attention(s), gliding: current(s) },
    to = layOutWords(own, size),
    [says, c] = verdict(own);
  return [drawMixtures(own, to, true), text(size.w / 2, to.foot + 20, `mono mid ${c}`, says)];
}

const start = { position: 2, words: WORDS, order: range(WORDS.length), view: "clocks" };

export const sentence = {
  label: "Position in the sentence",
  hint: "Drag the sentence to the side, or turn a clock.",
  arrows: "The arrow keys move the position.",
  form: { words: WORDS.join(" "), views: VIEWS },
  start,
  rest: { ...start, position: WORDS.length - 1 },
  height: (w) => Math.ceil(layOut({ w }, { tall: TABLE, measure }).top + TABLE + FOOT),
  open: (address) => readAddress(address, start),
  connect: connectForm,
  address: (page, s) =>
    ["words", "order", "view"].every((name) => `${s[name]}` === `${start[name]}`) ? "" : writeAddress(page, s),
  alt(s) {
    const k = Math.round(s.position),
      [sine, cosine] = [Math.sin(k), Math.cos(k)].map((x) => decimals(x, 2));
    if (hasClocks(s))
      return `Position ${k}, “${s.words[k]}”: eight clocks, each slower than the one before. Numbers say how far right and how far up their hands point. These numbers, ${sine}, ${cosine} and so on, are the row of this position in the table below.`;
    const clocks = s.view === "both" ? "with clocks" : "without clocks";
    return `“${readOrder(s).join(" ")}”, attention ${clocks}. The largest change of a number since “${s.words.join(" ")}” is ${decimals(largestChange(attention(s)), 2)}.`;
  },
  value: (s) => [s.position, 0, lastOf(s)],
  film: {
    lasts: 5000,
    at: (f, s) => ({ ...s, view: "clocks", position: f < 1 ? between(s.position, lastOf(s), ease(f)) : lastOf(s) }),
  },
  ...gesturesFor((s, size, p) => (hasClocks(s) ? holdPosition : holdWords(layOutWords))(s, size, p)),
  key(s, press) {
    if (!hasClocks(s)) return moveByKey(s, press);
    const { right, up, end } = press;
    return moveTo(s, end ? end * lastOf(s) : Math.round(s.position) + right + up);
  },
  tick: (s, ms) => (hasClocks(s) ? s : tick(s, ms)),
  draw: (s, size) => group((hasClocks(s) ? drawTable : drawAttention)(s, size)),
};
