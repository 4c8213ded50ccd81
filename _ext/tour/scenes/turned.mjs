// Rotary: a query and a key are turned by their places, and what they score depends on the distance alone.
import { decimals } from "../../../pe_lib/course/explorers/frame/controls.mjs";
import { clamp } from "../../../pe_lib/course/explorers/maths.mjs";
import { d, h, line, ring, text, through } from "../../../pe_lib/course/explorers/scene/svg.mjs";
import { between, eased, speeds, tip, typeset, wrapped } from "../parts.mjs";

const WORDS = "the dog that bit Anna ran off again".split(" "),
  LAST = WORDS.length - 1,
  SPEEDS = speeds(3);
// lengths, and angles before any turn
const QUERY = [
    [1, 0.4],
    [0.85, -0.5],
    [0.9, 2.2],
  ],
  KEY = [
    [0.8, 2.6],
    [1, 0.9],
    [0.75, 2.9],
  ];

// Σ |q_i| |k_i| cos(the angle between them, turned by the distance)
const score = (by) =>
  SPEEDS.reduce((sum, v, i) => sum + QUERY[i][0] * KEY[i][0] * Math.cos(QUERY[i][1] - KEY[i][1] + by * v), 0);

function layout(w) {
  const ends = typeset(WORDS, 1).at(-1),
    size = Math.min((w - 6) / (ends.x + ends.w), 30);
  const words = typeset(WORDS, size),
    left = (w - words[LAST].x - words[LAST].w) / 2;
  const middles = words.map(({ x, w: wide }) => left + x + wide / 2),
    r = Math.min(w / 6 - 10, 84);
  const px = (t) => {
    const k = clamp(Math.floor(t), 0, LAST - 1);
    return between(middles[k], middles[k + 1], t - k);
  };
  return {
    size,
    words,
    left,
    px,
    step: (middles[LAST] - middles[0]) / LAST,
    r,
    y: 124 + r,
    x: (i) => ((i + 0.5) * w) / 3,
    plot: 150 + 2 * r,
  };
}
const LINE = 70, // the words' foot
  HIGH = 110; // of the curve

const put = (s, q, k) => ({ ...s, q: clamp(q, 0, LAST), k: clamp(k, 0, LAST) });
const both = (s, by) => {
  const room = clamp(by, -Math.min(s.q, s.k), LAST - Math.max(s.q, s.k));
  return put(s, s.q + room, s.k + room);
};

export const turned = {
  label: "Place of the query",
  hint: "Drag the words to move both, the key to move it alone. Arrow keys: left and right move both, up and down move the key.",
  start: { q: 3, k: 1 },
  height: (w) => layout(w).plot + HIGH + 34,
  alt: ({ q, k }) =>
    `The query of “${WORDS[Math.round(q)]}” and the key of “${WORDS[Math.round(k)]}”, ${Math.abs(Math.round(q - k))} words apart, as two arrows in each of three planes, turned by their places. Their score is ${decimals(score(q - k), 2)}, wherever both stand; the curve below has it for every distance.`,
  value: ({ q }) => [q, 0, LAST],
  down(s, { w }, p) {
    const { px } = layout(w);
    return { ...s, hold: { x: p.x, q: s.q, k: s.k, alone: p.y > LINE && p.y < 118 && Math.abs(p.x - px(s.k)) < 30 } };
  },
  move(s, { w }, p) {
    const { x, q, k, alone } = s.hold,
      by = (p.x - x) / layout(w).step;
    return alone ? put(s, q, k + by) : both({ ...s, q, k }, by);
  },
  up: (s) => ({ ...put(s, Math.round(s.q), Math.round(s.q) - Math.round(s.q - s.k)), hold: undefined }),
  key: (s, { right, up, end }) => (up ? put(s, s.q, s.k + up) : both(s, end ? end * LAST : right)),
  film: { lasts: 4000, at: (f, start) => both(start, f < 1 ? 4 * eased(f) : 4) },
  draw({ q, k }, { w }) {
    const at = layout(w),
      { x, y, r, px, plot } = at,
      by = q - k;
    const flag = (t, name, c, ty) => [
      line(px(t), ty, px(t), LINE + (ty < LINE ? -at.size : 8), `l-${c} bar`),
      h("rect", { class: `f-${c} knob`, x: px(t) - 27, y: ty - 13, width: 54, height: 26, rx: 7 }),
      text(px(t), ty + 4.5, "mono mid f-paper", name),
    ];
    const arrow = (i, long, angle, c) => {
      const [tx, ty] = tip(x(i), y, r * long, angle),
        [fx, fy] = tip(x(i), y, r * long - 12, angle),
        side = [7 * Math.cos(angle), 7 * Math.sin(angle)];
      return [
        line(x(i), y, fx, fy, `l-${c} thick`),
        h("path", {
          class: `f-${c}`,
          d: `${through([
            [tx, ty],
            [fx + side[0], fy + side[1]],
            [fx - side[0], fy - side[1]],
          ])}Z`,
        }),
      ];
    };
    const sx = (n) => 14 + ((n + LAST) / (2 * LAST)) * (w - 28),
      sy = (v) => plot + HIGH * (0.5 - v / 5.2);
    const near = Array.from({ length: 10 * LAST + 1 }, (_, n) => n / 5 - LAST);
    return h(
      "g",
      {},
      WORDS.map((word, n) =>
        text(
          at.left + at.words[n].x,
          LINE,
          `serif ${n === Math.round(q) ? "f-purple" : n === Math.round(k) ? "f-ink" : "f-muted"}`,
          word,
          {
            "font-size": at.size,
            textLength: at.words[n].w,
          },
        ),
      ),
      flag(q, "query", "purple", 18),
      flag(k, "key", "ink", LINE + 32),
      SPEEDS.map((speed, i) => {
        const a = QUERY[i][1] + q * speed,
          b = KEY[i][1] + k * speed;
        const [cx, cy] = tip(x(i), y, 0.45 * r, b),
          [ex, ey] = tip(x(i), y, 0.45 * r, a);
        return [
          ring(x(i), y, r),
          h("path", {
            class: "f-green",
            opacity: 0.3,
            d: d`M${x(i)} ${y}L${cx} ${cy}A${0.45 * r} ${0.45 * r} 0 0 ${wrapped(a - b) > 0 ? 1 : 0} ${ex} ${ey}Z`,
          }),
          arrow(i, KEY[i][0], b, "ink"),
          arrow(i, QUERY[i][0], a, "purple"),
        ];
      }),
      line(sx(-LAST), sy(0), sx(LAST), sy(0), "l-grid"),
      line(sx(0), plot, sx(0), plot + HIGH, "l-grid"),
      h("path", { class: "l-green wave", d: through(near.map((n) => [sx(n), sy(score(n))])) }),
      ring(sx(by), sy(score(by)), 7, "f-green knob"),
      text(14, plot + 4, "mono large bold f-green", `score ${decimals(score(by), 2)}`),
      [-6, -3, 0, 3, 6].map((n) =>
        text(sx(n), plot + HIGH + 24, "mono mid f-muted", n ? decimals(n, 0) : "distance 0"),
      ),
    );
  },
};
