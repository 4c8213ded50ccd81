// From clock to clock, the slowest on top: each has a place in every turn, and takes the one that is
// nearest to what the clock above says. Each row shows, larger, what lies around the guess so far.
import { entry, frequency } from "../maths.mjs";
import { clock, dot, line } from "../frame/draw.mjs";
import { decimals } from "../frame/controls.mjs";

const BASE = 10_000,
  TURN = 2 * Math.PI,
  SLACK = 0.3;

// By how much a hand is misread: forwards the slowest, back the next, and so on
const misread = (pair, off, d) => ((d / 2 - 1 - pair) % 2 ? -off : off);

// What each pair that is read makes of the guess before it, the slowest first
export function guesses({ read, position, digits, off, d_model }) {
  let guess;
  return read.toReversed().map((pair) => {
    const w = frequency(pair, d_model, BASE),
      before = guess;
    const [sine, cosine] = [0, 1].map((part) =>
      Number(entry(Math.round(position), 2 * pair + part, d_model, BASE).toFixed(digits)),
    );
    const angle = Math.atan2(sine, cosine) + misread(pair, off, d_model);
    guess =
      before === undefined
        ? (((angle + SLACK + TURN) % TURN) - SLACK) / w
        : (angle + TURN * Math.round((w * before - angle) / TURN)) / w;
    return { pair, turn: TURN / w, before, guess };
  });
}

export function drawGuesses(context, { width, height }, colour, { at, position, off, pairs, led, d_model: d }) {
  const tall = height / pairs.length,
    r = Math.min(tall / 2 - 5, 34),
    from = 2 * r + 24,
    to = width - 10;
  const write = (words, x, y, align, style = colour.muted, font = `12px ${colour.font}`) => {
    Object.assign(context, { fillStyle: style, textAlign: align, font });
    context.fillText(words, x, y);
  };
  const rows = pairs.toReversed().map((pair, n) => {
    const top = n * tall,
      step = led.find((one) => one.pair === pair),
      turn = TURN / frequency(pair, d, BASE);
    const before = step?.before,
      low = Math.min(step?.guess ?? 0, before === undefined ? 0 : Math.max(0, before - 1.25 * turn));
    const high = before === undefined ? turn : before + 1.25 * turn;
    return {
      pair,
      step,
      turn,
      top,
      low,
      high,
      head: top + 36,
      foot: Math.max(top + 42, top + tall - 30),
      place: (t) => from + ((Math.min(Math.max(t, low), high) - low) / (high - low)) * (to - from),
      dial: { x: r + 6, y: top + tall / 2, r, frequency: frequency(pair, d, BASE), start: misread(pair, off, d) },
    };
  });

  // what lies around a guess is drawn larger in the next row
  context.globalAlpha = 0.35;
  rows
    .filter(({ step }) => step)
    .forEach((row, n, all) => {
      if (!n) return;
      context.fillStyle = colour.grid;
      context.beginPath();
      for (const point of [
        [all[n - 1].place(row.low), all[n - 1].foot],
        [all[n - 1].place(row.high), all[n - 1].foot],
        [to, row.head],
        [from, row.head],
      ])
        context.lineTo(...point);
      context.fill();
    });
  context.globalAlpha = 1;

  for (const { pair, step, turn, top, low, high, head, foot, place, dial } of rows) {
    const angle = at * dial.frequency;
    if (off && step)
      line(
        context,
        colour.muted,
        1,
        [
          [dial.x, dial.y],
          [dial.x + r * Math.sin(angle), dial.y - r * Math.cos(angle)],
        ],
        [3, 3],
      );
    const tip = clock(context, colour, dial, angle + dial.start, step ? colour.blue : colour.grid);
    if (!step) {
      write(`pair ${pair}: not read`, from, top + 11, "left");
      line(
        context,
        colour.grid,
        1,
        [
          [from, foot],
          [to, foot],
        ],
        [2, 4],
      );
      continue;
    }
    dot(context, colour, ...tip);
    const { before, guess } = step;
    if (before !== undefined) {
      const [left, right] = [place(before - turn / 2), place(before + turn / 2)];
      context.fillStyle = colour.grid;
      context.fillRect(left, head, right - left, foot - head);
      line(
        context,
        colour.ink,
        1,
        [
          [place(before), head],
          [place(before), foot],
        ],
        [2, 3],
      );
    }
    const first = Math.ceil((low - guess) / turn);
    for (let n = first; guess + n * turn <= high; n++) {
      const x = place(guess + n * turn),
        style = n ? colour.blue : colour.orange;
      line(context, style, n ? 3 : 5, [
        [x, head],
        [x, foot],
      ]);
      write(
        decimals(guess + n * turn, 1),
        Math.min(Math.max(x, from + 18), to - 18),
        head - 9,
        "center",
        style,
        `${n ? 400 : 700} 12px ${colour.font}`,
      );
    }
    line(context, colour.muted, 1, [
      [from, foot],
      [to, foot],
    ]);
    write(`pair ${pair}: near ${decimals(guess, 1)}`, from, top + 11, "left", colour.ink);
    write(decimals(low, 0), from, foot + 10, "left");
    write(decimals(high, 0), to, foot + 10, "right");
    if (!pair) {
      const found = Math.round(guess);
      write(
        `${found === position ? "✓" : "✗"} ${decimals(found, 0)}`,
        to,
        top + 10,
        "right",
        colour.ink,
        `700 16px ${colour.font}`,
      );
    }
  }
  const boxes = rows.map(({ top }) => ({ x: 4, y: top + 2, w: width - 8, h: tall - 4 }));
  return { dials: rows.map(({ dial }) => dial), lines: [], boxes };
}
