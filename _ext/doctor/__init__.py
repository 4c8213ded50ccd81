"""Build the script for the doctor's page, with a translation of pe_lib.doctor to JavaScript.

The page uses the sentences, usual numbers and tolerances of the Python doctor.
"""

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.doctor import samples
from _ext.doctor.kernels import kernels
from _ext.doctor.translate import translate
from _ext.sources import add_script, bundle_script, import_files, write_module
from pe_lib.checkpoints import _models, _types
from pe_lib.checkpoints._keys import KEYS
from pe_lib.checkpoints._scaling import SCALINGS
from pe_lib.doctor import _examine, _files, _numbers, _requirements, _sentences
from pe_lib.doctor._numbers import DATA

HERE = Path(__file__).resolve().parent
SCRIPT = "doctor/doctor.js"


def form_html() -> str:
    """Return the HTML of the page's form and of the element in which diagnoses appear."""
    return """
<form class="om-doctor">
<label><span>Files: a table, a cache, <code>inv_freq</code>, a bias; and <code>config.json</code>, \
if there is one</span>
<input type="file" multiple
accept=".npy,.npz,.csv,.txt,.json,.safetensors"></label>
<label>Or choose an example of a real mistake
<select><option value="">choose one</option></select></label>
<label>Or paste numbers: JSON, lines of a table, a printout of numpy or PyTorch
<textarea rows="4" spellcheck="false" autocomplete="off"></textarea></label>
<p class="om-buttons"><button>Diagnose</button></p>
</form>
<noscript><p>This tool needs JavaScript, but the command below does not.</p></noscript>
<div class="om-diagnoses" aria-live="polite"></div>
"""


# The Python names that the page uses. All code on which they depend is translated, too.
ENTRIES = [
    (_requirements, "Group"), (_requirements, "Requirements"),
    (_requirements, "describe_group"),
    (_examine, "diagnose_tensors"),
    (_files, "MAX_TEXT"), (_files, "MAX_UNPACKED"), (_files, "PICKLES"),
    (_files, "choose_names"), (_files, "parse_table"), (_files, "refusal"),
    (_numbers, "round_significant"), (_sentences, "summarise"), (samples, "samples"),
]  # fmt: skip
# The page has its own versions of NATIVES, written in JavaScript. It never calls the methods in
# WITHOUT.
NATIVES = {"_arrays.as_array", "_arrays.to_numpy", "_formats.printed_digits", "_formats.round_to",
           "_numbers.DATA", "_numbers.format_number"}  # fmt: skip
WITHOUT = {"as_dict", "title", "to_json", "_repr_mimebundle_"}


def page_data() -> dict[str, Any]:
    """Return the doctor's sentences and numbers, and the settings for reading configurations."""
    return {
        **DATA,
        "kinds": plain_kinds(),
        "read_keys": KEYS.known_keys,
        "rope_keys": {
            name: sorted(scaling.keys)
            for name, scaling in SCALINGS.items()
            if scaling.is_read_by_page
        },
    }


def write_doctor() -> None:
    """Write the data and the translated doctor as a module, which the page's modules import."""
    write_module(
        "doctor.mjs",
        f"export const DATA = {json.dumps(page_data(), ensure_ascii=False)};\n"
        f"export const KERNELS = (ready) => {{\n{kernels()}\n}};\n"
        f"export const TRANSLATED = (py, np) => {{\n{translate(ENTRIES, NATIVES, WITHOUT)}\n}};",
    )


def plain_kinds() -> dict[str, Any]:
    """Return the model types that the page can read, which rotate all heads of all layers alike."""
    usual = _models.Model()
    decides = ("reader", "refused", "rope", "heads", "rotated", "unrotated_types", "sections",
               "part", "indexer")  # fmt: skip
    # With these rules, all layers are of one type, unless a model has keys that the page does not
    # read.
    types = (usual.types, _types.Rounds((_types.WINDOWED,)), _types.SlidingByNumber())
    kinds = {name: _models.read_model(name) for name in _models.rows()}
    return {
        name: {
            "layout": model.layout,
            "repeats": "halves" if model.layout == "halves" else model.repeats,
            "defaults": {k: v for k, v in model.defaults.items() if v is not None},
        }
        for name, model in kinds.items()
        if all(getattr(model, word) == getattr(usual, word) for word in decides)
        and model.types in types
        and not model.own_names
        and not (model.reads_partial_rotary_factor or model.reads_rotary_dim)
    }


def script() -> str:
    """Return all modules of the page as one classic script."""
    write_doctor()
    return bundle_script(import_files(HERE / "page.mjs"))


class Doctor(SphinxDirective):
    """A Sphinx directive that puts the doctor's form into a page."""

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", form_html(), format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("doctor", Doctor)
    add_script(app, 'class="om-doctor"', SCRIPT, script)
    return {"parallel_read_safe": True}
