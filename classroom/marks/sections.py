"""Where in its chapter a question is answered: what to read again, or to take up in class."""

from __future__ import annotations

import re
import unicodedata

from pe_lib.course.grading.sheet import Question

# By sheet, the chapter's heading and the questions that the text below it prepares. A heading of
# another chapter has that one's name before it.
SECTIONS = {
    "00-start-here": {
        "By hand: attention for two words": "two_words row_or_position",
        "Shapes, and a mistake on the wrong axis": "batch_shapes repair_axis axis_test",
        "From words to rows": "word_in_pieces padding",
    },
    "01-why-order-matters": {
        "Why: the proof": "permutation_matrix moved_rows three_kinds largest_gap",
        "Three cases": "causal_mask under_a_mask",
        '"Order is kept by the row number, so why do we say that it is lost?"': "order_lost",
        "Simpler ideas, and how they fail": "normalised integer_ratio flipped_digits",
    },
    "02-the-formula": {
        "Eight numbers": "one_entry whole_vector wide_entry",
        "From a dimension to its pair, and back": "which_pair",
        "The whole table at once": "write_encoding repair_table",
        "Bounded": "length_of_encoding",
        "Two ways to get the index wrong": "repair_snippet convert_order",
        "In practice": "far_positions",
        "What adding does to similarity": "which_way similarity_after",
        "Add or concatenate": "add_for_concatenate",
    },
    "03-frequencies": {
        "By hand: four wavelengths": "four_wavelengths same_angle",
        "Why geometric": "neighbours base_for_ratio smooth_counter",
        "Where it ends": "longest_wavelength",
        "The spectrum": "read_spectrum",
        "How many hands come round": "repair_turns longer_pairs",
        "Bands and stripes": "stripes",
        "What a slow hand is good for": "choose_base",
    },
    "04-sine-and-cosine": {
        "The code, and what one value leaves open": "slow_sine all_candidates",
        "How much does one printed value say?": "enough own_print",
        "A pair fixes the angle, up to whole turns": "pair_position pair_candidates",
        "Why: no two sines are equal, and it does not help": "twins",
        "From the whole vector: coarse to fine": "decode_vector",
        "How far each of the three reaches": "nearest_encoding",
        "Why the square of the frequency": "weigh_pairs",
        "A linear shift needs the pair": "sine_shift",
    },
    "05-relative-positions": {
        "By hand: turn the hand further": "turn_by_hand",
        "The code, and the formula": "one_shift shift_matrix repair_turn",
        "It is even: no direction": "direction",
        "The dot product knows the offset, and nothing else": "kernel_at",
        "How it falls, and why not always": "first_rise",
        '"A linear map exists" is not "it is learned"': "fitted",
        "A head that looks one word back, built by hand": "look_back",
        "A random matrix destroys it": "pair_block keep_offset",
    },
    "06-learned-embeddings": {
        "The code: a Transformer with a table in it": "table_size",
        "By hand: one step of learning": "one_step unreached_rows packed_gradient",
        "Trust, after checking": "check_gradient adam_after",
        "Beyond the table": "stretch_table repair_lookup",
        "What the experiments show": "five_seeds seeds_claim",
    },
    "07-skipping-positions": {
        "By hand: the mean of all that is seen": "uniform_causal two_traces",
        "Case 1: no mask, no order": "measure_equivariance",
        "Case 2: a mask and one layer": "build_mask swapped_words repair_leak",
        "Case 3: a mask and two layers": "who_notices last_output",
        "Untrained, and it leaks": "read_positions",
        "The whole table": "alibi_without_mask",
    },
    "08-rotary-and-biases": {
        "Values stay as they are": "turned_vectors",
        "A straight line, and nothing to learn": "slopes alibi_bias",
        "The code, and the formula": "interleaved",
        "Turn them: by hand": "same_offset",
        "Why a rotation": "kept",
        "Two layouts": "repair_halves convert_layout",
        "A number for each group of offsets": "t5_distance t5_buckets",
    },
    "09-longer-contexts": {
        "Position interpolation": "interpolated_position seen_offsets repair_interpolation",
        "Defined is not learned": "defined_or_learned",
        "NTK-aware: another base": "ntk_base scaled_frequencies",
        "By hand: three pairs, four times as far": "known_arc",
        "By parts, and YaRN": "temperature turns_and_ramp by_parts",
    },
    "10-choosing": {
        "By hand: one clock for the row, one for the column": "grid_dot",
        "The code, and the formula": "axial_grid",
        "Why: the two offsets, and nothing else": "move_patch fool_the_doctor",
        "In practice: choosing": "fit_images fit_words three_bugs",
        "Times and places that are no whole numbers": "irregular_times",
        "What people get wrong": "passage",
        "04-sine-and-cosine: In general": "decode_rows breaking_noise measured_errors noise_gap",
    },
    "11-since-2024": {
        "Layers without positions between rotary ones": "tells_distance",
        "M-RoPE: frames, rows and columns": "axis_angles",
        "Why a turned key cannot be absorbed: MLA": "mla_cache",
        "Partial and proportional turning": "partial_head",
        "Local layers and global layers: two bases": "window_reach",
        "Sinks: attention that nobody wants": "sink_share",
        "A temperature that grows with the length": "kept_share",
        "LongRoPE: two lists and a switch": "stale_angle two_lists",
        "In practice": "read_config",
    },
}


def place(question: Question) -> tuple[str, str]:
    """Chapter and heading of the section; no heading for a question that is not in the list."""
    for title, names in SECTIONS.get(question.sheet, {}).items():
        if question.name in names.split():
            other = re.match(r"(\d\d-[\w-]+): ", title)
            return (other[1], title[other.end() :]) if other else (question.sheet, title)
    return question.sheet, ""


def address(question: Question, site: str = "") -> str:
    """Where that section is on the site at the address `site`; '' without one.

    >>> from pe_lib.course.grading.sheet import load
    >>> address(load("02").questions["which_pair"], "https://example.org/")
    'https://example.org/chapters/02-the-formula.html#from-a-dimension-to-its-pair-and-back'
    """
    if not site:
        return ""
    chapter, title = place(question)
    page = f"{site.rstrip('/')}/chapters/{chapter}.html"
    return f"{page}#{anchor(title)}" if title else page


def anchor(title: str) -> str:
    """The id that the site gives a heading: letters and digits, the rest dashes.

    >>> anchor("What we want: a checklist")
    'what-we-want-a-checklist'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-").lstrip("0123456789-")
