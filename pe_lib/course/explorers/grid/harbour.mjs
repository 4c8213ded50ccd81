// A picture to cut into patches: a lighthouse over a harbour, in pale tones, so that colours laid over it are seen.
const WALL = "#fbf9f3",
  RED = "#e3b9a3",
  LAMP = "#f3e3bd";

const waves = [0, 1, 2, 3, 4, 5].map((row) => {
  let path = "";
  for (let x = 3 + ((row * 37) % 13); x < 62 - 2 * row; x += 15) path += `M${x} ${68 + 5 * row}q3 -5 6 0`;
  return path;
});
const birds = ["M9 37q1.6 -2 3 1q1.4 -3 3 -1", "M17 42q1.6 -2 3 1q1.4 -3 3 -1", "M31 33q1.6 -2 3 1q1.4 -3 3 -1"];
const clouds = ["M40.8 14q3.2 -13 6.4 0M44.4 14q4.6 -18 9.2 0M51 14q3 -12 6 0", "M83 26q3 -10 6 0M86 26q4 -15 8 0"];
const rocks = ["M66 78", "M74 74", "M64 90", "M80 86", "M90 78"].map((start) => `${start}q2 3 1 7`);

// [colour, outline, whether it is drawn, too], each upon those before, in hundredths of the side
/** @type {[string, string, boolean][]} */
const SHAPES = [
  ["#f4efe2", "M0 0h100v62H0Z", false], // sky and sea
  ["#f8f5ec", "M0 30h100v32H0Z", false],
  ["#dde4e4", "M0 62h100v38H0Z", false],
  [LAMP, "M16 20a8 8 0 1 1 16 0a8 8 0 1 1 -16 0Z", true], // the sun
  ["none", `M0 62h100${[...clouds, ...birds, ...waves].join("")}`, true],
  ["#e9dcc6", "M17 73h22l-4 6H21Z", true], // a boat and its sails
  [WALL, "M28 71V46L40 71Z", true],
  [RED, "M26.5 71V50L18 71Z", true],
  ["#dcd5c3", "M56 100L60 84L58 78L66 70L76 66L100 64V100Z", true], // the cliff, and a house upon it
  ["none", rocks.join(""), true],
  [WALL, "M86 66V55h12v11Z", true],
  [RED, "M84 55L92 47L100 55Z", true],
  ["#cfc7b4", "M90 59h4v7h-4Z", false],
  [WALL, "M68 69L71 27h8L82 69Z", true], // the tower with its bands, and its lamp
  [RED, "M68.6 60L69.3 51H80.7L81.4 60Z", true],
  [RED, "M69.9 43L70.4 35H79.6L80.1 43Z", true],
  [WALL, "M69 27v-2.5h12V27Z", true],
  [LAMP, "M72 24.5V17h6v7.5Z", true],
  [RED, "M70.5 17L75 11L79.5 17Z", true],
  ["none", "M70 20.5L56 14.4M70 20.5L56 21.4M70 20.5L56 28.4", true],
];

const drawn = SHAPES.map(
  ([colour, outline, edged]) => `<path fill="${colour}" stroke="${edged ? "#8b8577" : "none"}" d="${outline}"/>`,
);

// Its address, as an image may have it
export const HARBOUR = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" stroke-width=".5" stroke-linejoin="round">${drawn.join("")}</svg>`,
)}`;
