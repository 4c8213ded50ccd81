// One clock between two walls. The shadow that its tip throws straight down is the sine, the one that
// it throws sideways the cosine. Under the clock and beside it, each wall keeps the shadows of all
// positions: down the page for the sine, to the right for the cosine.
import { clock, dot, line } from "../frame/draw.mjs";

export function drawWalls(
  context,
  { width, height },
  colour,
  { at, pairs, positions, digits, read, cosines, found, all, print, frequency },
) {
  const pair = read[0] ?? pairs[0],
    omega = frequency(pair),
    blind = !read.length;
  const r = Math.min(0.17 * width, 0.24 * height, 90);
  const dial = { x: r + 30, y: r + 24, r, frequency: omega };
  const floor = { x: dial.x - r, y: dial.y + r + 24, w: 2 * r, h: height - dial.y - r - 48 };
  const wall = { x: dial.x + r + 24, y: dial.y - r, w: width - dial.x - r - 40, h: 2 * r };
  const down = (t) => floor.y + ((t + 0.5) / positions) * floor.h,
    across = (t) => wall.x + ((t + 0.5) / positions) * wall.w;
  const onFloor = (t) => [dial.x + r * Math.sin(t * omega), down(t)],
    onWall = (t) => [across(t), dial.y - r * Math.cos(t * omega)];
  const write = (words, x, y, align, style = colour.muted, font = `12px ${colour.font}`) => {
    Object.assign(context, { fillStyle: style, strokeStyle: colour.paper, lineWidth: 4, textAlign: align, font });
    context.strokeText(words, x, y); // so that it is read on a wave
    context.fillText(words, x, y);
  };
  const alike = blind ? [] : found[pair].sine,
    same = new Set(blind ? [] : found[pair].read);

  // What is printed stands for a strip of the wall: light falls through it, on a part of the rim.
  const { sine, cosine } = print(pair),
    lit = (value) => Number(value.replace("−", "-")) * r;
  const thick = Math.max(10 ** -digits * r, 1.5);
  const strips = [];
  if (!blind)
    strips.push([
      colour.blue,
      dial.x + lit(sine) - thick / 2,
      dial.y - r - 6,
      thick,
      floor.y + floor.h - dial.y + r + 6,
    ]);
  if (cosines)
    strips.push([
      colour.orange,
      dial.x - r - 6,
      dial.y - lit(cosine) - thick / 2,
      wall.x + wall.w - dial.x + r + 6,
      thick,
    ]);
  context.globalAlpha = 0.16;
  for (const [style, ...box] of strips) {
    context.fillStyle = style;
    context.fillRect(...box);
  }
  context.globalAlpha = 1;

  // the walls with their waves, where there is room for one
  const frame = ({ x, y, w, h }, read) =>
    line(
      context,
      colour.grid,
      1,
      [
        [x, y],
        [x + w, y],
        [x + w, y + h],
        [x, y + h],
        [x, y],
      ],
      read ? [] : [3, 4],
    );
  frame(floor, !blind);
  frame(wall, cosines);
  const along = (size, put, style) => {
    if ((2 * Math.PI * size) / omega / positions < 9) return;
    const steps = Math.ceil(size);
    line(
      context,
      style,
      1.5,
      Array.from({ length: steps + 1 }, (_, k) => put((k / steps) * positions - 0.5)),
    );
  };
  if (!blind) along(floor.h, onFloor, colour.blue);
  if (cosines) along(wall.w, onWall, colour.orange);
  else write("cosine: not read", wall.x + wall.w / 2, dial.y, "center");
  write("sine", dial.x, floor.y - 10, "center", colour.blue);
  if (cosines) write("cosine", wall.x, wall.y - 10, "left", colour.orange);
  if (cosines) write("position →", wall.x + wall.w / 2, wall.y + wall.h + 10, "center");
  write("position ↓", dial.x, floor.y + floor.h + 14, "center");
  for (const t of [0, positions - 1]) {
    write(t, floor.x - 6, down(t), "right");
    if (cosines) write(t, across(t), wall.y + wall.h + 10, "center");
  }

  // Who throws the same shadow on the floor; who does not on the wall as well is hollow.
  const last = [-99, -99];
  for (const t of alike) {
    const tip = [dial.x + r * Math.sin(t * omega), dial.y - r * Math.cos(t * omega)];
    if (alike.length < 12) line(context, colour.muted, 1, [[dial.x, dial.y], tip], [3, 3]);
    for (const [x, y] of cosines ? [onFloor(t), onWall(t)] : [onFloor(t)]) {
      if (same.has(t)) dot(context, colour, x, y);
      else ring(context, colour, x, y);
    }
    /** @type {[x: number, y: number, align: CanvasTextAlign][]} */
    const marks = [
      [onFloor(t)[0] + (onFloor(t)[0] > dial.x ? -10 : 10), down(t), onFloor(t)[0] > dial.x ? "right" : "left"],
    ];
    if (cosines) marks.push([across(t), onWall(t)[1] + (onWall(t)[1] < dial.y ? 16 : -16), "center"]);
    marks.forEach(([x, y, align], n) => {
      if (alike.length > 8 && !same.has(t)) return; // no room for all
      if (Math.abs((n ? x : y) - last[n]) < (n ? 20 : 12)) return;
      write(t, x, y, align, same.has(t) ? colour.ink : colour.muted, `600 13px ${colour.font}`);
      last[n] = n ? x : y;
    });
  }

  // the hand, and its shadow where it is now
  const tip = clock(context, colour, dial, at * omega, blind ? colour.grid : colour.blue);
  for (const [style, ...box] of strips) {
    context.save();
    context.beginPath();
    context.rect(...box);
    context.clip();
    Object.assign(context, { strokeStyle: style, lineWidth: 5 });
    context.beginPath();
    context.arc(dial.x, dial.y, r, 0, 2 * Math.PI);
    context.stroke();
    context.restore();
  }
  if (!blind) line(context, colour.blue, 1.5, [tip, onFloor(at)], [4, 3]);
  if (cosines) line(context, colour.orange, 1.5, [tip, onWall(at)], [4, 3]);
  for (const [x, y] of [tip, onFloor(at), ...(cosines ? [onWall(at)] : [])]) dot(context, colour, x, y);

  // what was printed, and who prints it
  const answer = { x: wall.x, y: floor.y, w: wall.w, h: floor.h },
    big = Math.min(28, 10 + width / 30);
  const [first, second] = all,
    who =
      all.length > 2
        ? `${all.length} ${all.length === 1 ? "position" : "positions"}`
        : all.length > 1
          ? `${first} or ${second}`
          : first;
  [
    [`sine ${sine}`, colour.blue],
    ...(cosines ? [[`cosine ${cosine}`, colour.orange]] : []),
    [all.length ? who : "", colour.ink],
  ].forEach(([words, style], n) => {
    if (!blind)
      write(words, answer.x + 12, answer.y + 24 + 1.5 * n * big, "left", style, `600 ${big}px ${colour.font}`);
  });

  const within =
    (box) =>
    ({ x, y }) =>
      x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
  return {
    dials: [dial],
    lines: [
      { has: within(floor), position: ({ y }) => ((y - floor.y) / floor.h) * positions - 0.5 },
      { has: within(wall), position: ({ x }) => ((x - wall.x) / wall.w) * positions - 0.5 },
    ],
    boxes: { clock: { x: floor.x, y: wall.y, w: 2 * r, h: 2 * r }, floor, wall, answer },
  };
}

function ring(context, colour, x, y) {
  Object.assign(context, { fillStyle: colour.paper, strokeStyle: colour.muted, lineWidth: 1.5 });
  context.beginPath();
  context.arc(x, y, 4, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
}
