"""A Transformer small enough to read in one sitting and to train while a page's cell runs.

`schemes` says where positions come in, `transformer` holds the forward pass and its gradients,
`training` Adam and the loop, `tasks` what there is to learn. Built in chapter 6.
"""

from pe_lib.course.model import schemes, tasks
from pe_lib.course.model.training import History, accuracy, train
from pe_lib.course.model.transformer import Transformer

__all__ = ["History", "Transformer", "accuracy", "schemes", "tasks", "train"]
