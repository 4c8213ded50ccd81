"""From a checkpoint's `config.json` to what each of its layers does with positions, in numbers.

    layers(config, length=None)    one `Layer` a layer, first to last
    groups(config, length=None)    layers that are alike together, printed as a table
    Layer                          scheme, frequencies, width, softmax scale, window, …
    Layer.cos_sin(positions)       the cosines and sines of a layer's rotations
    MODELS                         every `model_type` that is known

`config` is the dictionary that the file holds, or its path, in the spelling of transformers 4
(`rope_theta`, `rope_scaling`), 5 (`rope_parameters`, also one for each type of layer) or diffusers.
What a file leaves out is taken as transformers 5.24.0 takes it for that `model_type`; what is
unknown, misspelled or not read by that kind of model raises a ValueError with the key, the value
and what is known (`layers` says which keys). Rules stand in `pe_lib.context`, `biases`, `grid`.
"""

from pe_lib.checkpoints._groups import Group, Groups, groups
from pe_lib.checkpoints._layer import Layer
from pe_lib.checkpoints._models import names
from pe_lib.checkpoints._stack import layers

MODELS = names()

__all__ = ["MODELS", "Group", "Groups", "Layer", "groups", "layers"]
