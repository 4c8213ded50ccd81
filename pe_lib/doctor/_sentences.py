"""Every sentence that the doctor says, in one place, so that another language says the same.

A template has {names} in braces; numbers are written by `_numbers.told` before they come here.
"""

from typing import Any

from pe_lib.doctor._numbers import bound, told

FORMULA = "chapter 2, The formula"
FREQUENCIES = "chapter 3, Frequencies"
PAIRS = "chapter 4, Sine and cosine"
LEARNED = "chapter 6, Learned embeddings"
SKIPPING = "chapter 7, What if we skip it?"
ROTARY = "chapter 8, Rotary embeddings and biases"
LAYOUTS = "chapter 8, Two layouts"
DIRECTIONS = "chapter 8, Two directions"
BIASES = "chapter 8, A straight line, and nothing to learn"
BUCKETS = "chapter 8, A number for each group of offsets"
LONGER = "chapter 9, Longer contexts"
REMEDIES = "chapter 9, Four remedies"
GRID = "chapter 10, Two dimensions, and choosing"
PADDING = "In practice, Rows reserved for padding"
BASE = "In practice, The base lost"
HALF = "In practice, Half precision"
FILLED = "In practice, A buffer nobody filled"
BY_TYPE = "In practice, Parameters by layer type"

LINKS = {
    FORMULA: "02-the-formula.html",
    FREQUENCIES: "03-frequencies.html",
    PAIRS: "04-sine-and-cosine.html",
    LEARNED: "06-learned-embeddings.html",
    SKIPPING: "07-skipping-positions.html",
    ROTARY: "08-rotary-and-biases.html",
    LAYOUTS: "08-rotary-and-biases.html#two-layouts",
    DIRECTIONS: "08-rotary-and-biases.html#two-directions",
    BIASES: "08-rotary-and-biases.html#a-straight-line-and-nothing-to-learn",
    BUCKETS: "08-rotary-and-biases.html#a-number-for-each-group-of-offsets",
    LONGER: "09-longer-contexts.html",
    REMEDIES: "09-longer-contexts.html#four-remedies",
    GRID: "10-choosing.html",
    PADDING: "appendix-practice.html#rows-reserved-for-padding",
    BASE: "appendix-practice.html#the-base-lost",
    HALF: "appendix-practice.html#half-precision",
    FILLED: "appendix-practice.html#a-buffer-nobody-filled",
    BY_TYPE: "appendix-practice.html#parameters-by-layer-type",
}

# name: what was seen, what else it could be, the mend, where to read
PROBLEMS: dict[str, tuple[str, str, str, str]] = {
    "doubled_exponent": (
        "The exponent is 4i/d: 2i was doubled once more, which squares the base.",
        "Exponent 2i/d with base {other}.",
        "With i = 0, 2, 4 … the exponent is i/d; with i = 0, 1, 2 … it is 2i/d.",
        FORMULA,
    ),
    "halved_exponent": (
        "The exponent is i/d: the 2 of 2i is missing, and slow frequencies are never reached.",
        "Exponent 2i/d with base {other}.",
        "Use 2i/d for pair i, with i from 0 to d/2 - 1.",
        FORMULA,
    ),
    "own_frequencies": (
        "Each dimension has a frequency of its own, so that a sine and its cosine do not belong "
        "together and no rotation leads from one position to another.",
        "",
        "Use the pair's number j // 2 in the exponent, not the dimension j.",
        FORMULA,
    ),
    "pairs_from_one": (
        "The pairs are counted from 1: the first frequency is not 1 but one step slower.",
        "Positions divided by {other} (interpolation).",
        "Count pairs from 0.",
        FORMULA,
    ),
    "first_position": (
        "Row 0 is position {first}.",
        "",
        "Row t belongs to position t + {first}: take row t - {first}, or build the table from 0.",
        FORMULA,
    ),
    "reversed": (
        "The rows run backwards: the last one is position 0.",
        "",
        "Turn the order of the rows around.",
        FORMULA,
    ),
    "clockwise": (
        "The sines are negated: pairs turn the other way.",
        "Positions counted downwards.",
        "Negate the sines; where queries and keys both turn this way, no score changes.",
        DIRECTIONS,
    ),
    "odd_width": (
        "The width is odd, {width}: the last sine has no cosine.",
        "",
        "Encode in one dimension less and leave the last one 0, or choose an even width.",
        FORMULA,
    ),
    "cosine_before_sine": (
        "In each pair the cosine comes before the sine.",
        "",
        "Swap the entries of each pair, or leave it if the model was trained so.",
        FORMULA,
    ),
    "amplitude": (
        "Sines and cosines are multiplied by {amplitude}.",
        "{other}",
        "Divide by {amplitude}, unless the model was trained so.",
        FORMULA,
    ),
    "added_twice": (
        "Sines and cosines are twice as large as they should be: the encoding was added twice.",
        "A table multiplied by 2.",
        "Add it once, or divide by 2.",
        FORMULA,
    ),
    "half_precision_frequencies": (
        "The frequencies were rounded to {form}: angles are off, more so at far positions.",
        "",
        "Compute the frequencies anew in float32, and keep this buffer out of .half() and "
        ".to(bfloat16).",
        HALF,
    ),
    "half_precision_angles": (
        "The angles were computed in {form}: far positions cannot be told apart.",
        "",
        "Compute angles in float32 or float64, and round only the sines and cosines.",
        HALF,
    ),
    "noise": (
        "Something else is in these numbers, of size {noise}, which no rounding explains.",
        "A table that was trained a little, or is damaged.",
        "Compute it anew from the rule.",
        FORMULA,
    ),
    "printed": (
        "The numbers were printed with {digits}; what came after is lost.",
        "",
        "Save the array itself, as .npy or .safetensors.",
        FORMULA,
    ),
    "rows_off": (
        "{count} rows do not follow the rule of all others, the first of them row {row}.",
        "",
        "{mend}",
        FORMULA,
    ),
    "pairs_off": (
        "{count} pairs do not follow the rule of all others, the first of them pair {pair}.",
        "",
        "Compute these columns anew.",
        FREQUENCIES,
    ),
    "padding_row": (
        "Row {row} is zero: it is kept for padding.",
        "A row that was lost.",
        "Positions of words begin at row {next}, or wherever the model's code says.",
        PADDING,
    ),
    "class_row": (
        "Row 0 is zero and stands for the class token; the patches begin at row 1.",
        "",
        "Give the patch in row r and column c the row 1 + r · columns + c.",
        GRID,
    ),
    "zero_rows": (
        "{count} rows are zero, the first of them row {row}.",
        "",
        "Fill them: the buffer was allocated longer than it was computed.",
        BASE,
    ),
    "not_finite": (
        "{count} numbers are not finite, the first at {place}.",
        "",
        "Compute the buffer anew: it was not initialised, or overflowed in half precision.",
        BASE,
    ),
    "all_zero": (
        "Everything is zero: cosines are 1 and sines 0, and nothing tells positions apart.",
        "No positions on purpose (NoPE).",
        "Compute the buffer anew: it was allocated and never filled.",
        SKIPPING,
    ),
    "not_falling": (
        "The numbers do not fall from pair to pair, as frequencies do: see pair {pair}.",
        "",
        "Compute the buffer anew: it was not initialised, or its order is lost.",
        BASE,
    ),
    "negative": (
        "A frequency is negative: see pair {pair}.",
        "",
        "Compute the buffer anew, or negate the sines if pairs are meant to turn clockwise.",
        BASE,
    ),
    "same_rows": (
        "All rows are the same: nothing tells positions apart.",
        "",
        "Compute the buffer anew, with one row for each position.",
        SKIPPING,
    ),
    "mixed_layouts": (
        "Cosines are repeated {one} and sines {two}: no rotation uses both.",
        "",
        "Repeat both in the same way, as the code that turns queries and keys expects.",
        LAYOUTS,
    ),
    "swapped": (
        "Sine and cosine have changed places.",
        "",
        "Give the cosines first, the sines second.",
        ROTARY,
    ),
    "slopes_of_the_paper": (
        "The slopes are those of the paper's one formula; the authors' program has others for "
        "{heads} heads, which is no power of two.",
        "",
        "Take the slopes that the model was trained with, usually the program's.",
        BIASES,
    ),
    "slopes": (
        "The bias falls in a line, but the slopes are not those of {heads} heads.",
        "Learned slopes.",
        "The slope of head h = 1, 2 … is 2^(-8h/{heads}).",
        BIASES,
    ),
    "slopes_scaled": (
        "The slopes are {factor} times those of {heads} heads.",
        "",
        "Divide by {factor}; a bias is added to scores that are divided by the root of d_head.",
        BIASES,
    ),
    "slopes_order": (
        "The slopes are those of {heads} heads in another order.",
        "",
        "Head 0 has the steepest slope.",
        BIASES,
    ),
    "bias_sign": (
        "The bias grows with distance: far keys are preferred.",
        "",
        "Negate it.",
        BIASES,
    ),
    "bias_transposed": (
        "Keys before the query are masked, and those after it are seen.",
        "",
        "Transpose the last two axes: rows are queries, columns keys.",
        BIASES,
    ),
    "same_rows_of_table": (
        "{count} rows are another row again, the first of them row {row}, which is row {other}.",
        "",
        "Look at how the table was made longer: rows were copied.",
        LEARNED,
    ),
    "resized": (
        "The {count} rows lie on straight lines between {rows}: a table of {rows} rows was made "
        "longer by interpolation.",
        "",
        "Train it further at the new length, or use the {rows} rows that it had.",
        LEARNED,
    ),
    "wrapped": (
        "The rows begin again after {rows}: the table is {times} copies of one.",
        "",
        "A table of {rows} rows knows no position beyond; train longer ones.",
        LEARNED,
    ),
    "rows_untrained": (
        "From row {row} on the rows have norm {small}, before it {large}: they were never trained.",
        "",
        "Keep texts below {row} positions.",
        LEARNED,
    ),
    "base_differs": (
        "The base is {found}, the configuration says {wanted}.",
        "",
        "Set rope_theta to {wanted} where the buffer is computed.",
        BASE,
    ),
    "scaling_differs": (
        "The scaling is {found}, the configuration says {wanted}.",
        "",
        "Compute the frequencies with the configuration's scaling.",
        REMEDIES,
    ),
    "width_differs": (
        "The width is {found}, the configuration says {wanted}.",
        "",
        "Look at head_dim, hidden_size / num_attention_heads and partial_rotary_factor.",
        ROTARY,
    ),
    "scheme_differs": (
        "The scheme is {found}, the configuration says {wanted}.",
        "",
        "Look whether this is the tensor that the configuration speaks of.",
        GRID,
    ),
    "frequencies_differ": (
        "The frequencies are off the configuration's by {share}, most at pair {pair}.",
        "",
        "Compute the frequencies anew from the configuration.",
        BASE,
    ),
    "amplitude_differs": (
        "Sines and cosines are multiplied by {found}, the configuration says {wanted}.",
        "",
        "Multiply by the configuration's attention factor.",
        REMEDIES,
    ),
    "length_differs": (
        "There are {found} rows, the configuration says {wanted} positions.",
        "",
        "Build the table for as many positions as the model is to read.",
        LONGER,
    ),
    "never_filled": (
        "No rule gives these numbers; a buffer that nobody filled looks like this.",
        "",
        "Compute it after loading, as the module's __init__ does: no checkpoint holds it.",
        FILLED,
    ),
    "on_meta": (
        "The buffer is on the meta device: it has a shape, {shape}, and no numbers.",
        "",
        "Compute it after loading, as the module's __init__ does: no checkpoint holds it.",
        FILLED,
    ),
    "other_layers": (
        "These are the numbers of {found}, and {wanted} should have their own.",
        "",
        "Give each type of layer its own.",
        BY_TYPE,
    ),
    "not_causal": (
        "The mask does not show each query itself and what came before it, and nothing else.",
        "",
        "Compute it anew: numpy.tri(length), rows are queries.",
        FILLED,
    ),
}

SCHEMES = {
    "sinusoidal": "a sinusoidal table",
    "rotary": "rotary embeddings",
    "alibi": "ALiBi",
    "t5": "buckets of T5",
    "learned": "a learned table",
    "convolution": "a convolution",
    "mask": "a causal mask",
    "none": "no positions",
    "unknown": "nothing I know",
}

LAYOUT_WORDS = {
    "interleaved": "a sine and its cosine side by side",
    "halves": "pairs of entries i and i + d/2",
    "sines_first": "all sines first",
    "cosines_first": "all cosines first",
    "repeated_pairs": "each column twice in a row",
    "repeated_halves": "all columns, then all again",
}

SCALING_WORDS = {
    "none": "no scaling",
    "linear": "positions interpolated",
    "yarn": "YaRN",
    "llama3": "llama3",
    "longrope": "longrope, a factor for each pair",
    "proportional": "proportional, later pairs still",
}

STEP = (
    "A step: pairs are kept before pair {pair}, and divided by {factor} from there on. llama3 and "
    "YaRN, each with both ends equal, give the same frequencies, and so does longrope with the "
    "factors 1 and {factor}."
)


def problem(name: str, words: dict[str, str]) -> tuple[str, str, str, str]:
    """What was seen, what else it could be, the mend, and where to read."""
    seen, otherwise, mend, chapter = PROBLEMS[name]
    link = f"{chapter} ({LINKS[chapter]})"
    return seen.format(**words), otherwise.format(**words), mend.format(**words), link


def summary(d: Any) -> list[str]:
    """The first lines of a diagnosis, one fact each."""
    if not d.sure and d.scheme == "unknown":
        lines = ["Nothing I know."]
    elif not d.sure:
        lines = [f"Nothing I know for sure. Most like {SCHEMES[d.scheme]}."]
    elif d.scheme == "none":
        lines = ["No positions."]
    else:
        text = SCHEMES[d.scheme]
        lines = [f"{text[0].upper()}{text[1:]}."]
    facts = []
    if d.base is not None:
        facts.append(f"base {told(d.base)}")
    if d.exponent is not None:
        facts.append("a frequency of its own in each dimension" if d.exponent == "own"
                     else f"exponent {d.exponent}")  # fmt: skip
    if d.width is not None:
        facts.append(f"width {told(d.width)}")
    if d.layout is not None:
        facts.append(LAYOUT_WORDS[d.layout])
    if d.scaling not in (None, "none"):
        text = SCALING_WORDS[d.scaling]
        by = d.factor not in (None, 1.0)
        facts.append(f"{text} by {told(d.factor)}" if by else text)
    if "trained_length" in d.details:
        facts.append(f"trained on {told(d.details['trained_length'])} positions")
    if "rounded_ends" in d.details:
        facts.append("the ramp's ends rounded" if d.details["rounded_ends"]
                     else "the ramp's ends not rounded")  # fmt: skip
    if d.first_position is not None:
        facts.append(f"from position {told(d.first_position)}")
    if d.direction is not None and d.scheme == "rotary":
        facts.append("counter-clockwise" if d.direction == 1 else "clockwise")
    if d.amplitude not in (None, 1.0):
        facts.append(f"amplitude {told(d.amplitude)}")
    if d.precision is not None:
        facts.append(f"{d.precision} {d.where}" if d.where else d.precision)
    if facts:
        lines.append("; ".join(facts) + ".")
    if d.residual is not None:
        lines.append(f"Largest residual {bound(d.residual)}.")
    for text in d.details.get("notes", []):
        lines.append(text)
    if d.sure and not d.problems:
        lines.append("No problem found.")
    return lines
