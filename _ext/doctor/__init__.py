"""The doctor on its page: pe_lib.doctor in JavaScript, put together into one script.

Sentences, usual numbers and tolerances are Python's own, handed over as DATA.
"""

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.doctor import samples
from _ext.doctor.kernels import kernels
from _ext.doctor.translate import translated
from _ext.sources import add_script
from pe_lib.checkpoints import _models
from pe_lib.checkpoints._config import words
from pe_lib.checkpoints._rope import KEYS
from pe_lib.course import explorers
from pe_lib.doctor import _config, _examine, _files, _numbers, _sentences
from pe_lib.doctor._numbers import DATA

HERE = Path(__file__).resolve().parent
SCRIPT = "doctor/doctor.js"


def form() -> str:
    return """
<form class="om-doctor">
<label><span>Files: a table, a cache, <code>inv_freq</code>, a bias; and <code>config.json</code>, \
if there is one</span>
<input type="file" multiple
accept=".npy,.npz,.csv,.txt,.json,.safetensors"></label>
<label>Or a sample, each a real mistake
<select><option value="">choose one</option></select></label>
<label>Or paste numbers: JSON, lines of a table, a printout of numpy or PyTorch
<textarea rows="4" spellcheck="false" autocomplete="off"></textarea></label>
<p class="om-buttons"><button>Diagnose</button></p>
</form>
<noscript><p>This page needs JavaScript; the command below does not.</p></noscript>
<div class="om-diagnoses" aria-live="polite"></div>
"""


# what the page runs, and what of it JavaScript does in its own way
ENTRIES = [
    (_examine, "inspected"), (_config, "Wanted"), (_config, "Group"), (_config, "configured"),
    (_files, "PACKED"), (_files, "PICKLED"), (_files, "TEXT"), (_files, "chosen"),
    (_files, "refusal"), (_files, "table"), (_sentences, "summary"),
    (_numbers, "significant"), (samples, "samples"),
]  # fmt: skip
NATIVES = {"_formats.printed", "_formats.rounded", "_given.array", "_given.plain", "_numbers.DATA",
           "_numbers.told"}  # fmt: skip
WITHOUT = {"as_dict", "title", "to_json", "_repr_mimebundle_"}


def data() -> dict[str, Any]:
    """Sentences, usual numbers and names, and what the reading of configurations knows."""
    return {
        **DATA,
        "kinds": plain_kinds(),
        "read_keys": words()["spelled"],
        "rope_keys": {name: sorted(KEYS[name]) for name in ("default", "linear", "llama3", "yarn")},
    }


def constants() -> str:
    """What the modules of JavaScript find there: the data, and the doctor's own Python."""
    return (
        f"const DATA = {json.dumps(data(), ensure_ascii=False)};\n"
        f"const KERNELS = (ready) => {{\n{kernels()}\n}};\n"
        f"const TRANSLATED = (py, np) => {{\n{translated(ENTRIES, NATIVES, WITHOUT)}\n}};"
    )


def plain_kinds() -> dict[str, Any]:
    """Kinds of models whose layers all turn their whole heads alike: what the page can read."""
    usual = _models.Model()
    decides = ("reader", "refused", "rope", "heads", "unturned", "bare", "sections", "part",
               "indexer")  # fmt: skip
    kinds = {name: _models.model(name) for name in _models.stored()[0]}
    return {
        name: {
            "layout": model.layout,
            "defaults": {k: v for k, v in model.defaults.items() if v is not None},
        }
        for name, model in kinds.items()
        if all(getattr(model, word) == getattr(usual, word) for word in decides)
        and model.types in (usual.types, ("rounds", "w"), ("late",))
        and not (model.own or model.partial or model.rotary_dim)
    }


def script() -> str:
    """All modules as one classic script: from file:// a browser loads no modules."""
    modules = explorers.script(HERE / "page.mjs")
    return f'(() => {{\n"use strict";\n{constants()}\n{modules}\n}})();\n'


class Doctor(SphinxDirective):
    """Where numbers go in, and where the diagnosis appears."""

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", form(), format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("doctor", Doctor)
    add_script(app, 'class="om-doctor"', SCRIPT, script)
    return {"parallel_read_safe": True}
