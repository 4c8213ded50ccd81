// Clocks that narrow a position down, the slowest on top. Beside each stand the positions that print
// what it prints; the next row shows, larger, what the rows above it left.
import { clock, dot, line } from "../frame/draw.mjs";

const LEAST = 12; // positions in a row at least

// From which position to which a row goes that follows on `left`
export function stretch(left, positions) {
  if (!left.length) return [0, positions];
  const room = Math.max(LEAST - (left.at(-1) - left[0] + 1), 2 + 0.2 * (left.at(-1) - left[0]));
  return [Math.max(0, Math.floor(left[0] - room / 2)), Math.min(positions, Math.ceil(left.at(-1) + 1 + room / 2))];
}

// What is left after each of the pairs that are read, from the slowest on
export function narrowed(read, found) {
  let left;
  return read.toReversed().map((pair) => {
    const agree = new Set(found[pair].read);
    left = left ? left.filter((k) => agree.has(k)) : found[pair].read;
    return { pair, left };
  });
}

// The rows from the top: the pair, the clock, and if it is read what it shows from where to where
function rows(width, height, { pairs, positions, read, found, frequency }) {
  const tall = height / pairs.length,
    r = Math.min(tall / 2 - 5, 34);
  const from = 2 * r + 24,
    to = width - 10,
    after = new Map(narrowed(read, found).map(({ pair, left }) => [pair, left]));
  let range = [0, positions];
  return pairs.toReversed().map((pair, n) => {
    const top = n * tall,
      [low, high] = range,
      left = after.get(pair),
      each = (to - from) / (high - low);
    if (left) range = stretch(left, positions);
    return {
      pair,
      top,
      tall,
      from,
      to,
      low,
      high,
      left,
      each,
      dial: { x: r + 6, y: top + tall / 2, r, frequency: frequency(pair) },
      head: top + 20,
      foot: Math.max(top + 28, top + tall - 30),
      place: (k) => from + (k - low) * each,
    };
  });
}

export function drawRows(context, { width, height }, colour, state) {
  const { at, position, positions, found, cosines, print } = state,
    all = rows(width, height, state);
  const write = (words, x, y, align, style = colour.muted, font = `12px ${colour.font}`) => {
    Object.assign(context, { fillStyle: style, textAlign: align, font });
    context.fillText(words, x, y);
  };
  const fill = (style, points) => {
    context.fillStyle = style;
    context.beginPath();
    for (const point of points) context.lineTo(...point);
    context.fill();
  };

  // what a row leaves is drawn larger in the next
  context.globalAlpha = 0.5;
  all.slice(1).forEach((row, n) => {
    const above = all[n];
    if (above.left && row.left)
      fill(colour.grid, [
        [above.place(row.low), above.foot],
        [above.place(row.high), above.foot],
        [row.to, row.head],
        [row.from, row.head],
      ]);
  });
  context.globalAlpha = 1;

  for (const { pair, top, from, to, low, high, left, each, dial, head, foot, place } of all) {
    const tip = clock(context, colour, dial, at * dial.frequency, left ? colour.blue : colour.grid);
    if (!left) {
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
    const still = new Set(left),
      gap = each > 4 ? 0.1 * each : 0;
    for (const k of found[pair].read) {
      if (k < low || k >= high) continue;
      context.globalAlpha = still.has(k) ? 1 : 0.35;
      context.fillStyle = still.has(k) ? colour.ink : colour.blue;
      context.fillRect(place(k) + gap, head, Math.max(each - 2 * gap, 1), foot - head);
    }
    context.globalAlpha = 1;
    line(context, colour.muted, 1, [
      [from, foot],
      [to, foot],
    ]);
    const { sine, cosine } = print(pair);
    const printed = cosines ? `(${sine}, ${cosine})` : sine;
    write(`pair ${pair}: ${printed}, ${left.length} left`, from, top + 11, "left", colour.ink);
    write(low, from, foot + 10, "left");
    write(high - 1, to, foot + 10, "right");
    const x = place(at + 0.5);
    fill(colour.orange, [
      [x, foot + 1],
      [x - 5, foot + 9],
      [x + 5, foot + 9],
    ]);
    if (left.length === 1) write(position, to, top + 10, "right", colour.ink, `700 16px ${colour.font}`);
  }

  // a position is pointed at in a row that shows all
  const lines = all
    .filter(({ low, high, left }) => left && low === 0 && high === positions)
    .map(({ top, tall, from, each }) => ({
      has: ({ x, y }) => x >= from && y >= top && y < top + tall,
      position: ({ x }) => (x - from) / each - 0.5,
    }));
  const boxes = all.map(({ top, tall }) => ({ x: 4, y: top + 2, w: width - 8, h: tall - 4 }));
  return { dials: all.map(({ dial }) => dial), lines, boxes };
}
