// A picture to cut into patches: a lighthouse over a harbour, drawn in pale tones so that a map of
// scores laid over it keeps its colours.

const INK = "#8b8577",
  SKY = ["#f4efe2", "#f8f5ec"],
  SEA = "#dde4e4",
  LAND = "#dcd5c3",
  WALL = "#fbf9f3",
  RED = "#e3b9a3";

// Into a square of this `side`, whose upper left corner is the origin; a unit below is a hundredth of it
export function harbour(context, side) {
  context.save();
  context.scale(side / 100, side / 100);
  Object.assign(context, { lineJoin: "round", lineCap: "round", strokeStyle: INK, lineWidth: 0.5 });
  const shape = (colour, points, closed = true) => {
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x, y);
    if (closed) context.closePath();
    if (colour) {
      context.fillStyle = colour;
      context.fill();
    }
    context.stroke();
  };
  const box = (colour, x, y, w, h) => {
    context.fillStyle = colour;
    context.fillRect(x, y, w, h);
  };
  const curve = (...given) => {
    context.beginPath();
    context.moveTo(given[0], given[1]);
    context.quadraticCurveTo(...given.slice(2));
    context.stroke();
  };

  // sky, sun, clouds, gulls
  box(SKY[0], 0, 0, 100, 62);
  box(SKY[1], 0, 30, 100, 32);
  context.beginPath();
  context.arc(24, 20, 8, 0, 2 * Math.PI);
  context.fillStyle = "#f3e3bd";
  context.fill();
  context.stroke();
  for (const [x, y, s] of [
    [44, 14, 1],
    [86, 26, 0.8],
  ])
    for (const [dx, r] of [
      [0, 3.2],
      [5, 4.6],
      [10, 3],
    ])
      curve(x + (dx - r) * s, y, x + dx * s, y - 2 * r * s, x + (dx + r) * s, y);
  for (const [x, y] of [
    [12, 38],
    [20, 43],
    [34, 34],
  ]) {
    curve(x - 3, y - 1, x - 1.4, y - 3, x, y);
    curve(x, y, x + 1.4, y - 3, x + 3, y - 1);
  }

  // the sea, its waves, a sail
  box(SEA, 0, 62, 100, 38);
  shape(
    "",
    [
      [0, 62],
      [100, 62],
    ],
    false,
  );
  for (let row = 0; row < 6; row++)
    for (let x = 3 + ((row * 37) % 13); x < 62 - 2 * row; x += 15)
      curve(x, 68 + 5 * row, x + 3, 65.5 + 5 * row, x + 6, 68 + 5 * row);
  shape("#e9dcc6", [
    [17, 73],
    [39, 73],
    [35, 79],
    [21, 79],
  ]);
  shape(WALL, [
    [28, 71],
    [28, 46],
    [40, 71],
  ]);
  shape(RED, [
    [26.5, 71],
    [26.5, 50],
    [18, 71],
  ]);

  // the cliff, a house, the tower with its bands and its lamp
  shape(LAND, [
    [56, 100],
    [60, 84],
    [58, 78],
    [66, 70],
    [76, 66],
    [100, 64],
    [100, 100],
  ]);
  for (const [x, y] of [
    [66, 78],
    [74, 74],
    [64, 90],
    [80, 86],
    [90, 78],
  ])
    curve(x, y, x + 2, y + 3, x + 1, y + 7);
  shape(WALL, [
    [86, 66],
    [86, 55],
    [98, 55],
    [98, 66],
  ]);
  shape(RED, [
    [84, 55],
    [92, 47],
    [100, 55],
  ]);
  box("#cfc7b4", 90, 59, 4, 7);
  shape(WALL, [
    [68, 69],
    [71, 27],
    [79, 27],
    [82, 69],
  ]);
  for (const [low, high] of [
    [60, 51],
    [43, 35],
  ]) {
    const edge = (y) => ((69 - y) / 42) * 3;
    shape(RED, [
      [68 + edge(low), low],
      [68 + edge(high), high],
      [82 - edge(high), high],
      [82 - edge(low), low],
    ]);
  }
  shape(WALL, [
    [69, 27],
    [69, 24.5],
    [81, 24.5],
    [81, 27],
  ]);
  shape("#f3e3bd", [
    [72, 24.5],
    [72, 17],
    [78, 17],
    [78, 24.5],
  ]);
  shape(RED, [
    [70.5, 17],
    [75, 11],
    [79.5, 17],
  ]);
  for (const [x, y] of [
    [60, 16],
    [60, 21],
    [60, 26],
  ])
    shape(
      "",
      [
        [70, 20.5],
        [x - 4, y * 1.4 - 8],
      ],
      false,
    );
  context.restore();
}
