"""Define a Transformer small enough to read in one sitting and to train while a page's cell runs.

The module `schemes` defines where positions enter the model, `transformer` holds the forward pass
and its gradients, `training` holds Adam and the training loop, and `tasks` defines what the model
can be trained to do. Chapter 6 builds the whole model.
"""

from pe_lib.course.model import schemes, tasks
from pe_lib.course.model.training import History, accuracy, train
from pe_lib.course.model.transformer import Transformer

__all__ = ["History", "Transformer", "accuracy", "schemes", "tasks", "train"]
