"""What the sheet says, once for the paper and once as Markdown for its page of the book.

Every number is computed here, by the library. `$…$` is a formula, for Matplotlib and for KaTeX.
"""

from dataclasses import dataclass, field
from math import tau

import numpy as np

from pe_lib import biases, context, encode, kernel, rotary, wavelengths

D, BASE = 512, 10_000.0  # the encoding of the first Transformer
HEAD, THETA = 128, 500_000.0  # heads of Llama, and the base of Llama 3
TRAINED, FACTOR = 2_048, 4.0  # chapter 9's example
ALPHA, BETA = r"\alpha", r"\beta"
POSITION = 5  # where the clocks stand
CHAPTERS = {
    1: "01-why-order-matters",
    2: "02-the-formula",
    3: "03-frequencies",
    4: "04-sine-and-cosine",
    5: "05-relative-positions",
    6: "06-learned-embeddings",
    7: "07-skipping-positions",
    8: "08-rotary-and-biases",
    9: "09-longer-contexts",
    10: "10-choosing",
}
PRACTICE = "appendix-practice"


@dataclass(frozen=True)
class Words:
    """A paragraph, in small letters where it is one of a list."""

    source: str
    small: bool = False


@dataclass(frozen=True)
class Formula:
    source: str  # between dollars


@dataclass(frozen=True)
class Matrix:
    """A formula with a matrix of two by two, which Matplotlib cannot set by itself."""

    before: str
    entries: tuple[tuple[str, str], tuple[str, str]]
    after: str


@dataclass(frozen=True)
class Drawing:
    name: str  # of the function in drawings.py
    said: str  # for those who cannot see it


@dataclass(frozen=True)
class Table:
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    shares: tuple[float, ...]  # of the width, for each column


@dataclass(frozen=True)
class Beside:
    """Paragraphs, and at their right a drawing."""

    words: tuple[Words, ...]
    drawing: Drawing


Item = Words | Formula | Matrix | Drawing | Table | Beside


@dataclass
class Block:
    title: str
    chapters: tuple[int, ...]
    items: list[Item] = field(default_factory=list)
    practice: bool = False  # taught in that appendix, too


def number(value: float, digits: int = 0) -> str:
    """With commas, a true minus, and so many decimals."""
    return f"{value:,.{digits}f}".replace("-", "−")


def equal(name: str, value: float) -> str:
    """`name` = value, which no line break parts."""
    return f"${name}$\u00a0=\u00a0{number(value)}"


def slope(value: float) -> str:
    return f"1/{1 / value:.0f}"


def formula() -> Block:
    return Block(
        "The formula",
        (2, 4),
        [
            Formula(r"$\mathrm{PE}(t,\, 2i) = \sin(\omega_i t)$"),
            Formula(r"$\mathrm{PE}(t,\, 2i{+}1) = \cos(\omega_i t)$"),
            Formula(r"$\omega_i = \mathrm{base}^{\,-2i/d}$"),
            Words(
                "$t$ position, from 0 · $d$ `d_model`, even"
                f" · $i$ **pair**, $0 \\leq i < d/2$, not dimension · base {number(BASE)}"
            ),
            Words(
                r"The first layer reads $x_t = e_t + \mathrm{PE}(t)$, word plus position. All"
                " rows have the squared length $d/2$; no two whole positions are alike."
            ),
            Words(
                "**Why both?** One sine fits two angles in each turn: at 4 and 18 it is"
                f" {number(encode(4, 2)[0], 3)} and {number(encode(18, 2)[0], 3)}. A pair fixes"
                " the angle; slower ones count turns."
            ),
        ],
    )


def clocks() -> Block:
    row = ", ".join(number(value, 3) for value in encode(POSITION, 8))
    return Block(
        "Each pair is the hand of a clock",
        (2,),
        [
            Drawing(
                "clocks",
                f"Position {POSITION} with `d_model` 8: four clocks, whose hands stand at 5, 0.5,"
                f" 0.05 and 0.005 radians, and below them the row that they write: {row}.",
            ),
            Words(
                "0 is up, later is clockwise. The **sine** is how far right the tip is, the"
                " **cosine** how far up. A quick hand tells neighbours apart, a slow one early from"
                " late."
            ),
        ],
    )


def heatmap() -> Block:
    return Block(
        "The table",
        (2, 3),
        [
            Drawing(
                "heatmap",
                "A heatmap of the positions 0 to 63, downwards, by the dimensions 0 to 31, for"
                " `d_model` 32: short horizontal bands on the left, vertical stripes on the right.",
            ),
            Words(
                "Rows are positions, a column is a wave. Fast pairs make short bands, slow pairs"
                " vertical stripes."
            ),
        ],
    )


SPECTRA = [(8, BASE), (64, BASE), (D, BASE), (HEAD, THETA)]


def spectrum() -> Block:
    ends = "; ".join(
        f"width {d}, base {number(base)}: {d // 2} pairs to {number(wavelengths(d, base)[-1], 1)}"
        for d, base in SPECTRA
    )
    long = int((wavelengths(D) > TRAINED).sum())
    planned = 32_768
    enough = (4 * planned / tau) ** (HEAD / (HEAD - 2))
    return Block(
        "Wavelengths",
        (3,),
        [
            Formula(r"$\lambda_i = 2\pi/\omega_i = 2\pi \cdot \mathrm{base}^{\,2i/d}$"),
            Drawing(
                "spectrum",
                "Wavelengths on a logarithmic axis, a tick for each pair, all from 6.28 positions:"
                f" {ends}.",
            ),
            Words(
                r"From $2\pi$ to $2\pi \cdot \mathrm{base}^{1-2/d}$, **not** $2\pi \cdot"
                rf" \mathrm{{base}}$ = {number(tau * BASE, 1)}. For {equal('d', D)}, {long} of"
                f" {D // 2} pairs do not come round in {number(TRAINED)} positions. The slowest"
                r" **sine** rises all through $L$ if base ≥ $(4L/2\pi)^{d/(d-2)}$:"
                f" {number(np.ceil(enough))} for {equal('d', HEAD)}, {equal('L', planned)}."
            ),
        ],
    )


def conventions() -> Block:
    doubled = tau * BASE ** (4 * (D // 2 - 1) / D)
    halved = tau * BASE ** ((D // 2 - 1) / D)
    return Block(
        "Conventions and traps",
        (2, 3, 8),
        [
            *listed(
                "**Order of a row** interleaved: sin cos sin cos …; elsewhere halves: sines first,"
                " then cosines. Weights fit one order only.",
                "**Exponent** $2i/d$. In `for i in range(0, d, 2)` `i` is $2i$ already. The last"
                f" wavelength tells, for {equal('d', D)}: right {number(wavelengths(D)[-1], 1)},"
                f" doubled ($4i/d$) {number(doubled, 1)}, halved ($i/d$) {number(halved, 1)}.",
                "**Last pair** tensor2tensor and Whisper take $i/(d/2 - 1)$, which does end at"
                f" {number(tau * BASE, 1)}.",
                "**First position** 0, with the row 0 1 0 1 …; in RoBERTa’s learned"
                " table the first word has row 2.",
                r"**Units** $\omega$ radians per position, $\lambda$ positions; the base (“theta”)"
                " is neither.",
                "`rotate_half` mostly turns halves, $i$ with $i + d/2$, but neighbours in"
                " x-transformers.",
            ),
        ],
    )


def listed(*sources: str) -> list[Words]:
    return [Words(source, small=True) for source in sources]


def relative() -> Block:
    k = kernel([10, 100], D) / (D / 2)
    rise = int(np.argmax(np.diff(kernel(range(200), D)) > 0))
    return Block(
        "Relative positions",
        (5,),
        [
            Matrix(
                r"$\mathrm{PE}(t + k) = M_k\,\mathrm{PE}(t)$, each pair by",
                (
                    (r"$\cos \omega_i k$", r"$\sin \omega_i k$"),
                    (r"$-\sin \omega_i k$", r"$\cos \omega_i k$"),
                ),
                "",
            ),
            Formula(
                r"$\mathrm{PE}(t) \cdot \mathrm{PE}(t + k) = \sum_i \, \cos \omega_i k = \kappa(k)$"
            ),
            Drawing(
                "kernel",
                f"The kernel divided by $d/2$, for $d$ = {D}, at the offsets −100 to 100: 1 at 0,"
                f" {number(k[0], 3)} at ±10, {number(k[1], 3)} at ±100, with ripples, a mirror"
                " image about 0.",
            ),
            Words(
                "The offset only, no $t$. Even: before and after look alike. Not monotone: it"
                f" rises from {rise} to {rise + 1}. With words it is one of a score’s four terms,"
                " and learned weights may lose it."
            ),
        ],
    )


def rope() -> Block:
    order = " ".join(map(str, rotary.to_halves(8)))
    return Block(
        "Rotary, in two layouts",
        (8,),
        [
            Matrix(
                "",
                (
                    (r"$\cos a$", r"$-\sin a$"),
                    (r"$\sin a$", r"$\cos a$"),
                ),
                r"$R(a)$ turns a pair against the clock, by $a = \omega_i t$",
            ),
            Formula(r"$(R(t)\,q) \cdot (R(s)\,k) = q^{\top} R(s - t)\,k$"),
            Words(
                "Queries and keys turn, **after** their weights, in every layer; values do not."
                " Nothing is added or learned. $d$: the entries of a head that turn."
            ),
            Drawing(
                "layouts",
                "Eight entries of a head. Interleaved, arcs join 0 and 1, 2 and 3, 4 and 5, 6 and"
                " 7 (the paper, Meta’s Llama). Halves, arcs join 0 and 4, 1 and 5, 2 and 6, 3 and 7"
                " (GPT-NeoX, Llama in transformers).",
            ),
            Words(
                f"To halves: columns of $W_q$ and $W_k$, head by head, in the order {order}; not"
                " $W_v$. Mixed up, there is no error, and only a word’s score with itself is"
                " right."
            ),
        ],
    )


def bias() -> Block:
    slopes = biases.alibi_slopes(8)
    last = [
        next(n for n in range(500) if edge(n, both) == edge(499, both)) for both in (True, False)
    ]
    return Block(
        "Biases on the score",
        (8,),
        [
            Words(
                r"**ALiBi** $-\,m_h |s - t|$ with $m_h = 2^{-8h/H}$, $h = 1 \ldots H$:"
                f" {slope(slopes[0])} to {slope(slopes[-1])} for 8 heads; another rule if $H$ is no"
                " power of two. Not learned. Without a mask left and right tie."
            ),
            Words(
                "**T5** a learned number for the bucket of $s - t$: 32, fine near, logarithmic far."
                f" The last begins at {last[0]}, in decoders at {last[1]}. T5 does not divide its"
                " scores by √$d$."
            ),
            Words(
                r"**Shaw** $q_t \cdot a_{s-t}\,/$√$d$ with a learned vector for each offset,"
                " clipped at a limit."
            ),
        ],
    )


def edge(distance: int, both: bool) -> int:
    return int(biases.t5_buckets(-distance, bidirectional=both))


def longer() -> Block:
    times = context.temperature(FACTOR)
    arcs = int((context.turns(HEAD, TRAINED) < 1).sum())
    return Block(
        "Longer contexts: rotary, scaled",
        (9,),
        [
            Table(
                ("remedy", "new frequency", "keeps", "gives up"),
                [
                    (
                        "interpolation",
                        r"$\omega_i/s$",
                        "all angles known",
                        "distance of neighbours",
                    ),
                    (
                        "NTK-aware",
                        r"$\omega_i/s^{\,i/(n-1)}$: the base times $s^{\,d/(d-2)}$",
                        "the first pair as it was",
                        "known angles between",
                    ),
                    (
                        "dynamic",
                        r"the same, $s = \max(1, \ell/L)$, length $\ell$",
                        "texts up to $L$",
                        "stored turned keys",
                    ),
                    (
                        "by parts",
                        r"$(1-g)\,\omega_i/s + g\,\omega_i$, $g$ from 0 to 1",
                        "all angles, fast pairs",
                        "known combinations",
                    ),
                    (
                        "YaRN",
                        r"by parts, $q$ and $k$ times $0.1\,\ln s + 1$",
                        "a sharp softmax",
                        "(the 0.1 is fitted)",
                    ),
                    (
                        "llama3",
                        f"by parts, {equal(ALPHA, 1)}, {equal(BETA, 4)} (Llama 3.1)",
                        "as by parts",
                        "as by parts",
                    ),
                ],
                (0.165, 0.355, 0.235, 0.245),
            ),
            Beside(
                (
                    Words(
                        r"Trained on $L$, read $sL$. Pair $i$ of $n = d/2$ made $r_i ="
                        r" L\omega_i/2\pi$ turns; below 1 it has shown an arc:"
                        f" {arcs} of {HEAD // 2} for {equal('d', HEAD)}, {equal('L', TRAINED)}."
                        r" $g$ is linear in $r_i$ from"
                        f" {equal(ALPHA, 1)} to {equal(BETA, 32)}; in the authors’ code in $i$."
                    ),
                    Words(
                        f"{equal('s', FACTOR)}: the base becomes"
                        f" {number(context.ntk_base(HEAD, FACTOR))}, YaRN’s scores times"
                        f" {times**2:.3f}. Angles that fit are not yet a model that reads so far."
                    ),
                ),
                Drawing(
                    "slowed",
                    f"By how much each of {HEAD // 2} pairs is slowed, for $s$ = {FACTOR:.0f} and"
                    f" $L$ = {number(TRAINED)}: interpolation divides all by 4; NTK-aware rises"
                    " from 1 to 4, ever more steeply; by parts stays near 1 for fast pairs and"
                    f" reaches 4 at pair {HEAD // 2 - arcs}, the first that never came round.",
                ),
            ),
        ],
    )


def grid() -> Block:
    return Block(
        "Images and times",
        (10,),
        [
            Words(
                "**Axial**: half of the entries encode the row, half the column, each as a row of"
                r" width $d/2$. Two patches score $\kappa_{d/2}(\Delta r) + \kappa_{d/2}(\Delta"
                r" c)$: offsets only, no diagonals; slanted frequency vectors see those."
                " **Numbered** row by row, a row’s end meets the next row’s"
                " start."
            ),
            Words(
                r"**Times** are real numbers: choose $\lambda_0$, $\lambda_{n-1}$ of $n$ pairs;"
                r" base = $(\lambda_{n-1}/\lambda_0)^{n/(n-1)}$, unit $\lambda_0/2\pi$."
            ),
        ],
    )


def choosing() -> Block:
    return Block(
        "Which scheme when",
        (10,),
        [
            Words("Ask in this order; the first that fits decides.", small=True),
            *listed(
                "**Weights to load?** Their scheme: base, layout, width turned, scaling.",
                "**A set?** No positions.",
                "**Times, coordinates?** Sinusoids of the real numbers, in a chosen band.",
                "**An image, a grid?** Rotary on two axes; a learned table if all have one size;"
                " learned frequency vectors or biases for diagonals.",
                "**A video?** Rotary on three axes.",
                "**One length, least code?** A learned table, or sinusoids added once.",
                "**No mask, and order counts?** Rotary, or a learned bias for signed offsets (T5,"
                " Shaw).",
                "**A mask, longer texts, no training on?** ALiBi, which is local; or rotary scaled,"
                " and a test at that length.",
                "**A mask, all else?** Rotary, with a base that suits the length.",
            ),
        ],
    )


def mistakes() -> Block:
    half, brain = 2 ** (np.finfo(np.float16).nmant + 1), 2**8
    return Block(
        "Five common mistakes",
        (2, 6, 8, 9),
        [
            Words(
                "**1** The exponent **doubled**: the loop’s `i` is $2i$ already; half of the"
                " columns hardly move."
            ),
            Words(
                "**2** Rotary **layouts mixed**: test with several words, and with outputs that you"
                " know."
            ),
            Words(
                "**3** **Angles rounded**: bfloat16 has no odd number above"
                f" {brain}, float16 none above {number(half)}."
            ),
            Words(
                "**4** **Columns counted, not words**: look where texts are padded, packed or"
                " cached."
            ),
            Words(
                "**5** **Defined taken for learned**: sines never end, what was learned may. Test"
                " at that length."
            ),
        ],
        practice=True,
    )


def blocks() -> list[Block]:
    """All of them, in the order of reading."""
    return [
        formula(),
        clocks(),
        heatmap(),
        spectrum(),
        conventions(),
        relative(),
        rope(),
        bias(),
        longer(),
        grid(),
        choosing(),
        mistakes(),
    ]
