"""Read a checkpoint's `config.json`, and describe in numbers what each layer does with positions.

    layers(config, length=None)    one `Layer` for each layer, from the first to the last
    groups(config, length=None)    groups of layers that are alike, printed as a table
    Layer                          scheme, frequencies, width, softmax scale, window, …
    Layer.cos_sin(positions)       the cosines and sines of a layer's rotations
    MODELS                         every `model_type` that is known

`config` is the dictionary that the file holds, or the path of the file. Its keys may be the keys of
transformers 4 (`rope_theta`, `rope_scaling`), of transformers 5 (`rope_parameters`, also one for
each type of layer) or of diffusers. A key that the file leaves out has the default of transformers
5.24.0 for that `model_type`. A key or value that is unknown, misspelled or not read by that kind of
model raises a ValueError with the key, the value and the known alternatives (`layers` says for
which keys). The rules themselves are in `pe_lib.context`, `biases` and `grid`.
"""

from pe_lib.checkpoints._groups import Group, Groups, groups
from pe_lib.checkpoints._layer import Layer
from pe_lib.checkpoints._models import list_kinds
from pe_lib.checkpoints._stack import layers

MODELS = list_kinds()

__all__ = ["MODELS", "Group", "Groups", "Layer", "groups", "layers"]
