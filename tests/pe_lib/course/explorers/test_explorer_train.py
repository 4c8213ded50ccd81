"""The Transformer that trains in the page is pe_lib's: loss, gradients and a step of Adam."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_explorers import node

from pe_lib.course.explorers._bundle import HERE
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import SCHEMES
from pe_lib.course.model.training import adam

TASKS = {"previous": tasks.previous(), "order": tasks.order(), "counting": tasks.counting()}

# weights and a batch in, what a training makes of them out
STEP = """
import { readFileSync } from "node:fs";
import { forward, loss, backward, room, transformer } from "HERE/toy.mjs";
import { adam } from "HERE/adam.mjs";
const take = (named) => Object.fromEntries(Object.entries(named).map(([n, m]) => [n, [...m.data]]));
console.log(JSON.stringify(JSON.parse(readFileSync("FILE")).map((given) => {
  const model = transformer(given.settings), [batch, length] = given.shape;
  for (const [name, numbers] of Object.entries(given.weights)) model.weights[name].data.set(numbers);
  const space = room(model, batch, length);
  space.tokens.set(given.tokens);
  space.targets.set(given.targets);
  forward(model, space);
  const found = { loss: loss(model, space), logits: [...space.logits.data],
                  attention: space.layers.map(({ weights }) => [...weights]) };
  backward(model, space);
  found.gradients = take(model.gradients);
  const mean = model.slopes.slice().fill(0), square = mean.slice();
  for (const step of [1, 2]) adam(model.values, model.slopes, mean, square, step, 3e-3);
  return { ...found, stepped: take(model.weights) };
})));
"""


def close(found: Any, expected: Any, what: str) -> None:
    np.testing.assert_allclose(
        np.reshape(found, np.shape(expected)), expected, rtol=0, atol=1e-9, err_msg=what
    )


def test_loss_gradients_and_a_step_of_adam_are_those_of_pe_lib(tmp_path: Path) -> None:
    cases, expected = [], []
    shapes = itertools.cycle([(4, 8, 1), (3, 7, 2), (2, 16, 2)])
    for scheme, (name, task), causal in itertools.product(SCHEMES, TASKS.items(), (False, True)):
        batch, length, layers = next(shapes)
        model = Transformer(
            task.vocabulary, task.classes, scheme, layers=layers, causal=causal,
            pooled=task.pooled, max_length=max(length, 12), dtype=np.float64,
        )  # fmt: skip
        rng = np.random.default_rng(len(cases))
        for value in model.parameters.values():  # zeros would hide what they multiply
            value += 0.1 * rng.standard_normal(value.shape)
        tokens, targets = task(rng, batch, length)
        settings = {
            "vocabulary": task.vocabulary, "classes": task.classes, "pooled": task.pooled,
            "scheme": scheme, "layers": layers, "causal": causal, "maxLength": max(length, 12),
        }  # fmt: skip
        loss, gradients = model.loss_and_gradients(tokens, targets)
        cases.append({
            "settings": settings, "shape": [batch, length], "tokens": tokens.ravel().tolist(),
            "targets": targets.ravel().tolist(),
            "weights": {n: v.ravel().tolist() for n, v in model.parameters.items()},
        })  # fmt: skip
        found = {"loss": loss, "logits": model(tokens), "attention": model.attention(tokens)}
        for key, value in model.parameters.items():
            moments = np.zeros_like(value), np.zeros_like(value)
            for step in (1, 2):
                adam(value, gradients[key], *moments, step, 3e-3)
        expected.append((f"{scheme}, {name}, causal {causal}, layers {layers}", found,
                         {"gradients": gradients, "stepped": model.parameters}))  # fmt: skip
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(cases), "utf-8")
    results = node(STEP.replace("HERE", HERE.as_uri()).replace("FILE", str(file)))
    for result, (what, single, named) in zip(results, expected, strict=True):
        for key, value in single.items():
            close(result[key], value, f"{key} of {what}")
        for key, arrays in named.items():
            assert list(result[key]) == list(arrays)
            for name, value in arrays.items():
                close(result[key][name], value, f"{key} by {name} of {what}")
