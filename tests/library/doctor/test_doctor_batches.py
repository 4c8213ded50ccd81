"""Test position ids beside the attention mask, or beside the texts, of the same batch."""

import numpy as np
import pytest
from test_doctor_ids import LLAMA, ROBERTA

from pe_lib.doctor import examine
from pe_lib.doctor._files import choose_names

T = 24
ALL = np.arange(T)
LENGTHS = (9, 8, 7)  # of the texts in a packed row
TEXTS = np.repeat([1, 2, 3], LENGTHS)
AGAIN = np.concatenate([np.arange(n) for n in LENGTHS])
PADS = 6
LEFT = np.array([[0] * PADS + [1] * (T - PADS), [1] * T])


def make_mask(rule):
    """Return an additive mask (1, 1, T, T) that shows query t the keys s of a rule."""
    return np.array([[[[0.0 if rule(t, s) else -1e9 for s in range(T)] for t in range(T)]]])


CAUSAL = make_mask(lambda t, s: s <= t)
PACKED = make_mask(lambda t, s: s <= t and TEXTS[s] == TEXTS[t])
PADDED = make_mask(lambda t, s: PADS <= s <= t or s == t)
OWN = np.array([*[1] * PADS, *range(T - PADS)])  # ids after padding on the left
# For each batch: its arrays, and the problem in them, or "".
BATCHES = {
    "padding on the left is counted": ({"attention_mask": LEFT, "position_ids": [ALL, ALL]},
                                       "ids_count_padding"),
    "padding on the left": ({"attention_mask": LEFT, "position_ids": [OWN, ALL]}, ""),
    "padding with zeros": ({"attention_mask": LEFT,
                            "position_ids": np.maximum(LEFT.cumsum(axis=1) - 1, 0)}, ""),
    "padding on the right": ({"attention_mask": LEFT[:, ::-1], "position_ids": [ALL, ALL]}, ""),
    "a longer mask": ({"attention_mask": np.ones((2, 2 * T)), "position_ids": [ALL, ALL]}, ""),
    "padding in a causal mask": ({"attention_mask": PADDED, "position_ids": [OWN]}, ""),
    "one text": ({"attention_mask": CAUSAL, "position_ids": [ALL]}, ""),
    "packed": ({"attention_mask": PACKED, "position_ids": [AGAIN]}, ""),
    "packed without a mask": ({"attention_mask": np.ones((1, T)), "position_ids": [AGAIN]}, ""),
    "packed, ids run on": ({"attention_mask": PACKED, "position_ids": [ALL]}, "ids_run_on"),
    "packed, the mask is open": ({"attention_mask": CAUSAL, "position_ids": [AGAIN]},
                                 "ids_start_again"),
    "numbers of texts": ({"attention_mask": TEXTS[None], "position_ids": [AGAIN]}, ""),
    "numbers of texts, ids run on": ({"attention_mask": TEXTS[None], "position_ids": [ALL]},
                                     "ids_run_on"),
    "documents": ({"document_ids": TEXTS[None], "positions": [AGAIN]}, ""),
    "documents, ids run on": ({"document_ids": [TEXTS - 1], "positions": [ALL]}, "ids_run_on"),
    "documents and padding": ({"seq_idx": [[1] * 16 + [0] * 8], "position_ids": [ALL]}, ""),
    "lengths of the texts": ({"cu_seqlens": np.cumsum([0, *LENGTHS]), "position_ids": [AGAIN]}, ""),
    "lengths, ids run on": ({"cu_seqlens": np.cumsum([0, *LENGTHS]), "position_ids": [ALL]},
                            "ids_run_on"),
    "lengths of one text": ({"cu_seqlens": [0, T], "position_ids": [AGAIN]}, "ids_start_inside"),
    "lengths beside a mask": ({"cu_seqlens": np.cumsum([0, *LENGTHS]), "attention_mask": PACKED},
                              ""),
    "lengths of another batch": ({"cu_seqlens": [0, T + 1], "position_ids": [AGAIN]}, ""),
    "a document of parts": ({"document_ids": [[1] * T], "position_ids": [AGAIN]},
                            "ids_start_inside"),
    "documents before padding": ({"document_ids": [[1] * 16 + [0] * 8],
                                  "position_ids": [[*range(16), *range(4), *range(4)]]}, ""),
    "two sentences of BERT": ({"token_type_ids": [[0] * 9 + [1] * 15], "position_ids": [ALL]}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", BATCHES)
def test_ids_are_compared_with_the_mask_and_the_texts(name):
    arrays, problem = BATCHES[name]
    report = examine({key: np.asarray(x) for key, x in arrays.items()})
    assert report.problems == ([problem] if problem else []), str(report)
    assert report.status == ("found" if problem else "healthy"), str(report)
    assert not problem or "Or:" in str(report)  # each of these may be right on purpose


def test_the_sentences_have_the_right_numbers():
    def report_on(name):
        return str(examine({key: np.asarray(x) for key, x in BATCHES[name][0].items()}))

    assert "row 0 the ids count the padding on the left: 6 " in report_on(
        "padding on the left is counted"
    )
    assert "begins in column 9 has id 9" in report_on("packed, ids run on")
    assert "start again in column 9" in report_on("packed, the mask is open")


@pytest.mark.parametrize("name", ["position_ids", "input_positions", "positions", "cache_position"])
def test_ids_are_read_beside_a_mask(name):
    assert choose_names(["attention_mask", name, "input_ids"]) == ["attention_mask", name]
    assert choose_names([name, "document_ids"]) == [name, "document_ids"]
    report = examine({name: np.arange(4, 12), "attention_mask": np.ones((1, 12))})
    assert report.status == "healthy" and "position ids" in str(report)


@pytest.mark.parametrize(
    ("config", "first", "mask", "problems"),
    [
        (LLAMA, 1, np.ones((1, T)), ["ids_begin_late"]),
        (LLAMA, 0, np.ones((1, T)), []),
        (LLAMA, 9, np.ones((1, T)), []),  # the mask may be that of one part of a long text
        (LLAMA, 1, np.ones((1, T + 1)), []),  # the token before is in the cache
        (LLAMA, 1, LEFT[:1], ["ids_count_padding"]),
        (ROBERTA, 2, np.ones((1, T)), []),
    ],
)
def test_ids_without_a_token_before_begin_at_the_first(config, first, mask, problems):
    ids = {"position_ids": [ALL + first], "attention_mask": mask}
    report = examine({key: np.asarray(x) for key, x in ids.items()}, config)
    assert report.problems == problems, str(report)
