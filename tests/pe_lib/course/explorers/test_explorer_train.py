"""The Transformer that trains in the page is pe_lib's: loss, gradients and a step of Adam."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import node

from pe_lib import encode, frequencies
from pe_lib.biases import alibi_bias
from pe_lib.course.explorers import TrainExplorer
from pe_lib.course.explorers._bundle import HERE
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import SCHEMES
from pe_lib.course.model.training import adam
from tools.experiments import page_run

TASKS = {"previous": tasks.previous(), "order": tasks.order(), "counting": tasks.counting()}

# weights and a batch in, what a training makes of them out
STEP = """
import { readFileSync } from "node:fs";
import { forward, loss, backward, room, transformer } from "HERE/toy.mjs";
import { adam } from "HERE/adam.mjs";
const numbers = ([name, { data }]) => [name, [...data]];
const take = (named) => Object.fromEntries(Object.entries(named).map(numbers));
const step = (given) => {
  const model = transformer(given.settings), [batch, length] = given.shape;
  for (const [name, one] of Object.entries(given.weights)) model.weights[name].data.set(one);
  const space = room(model, batch, length);
  space.tokens.set(given.tokens);
  space.targets.set(given.targets);
  forward(model, space);
  const attention = space.layers.map(({ weights }) => [...weights]);
  const found = { loss: loss(model, space), logits: [...space.logits.data], attention };
  backward(model, space);
  found.gradients = take(model.gradients);
  const mean = model.slopes.slice().fill(0), square = mean.slice();
  for (const step of [1, 2]) adam(model.values, model.slopes, mean, square, step, 3e-3);
  return { ...found, stepped: take(model.weights) };
};
console.log(JSON.stringify(JSON.parse(readFileSync("FILE")).map(step)));
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


def test_products_of_any_shape_are_numpys() -> None:
    rng = np.random.default_rng(0)
    cases = []
    for rows, inner, columns in [(1, 1, 1), (3, 5, 7), (4, 8, 8), (2, 3, 2), (5, 2, 12)]:
        a, b = rng.standard_normal((rows, inner)), rng.standard_normal((inner, columns))
        cases.append((a, b, rng.standard_normal((rows, columns))))
    flat = [[a.shape, a.ravel().tolist(), b.shape, b.ravel().tolist(), b.T.ravel().tolist(),
             out.ravel().tolist()] for a, b, out in cases]  # fmt: skip
    found = node(f"""
      import {{ matrix, product, transposed }} from "{HERE.as_uri()}/product.mjs";
      const of = ([rows, columns], data) => matrix(rows, columns, Float64Array.from(data));
      console.log(JSON.stringify({json.dumps(flat)}.map(([one, a, two, b, turned, start]) => {{
        const out = of([one[0], two[1]], start), again = of([one[0], two[1]], start);
        product(out, of(one, a), of(two, b), one[0], one[1], two[1], true);
        const back = transposed(of([two[1], two[0]], turned));
        product(again, of(one, a), back, one[0], one[1], two[1]);
        return [[...out.data], [...again.data]];
      }})));""")
    for (a, b, start), (added, set_) in zip(cases, found, strict=True):
        close(added, a @ b + start, "added")
        close(set_, a @ b, "set")


def test_each_task_asks_what_it_asks_in_pe_lib() -> None:
    """By another way: the answers are found again in the tokens."""
    asked = node(f"""
      import {{ ask }} from "{HERE.as_uri()}/asked.mjs";
      import {{ generator }} from "{HERE.as_uri()}/random.mjs";
      console.log(JSON.stringify(["previous", "order", "counting"].map((task) => {{
        const batch = 400, length = 7, tokens = new Int32Array(batch * length);
        const targets = new Int32Array(task === "previous" ? batch * length : batch);
        ask(task, generator(3), {{ batch, length, tokens, targets }});
        return [[...tokens], [...targets]];
      }})));""")
    (before, said), (orders, biters), (reviews, verdicts) = (
        (np.reshape(tokens, (400, 7)), np.array(targets)) for tokens, targets in asked
    )
    assert (said.reshape(400, 7)[:, 1:] == before[:, :-1]).all()
    assert (said.reshape(400, 7)[:, 0] == -1).all()
    assert np.bincount(before.ravel(), minlength=8).min() > 0.8 * 350
    for tokens, biter in zip(orders, biters, strict=True):
        words = [token for token in tokens if token < 3]
        assert words == [biter, 2, 1 - biter]
    assert abs(biters.mean() - 0.5) < 0.1
    places = np.argwhere(orders < 3)[:, 1].reshape(400, 3)  # any three are as likely
    np.testing.assert_allclose(places.mean(axis=0), [1, 3, 5], atol=0.25)
    np.testing.assert_array_equal(verdicts, ((reviews < 4).sum(axis=1) > 3.5).astype(int))


def test_normal_numbers_have_mean_0_and_variance_1_and_follow_their_seed() -> None:
    draw = f"""
      import {{ generator, normal }} from "{HERE.as_uri()}/random.mjs";
      const draw = (random) => Array.from({{ length: 20_000 }}, () => normal(random));
      console.log(JSON.stringify([0, 1, 0].map((seed) => draw(generator(seed)))));"""
    first, other, again = np.array(node(draw))
    for numbers in (first, other):
        assert abs(numbers.mean()) < 0.03 and abs(numbers.var() - 1) < 0.04
        assert abs((numbers**4).mean() - 3) < 0.3
    assert (first == again).all() and abs(np.corrcoef(first, other)[0, 1]) < 0.03


def test_a_training_that_is_interrupted_is_the_same() -> None:
    """In slices of any length, paused, or trained on: the losses are those of one go."""
    found = node(f"""
      import {{ begin, course, trainer }} from "{HERE.as_uri()}/trainer.mjs";
      const settings = {{ scheme: "rotary", task: "previous", layers: 1, length: 8,
                          causal: true, seed: 5 }};
      const whole = [...course(begin(settings), 40)].flatMap(({{ loss }}) => loss ?? []);
      const right = (shares) => shares.map((one) => one.right);
      const shares = right([...course(begin(settings), 40)].at(-1).shares);
      const losses = [];
      let paused = false;
      const send = trainer((news) => {{
        losses.push(...news.losses);
        if (news.shares && news.step === 20) send({{ run: 1, settings, goal: 40 }});
        else if (!paused && news.step > 5) {{
          paused = true;
          send({{ run: 1, settings, goal: 20, paused: true }});
          setTimeout(() => send({{ run: 1, settings, goal: 20 }}), 20);
        }}
        if (news.shares && news.step === 40)
          console.log(JSON.stringify({{ whole, losses, shares, sliced: right(news.shares) }}));
      }}, 1);
      send({{ run: 1, settings, goal: 20 }});""")
    assert found["losses"] == found["whole"] and len(found["whole"]) == 40
    assert found["sliced"] == found["shares"]


def test_the_map_of_a_scheme_is_what_pe_lib_says_of_two_positions() -> None:
    maps = node(f"""
      import {{ begin, look }} from "{HERE.as_uri()}/trainer.mjs";
      console.log(JSON.stringify({json.dumps([*SCHEMES])}.map((scheme) => look(begin(
        {{ scheme, task: "previous", layers: 1, length: 8, causal: false, seed: 0 }}))
        .likeness.map((map) => [...map]))));""")
    found = {name: np.reshape(map_, (2, 8, 8)) for name, map_ in zip(SCHEMES, maps, strict=True)}
    rows = encode(range(8), 32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    apart = np.subtract.outer(range(8), range(8))
    bias = alibi_bias(8, 2, causal=False)
    close(found["sinusoidal"], np.array([rows @ rows.T] * 2), "sinusoidal")
    close(found["rotary"][0], np.cos(apart[..., None] * frequencies(16)).mean(axis=-1), "rotary")
    close(found["alibi"], bias / np.abs(bias).max(), "alibi")
    assert (found["none"] == 1).all() and (found["relative"] == 0).all()
    close(np.diagonal(found["learned"][0]), np.ones(8), "learned")


def test_what_is_recorded_is_what_the_page_trains() -> None:
    """Another machine's last digits may differ, and a training amplifies them."""
    recorded = TrainExplorer(steps=300).recorded()
    assert recorded
    (again,) = page_run([recorded["settings"]])
    np.testing.assert_allclose(again["loss"], recorded["loss"], atol=0.05)
    for length, share in recorded["right"].items():
        assert again["right"][length] == pytest.approx(share, abs=0.03)


def told(story: str) -> list[tuple[TrainExplorer, dict[str, Any]]]:
    """Each step's explorer and its recorded training."""
    steps = TrainExplorer.stories[story].states(TrainExplorer(story=story).state())
    explorers = [TrainExplorer(**state) for _, state in steps]
    assert all(explorer.recorded() for explorer in explorers)
    return [(explorer, explorer.recorded() or {}) for explorer in explorers]


def test_what_the_story_of_masks_says_is_so() -> None:
    _, (_, one), (_, two), (back, _), (_, rotary), (_, order) = told("main")
    assert 1.3 < one["loss"][-1] < 1.6 and one["right"]["16"] == pytest.approx(0.39, abs=0.02)
    assert two["loss"][-1] < 0.5 and two["right"]["16"] > 0.8
    attention = back.map("attention")
    assert attention is not None
    assert (attention[5:].argmax(axis=1) == np.arange(4, 15)).sum() >= 9
    assert rotary["right"]["16"] > 0.99
    assert order["right"]["16"] > 0.99 and abs(order["right"]["48"] - 0.5) < 0.05


def test_what_the_story_of_the_table_says_is_so() -> None:
    (start, _), (_, learned), (after, _), _, (_, sinusoidal) = told("table")
    attention = start.map("attention")
    assert attention is not None and attention.max() < 0.25  # almost even
    assert learned["loss"][-1] < 0.01 and learned["right"]["16"] > 0.99
    heads = [TrainExplorer(**after.state() | {"head": head}).map("attention") for head in (0, 1)]
    assert np.mean(heads, axis=0)[1:].argmax(axis=1).tolist() == [*range(15)]
    likeness = after.map("likeness")
    assert likeness is not None and abs(np.diag(likeness, 1).mean()) < 0.2
    assert learned["right"]["48"] < (15 + 32 / 8) / 47 + 0.05  # guessed beyond 15
    assert sinusoidal["right"]["16"] > 0.99 and sinusoidal["right"]["48"] < 0.5


@pytest.mark.parametrize(
    ("settings", "lasts"),
    [({"scheme": "alibi", "causal": True}, True), ({"scheme": "none", "causal": True}, True),
     ({"scheme": "sinusoidal", "causal": False}, False)],
)  # fmt: skip
def test_the_task_can_be_done_and_does_not_do_itself(settings: dict[str, Any], lasts: bool) -> None:
    (run,) = page_run([{"task": "order", "layers": 1, "length": 16, "seed": 0, **settings}])
    own, far = run["right"]["16"], run["right"]["48"]
    assert (own >= 0.98 and far >= own - 0.01) == lasts


@pytest.mark.parametrize(
    ("given", "message"),
    [({"scheme": "T5"}, "scheme"), ({"steps": 100}, "steps"), ({"seed": 10}, "seed"),
     ({"length": 12}, "length"), ({"right": [1.5]}, "right"), ({"head": 4}, "head")],
)  # fmt: skip
def test_settings_outside_are_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        TrainExplorer(**given)


def test_the_caption_says_what_came_out_where_it_is_recorded() -> None:
    assert TrainExplorer().caption().endswith("seed 0. Not trained yet.")
    table = TrainExplorer(scheme="learned", causal=False, steps=300)
    assert ": 100% at 16, 70% at 24" in table.caption()
    other = TrainExplorer(seed=7, steps=600)
    assert other.caption().endswith("To be trained for 600 steps where this page runs.")
    assert len(other.picture().axes) == 4 and other.map("attention") is None
