"""List calls to functions in the page's scripts, each with the result that it must return.

`pe_lib` or an independent method computes the expected results. Each function of this module yields
the calls for one topic. A call has the name of a function, its arguments, and the expected result.
The expected result is either numbers (compared to within 1e-9 or the tolerance that follows), words
(compared for equality), or a function that judges the result.
"""

import math
from collections.abc import Callable, Iterator
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np

from pe_lib import encode, frequencies, wavelengths
from pe_lib.biases import alibi_slopes, t5_buckets
from pe_lib.course import explorers as ex
from pe_lib.course.explorers import layers
from pe_lib.course.explorers._bundle import HERE, scene
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.training import adam
from tests import angles, attended, computed, layered, machine, patches, untrained
from tests import game as played
from tests.explorers.states import READINGS
from tests.recorded import make_explorer, maps, required_arguments, unpack_numbers
from tests.scrambled import scramble_numbers

ADAPTERS = Path(__file__).with_name("adapters.mjs")
BOTH = (False, True)

Asked = Iterator[tuple[Any, ...]]
Field = Callable[[], Asked]
FIELDS: list[Field] = []


def field(cases: Field) -> Field:
    FIELDS.append(cases)
    return cases


def place(name: str) -> list[str]:
    """Return the address of an ES module and the name of one of its functions, as one text.

    The argument `name` joins both names, as in "share.readValues" or "heatmap.done.main".
    """
    module, function = name.split(".", 1)
    if module == "adapters":
        return [ADAPTERS.as_uri(), function]
    found = [path for path in (scene(module), *HERE.rglob(f"{module}.mjs")) if path.exists()]
    return [found[0].as_uri(), function]


def call(name: str, *args: Any) -> dict[str, Any]:
    """Return a placeholder argument, which the script replaces by the result of a function call."""
    return {"$call": [*place(name), args]}


def questions(cases: list[tuple[Any, ...]]) -> dict[str, Any]:
    about = {place(f"{kind}.")[0]: ex.of_kind(kind).about() for kind in ex.kinds()}
    return {"about": about, "asked": [[*place(name), args] for name, args, *_ in cases]}


@field
def maths() -> Asked:
    tables = [*product((2, 64), (2, 8, 20, 512), (2.0, 100.0, 10_000.0, 1e6)), (512, 64, 1e4)]
    for n, d, b in tables:
        yield "maths.encodeTable", [n, d, b], encode(range(n), d, b)
        for j in {0, 1, d // 2, d - 1}:
            yield "maths.entry", [n, j, d, b], encode(n, d, b)[j]
            yield "maths.wavelength", [j // 2, d, b], wavelengths(d, b)[j // 2]


@field
def drawing() -> Asked:
    """Check that decimals are rounded, and that a number that rounds to zero has no minus sign."""
    for x, digits, said in [(-0.57114, 4, "−0.5711"), (-1e-5, 4, "0.0000")]:
        yield "controls.decimals", [x, digits], said


@field
def stories() -> Asked:
    """Check values between two states of an explorer, and that only the answer solves a task."""
    halfway = [(0, 8, "int", 4), (0, 5, "int", 3), (0, 5, "real", 2.5), (1, 10_000, "real", 100),
               (1, 9, "real", 5), (8, 64, "even", 64), (False, True, "bool", True)]  # fmt: skip
    for low, high, type_, between in halfway:
        yield "story.interpolate", [low, high, 0.5, type_], between
        yield "story.interpolate", [low, high, 1, type_], high
    for kind in ex.kinds():
        explorer = ex.of_kind(kind)
        for name, story in explorer.stories.items():
            start = explorer(story=name, **required_arguments(kind)).state()
            states = [state for _, state in story.states(start)]
            for state in states:
                yield f"{kind}.done.{name}", [state], ""
            answer = {**states[-1], **story.task.answer}
            yield f"{kind}.done.{name}", [answer], lambda said: 0 < len(said) <= 125


@field
def readings() -> Asked:
    """Check the text below the picture of every kind of explorer, ignoring bold type."""
    assert {kind for kind, *_ in READINGS} == set(ex.kinds())
    for kind, values, part in READINGS:

        def has(reading: str, part: str = part) -> bool:
            return part in " ".join(reading.replace("**", "").split())

        yield f"{kind}.scene.reading", [make_explorer(kind, **values).state()], has


@field
def share() -> Asked:
    """Check that links and Python calls restore an explorer's state, and invalid links do not."""
    for kind in ex.kinds():
        explorer, here = ex.of_kind(kind), f"explorer-{kind}"
        start, traits = explorer(**required_arguments(kind)).state(), explorer.about()["traits"]
        answer = next(iter(explorer.stories.values())).task.answer
        state = {**start, **answer}
        page = f"https://a.b/c.html?old=1#{here}"
        made = call("share.writeAddress", page, here, state, start, traits)
        changed = {name: one for name, one in answer.items() if one != start[name]}
        yield "share.readValues", [call("adapters.location", made), here, traits], changed
    traits = ex.OffsetExplorer.about()["traits"]
    # In older links, the offset was the key's position minus the query's.
    for query, offset in {
        "back=20": 20,
        "back=-7.5": -7.5,
        "offset=-20": 20,
        "offset=0": 0,
    }.items():
        there = call("adapters.location", f"https://a.b/c.html?{query}#here")
        yield "share.readValues", [there, "here", traits], {"offset": offset}
    traits = ex.HeatmapExplorer.about()["traits"]
    for query in ("positions=1e9", "dim=2.5", "position=", "position=NaN", "d_model=7", "x=1", "%",
                  "position=-1", "base=Infinity", "base=%3Cscript%3E", "__proto__=1"):  # fmt: skip
        there = call("adapters.location", f"https://a.b/c.html?{query}#here")
        yield "share.readValues", [there, "here", traits], {}
    for long in ({}, {"words": ["a long sentence"] * 50}):
        one = ex.BiasesExplorer(causal=False, query=5, **long)

        def the_same(said: str, one: Any = one, long: Any = long) -> bool:
            return eval(said, {"BiasesExplorer": ex.BiasesExplorer, **long}).state() == one.state()

        yield "share.writeCall", ["BiasesExplorer", one.state(), one._argument_names], the_same


@field
def distances() -> Asked:
    for heads in range(1, 17):
        yield "distances.slopes", [heads], alibi_slopes(heads)
    far = [-600, -128, -127, -91, -90, *range(-60, 61, 3), 90, 91, 127, 128, 599]
    for count, most, causal in product(range(4, 66, 6), (40, 48, 128, 512), BOTH):
        firsts = call("distances.borders", count if causal else count // 2, most)
        buckets = np.asarray(t5_buckets(far, count, most, not causal)).tolist()
        for k, bucket in zip(far, buckets, strict=True):
            yield "distances.bucket", [k, count, causal, firsts], bucket
    settings = [{"head": n} for n in (1, 3, 8)] + [{"scheme": "t5", "buckets": n} for n in (4, 32)]
    for state, causal, query in product(settings, BOTH, (0, 40, 67)):
        one = ex.BiasesExplorer(**state, causal=causal, query=query)
        weights = computed.weights(one)
        for k in range(-150, 151, 30 if query else 1):
            yield "biases.bias", [one.state(), k], float(computed.bias(one, k))
        yield "biases.weights", [one.state()], weights
        sums = np.cumsum(sorted(weights, reverse=True))
        yield "biases.nine", [weights], int(np.argmax(sums > 0.9 - 1e-12)) + 1


@field
def words() -> Asked:
    """Check the attention weights and outputs in the explorers attention and order."""
    vectors = [[k / 2, -k / 3] for k in range(5)]
    for scale, positions, backwards in product((1, 100), BOTH, BOTH):
        rows = [[scale * v for v in row] for row in vectors]
        at = range(4, -1, -1) if backwards else range(5)
        found = attended.mix_words(rows, at, positions)
        yield "attention.attend", [rows, positions, backwards], found
        dots = np.array(rows) @ rows[1]
        # the projections of all vectors onto the direction of the second row
        feet = np.outer(dots / dots[1], rows[1])
        yield "attention.drop", [rows, 1], {"dots": dots, "feet": feet}
    shuffled = [6, 3, 2, 0, 5, 1, 4]
    places = np.argsort(shuffled)
    for positions, causal in product(BOTH, BOTH):
        one = ex.OrderExplorer(order=shuffled, positions=positions, causal=causal)
        found = {name: attended.of(one)[name] for name in ("weights", "outputs")}
        by_word = {"weights": found["weights"][np.ix_(places, places)]}
        by_word |= {"outputs": found["outputs"][places]}
        yield "order.mix", [one.vectors, places, positions, causal], by_word
        changes = attended.changes(one)[places]
        yield "order.changes", [one.vectors, shuffled, positions, causal], changes
    one = ex.OrderExplorer()
    on_the_way = np.array([0, 1, 3.3, 2.1, 4, 5, 6])  # while a word moves, it is between two places
    found = attended.mix_words(one.vectors, on_the_way, True)
    yield "order.mix", [one.vectors, on_the_way, True, False], found
    keys = np.array(one.vectors)
    scores = [[math.fsum(q * k) / math.sqrt(8) for k in keys] for q in keys]
    yield "order.mix", [one.vectors, places, False, False], {"scores": scores}


@field
def machine_words() -> Asked:
    """Check attention between the words of the machine, and which rows match a position."""
    orders = [[*range(9)], [0, 5, 2, 3, 4, 1, 6, 7, 8], [8, 7, 6, 5, 4, 3, 2, 1, 0]]
    for order, with_clocks in product(orders, BOTH):
        outputs = machine.mixtures(machine.WORDS, order, with_clocks)
        yield "mixtures.mixtures", [machine.WORDS, order, with_clocks], outputs
        one = ex.MachineExplorer(order=order, clocks=with_clocks)
        much = machine.changes(one)
        yield "mixtures.mixtureChanges", [machine.WORDS, order, with_clocks], much
    for word in ("Dog", "dog", "größer", "🦬"):
        yield "mixtures.wordVector", [word], machine.word_vector(word)
    rows = encode(range(9), 16, base=100)
    for position, count, cosine in product(range(9), (1, 2, 8), BOTH):
        read = rows[:, : 2 * count : 1 if cosine else 2]
        fits = np.flatnonzero((abs(read - read[position]) < 0.25).all(axis=1))
        yield "mixtures.fittingPositions", [9, position, count, cosine], fits


@field
def machine_parts() -> Asked:
    """Check the numbers that the explorer `machine` computes for its later parts."""
    rows = encode(range(33), 16, base=100)
    for offset, count in product((0, 3, -6), (1, 4, 8)):
        dot = rows[8, : 2 * count] @ rows[8 - offset, : 2 * count]
        yield "scores.rowProduct", [offset, count], dot
    for t, k, count in [(5, 2, 4), (8, 8, 8), (0, 7, 1)]:
        yield "scores.rotatedScore", [t, k, count], machine.rotated_score(t, k, count)
    for t, slope in [(8, 0.25), (3, 1.0), (0, 0.5)]:
        yield "scores.biasedShares", [machine.WORDS, t, slope], machine.apply_bias(t, slope)
    for t, layer in product((0, 4, 8), range(4)):
        yield "scores.layerShares", [machine.WORDS, t, layer], machine.layer_shares(t, layer)
    for n, lead in [(9, 6), (404, 6), (10**6, 6)]:
        shares = machine.softmax(np.r_[lead, np.zeros(n - 1)])
        yield "scores.lengthShares", [n, False], {"sought": shares[0], "other": shares[-1]}
    scores = np.r_[6, np.zeros(999)] * math.log(1000) / math.log(9)
    yield "scores.lengthShares", [1000, True], {"sought": machine.softmax(scores)[0]}
    steps = [machine.train_table(step) for step in range(41)]
    yield (
        "scores.trainTable",
        [9],
        lambda found: np.allclose(
            [[*np.ravel(look["rows"]), *look["right"]] for look in found],
            [[*look["rows"].ravel(), *look["right"]] for look in steps],
        ),
    )
    for t, factor in [(8, 1), (32, 1), (32, 4), (17, 2), (40, 1)]:
        turns, seen = t / factor * frequencies(16, 100), 8 * frequencies(16, 100)
        new = (seen < math.tau) & (turns % math.tau > seen + 1e-9)
        yield (
            "scores.stretchedAngles",
            [t, factor, 9],
            [
                {"angle": angle, "isNew": bool(fresh)}
                for angle, fresh in zip(turns, new, strict=True)
            ],
        )


@field
def pairs() -> Asked:
    """Check the scores in the explorers offset and rotary, and the wavelengths in spectrum."""
    offsets = np.arange(-100, 101)
    for d, at in product((2, 8, 64), (100, 237.25)):
        for name in ("nothing", "rotation", "random"):
            one = ex.OffsetExplorer(d_model=d, between=name)
            yield "offset.scores", [at, name, d], angles.scores(one, at, offsets)
            state = {**one.state(), "position": at, "offset": -33.5}
            yield "offset.score", [state], angles.scores(one, at, -33.5)
    for vectors in ("ones", "random", "peak"):
        a, b = angles.make_vectors(vectors)
        q, k = a.view(float), b.view(float)
        yield "rotary.pair", [vectors], [q, k]
        turned = (call("rotary.rotate", *side) for side in [(q, 1016.5), (k, 1250)])
        yield "rotary.shares", [*turned], (a * b.conj() * angles.turns(-233.5)).real
        curve = angles.rotary(ex.RotaryExplorer(vectors=vectors), range(-250, 251))
        yield "rotary.curve", [q, k], curve
    widths = [2**n for n in range(1, 10)]
    for n, d, base in product((2, 7, 63, 2048, 100_000), widths, (2.0, 1e4, 1e6)):
        longer = sum(w > n for w in wavelengths(d, base).tolist())
        yield "spectrum.longer", [n, d, base], longer
    for d in widths:
        spread = np.linspace(0, d // 2 - 1, min(8, d // 2))
        yield "spectrum.chosen", [d], np.floor(spread + 0.5)


@field
def game() -> Asked:
    """Check the positions, the dashed hands and the points of the explorer game."""
    levels = ex.GameExplorer.class_traits()["level"].values
    for level, seed, rounds in product(levels, (1, 2, 9_999), (0, 3, 9)):
        one = ex.GameExplorer(level=level, seed=seed, rounds=rounds)
        at = played.position(one)
        yield "game.target", [one.state()], at
        for pair, angle in enumerate(played.compute_dashed_angles(one)):
            if level != "hidden":
                yield "game.dashed", [one.state(), pair], angle
        for off, points in [(0, 10), (1, 9), (10, 0), (400, 0)]:
            guess = at + off if at + off < 1_000 else at - off
            yield "game.points", [{**one.state(), "guess": guess}], points


@field
def clocks() -> Asked:
    """Check how clocks are decoded to positions, and the clocks of the binary counter."""
    settings = [(400, 11), (1000, 999), (77, 0), (10, 9)]
    for (n, t), (digits, cosines) in product(settings, [(1, False), (3, True), (6, False)]):
        state = {"positions": n, "position": t, "digits": digits, "cosines": cosines}
        for i in range(4):
            same = angles.find_same_digits(ex.PhaseExplorer(**state), i, cosines)
            yield "printed.agreeing", [i, t, n, digits, cosines], same
    for t, digits, off in [(137, 1, 0.0), (399, 6, 0.2), (300, 2, 0.1), (1, 1, 0.1)]:
        one = ex.PhaseExplorer(
            position=t, digits=digits, off=off, story="nearest", read=[0, 1, 2, 3]
        )
        led = [{"pair": i, "guess": at} for i, at in angles.guesses(one)]
        yield "printed.guesses", [one.state()], led
        yield "phase.candidates", [one.state()], angles.candidates(one)
    for t, read in product((0, 150, 777), ([0], [0, 1], [2], [0, 1, 2, 3])):
        one = ex.PhaseExplorer(story="find", positions=1000, position=t, read=read)
        yield "phase.candidates", [one.state()], angles.same_hours(one)
    places = [0, 0.25, 3, 7.4, 7.5, 9.3, 15]
    for roundness, place, b in product((0, 0.3, 1), places, range(4)):
        sine = math.sin(2 * math.pi * (place + 0.5) / 2 ** (b + 1))
        right = 0 if abs(sine) < 1e-12 else math.copysign(abs(sine) ** roundness, sine)
        yield "counter.shadow", [place, b, roundness], right
        yield "counter.digit", [place, b], int(f"{math.floor(place + 0.5):04b}"[3 - b])


@field
def context() -> Asked:
    score = scramble_numbers(128)
    methods = ("none", "interpolation", "ntk", "dynamic", "yarn")
    for method, factor in product(methods, (1, 4, 16)):
        one = ex.ContextExplorer(score=score.tolist(), method=method, factor=factor)
        offsets, scores = computed.scores(one)
        yield "context.scaled", [method, factor], computed.scale_frequencies(one)
        drawn = np.column_stack([offsets, scores])
        yield "context.scores", [score, method, factor], drawn
        yield "context.offsets", [factor], offsets, 0
        for length in (0, 2048, 2300):
            now = max(1.0, length / 2048) if method == "dynamic" else factor
            angles = length * computed.scale_frequencies(one, now)
            arcs = np.minimum(2 * np.pi, 2048 * frequencies(128))
            new = (arcs < math.tau) & (angles > arcs + 1e-9)
            turned = [{"angle": angle, "trainedAngle": seen, "isNew": bool(fresh)}
                      for angle, seen, fresh in zip(angles, arcs, new, strict=True)]  # fmt: skip
            yield "context.hands", [method, factor, length], turned


@field
def grid() -> Asked:
    for scheme in ("numbered", "axial", "rotary", "mixed", "coordinates"):
        scores = patches.scores(ex.GridExplorer(scheme=scheme))
        for r, c in [(0, 1), (1, 0), (-3, 5), (7, 7)]:
            yield "grid.score", [scheme, (6, 6), (6 + r, 6 + c)], scores[6, 6, 6 + r, 6 + c]


@field
def models() -> Asked:
    """Check which distances the layers of published models can see and distinguish."""
    for kind in layered.KINDS:
        for q in (0, 127, 1_024, 8_191, 8_192, 8_299):
            yield "layers.reach", [kind, q], layered.find_reach(kind, q)
        frequencies = kind["values"] if kind["scheme"] == "rotary" else []

        def falls(marks: Any, frequencies: Any = frequencies) -> bool:
            """Return whether each pair's score falls down to its marked minimum and then rises."""
            near = [(w, int(mark)) for w, mark in zip(frequencies, marks, strict=True)
                    if mark <= 10_000]  # fmt: skip
            steps = [np.diff(np.cos(w * np.arange(mark + 3))) for w, mark in near]
            return all((one[:-2] < 0).all() and one[-1] > 0 for one in steps)

        if kind["scheme"] == "rotary":
            yield "layers.marks", [kind], falls
    queries, back = (1, 300, 511, 8_191, 8_192, 100_000), (1, 11, 64, 90, 91, 127, 128, 5_000)
    for name, one in layers.MODELS.items():
        for q, k in [(q, q - n) for q in queries if q < one["length"] for n in back if n <= q]:
            for kind in one["kinds"].values():
                state, n = layered.verdict(kind, q, k)

                def check_verdict(found: Any, state: str = state, n: int = n) -> bool:
                    words = f"tells it: {n} of" if n else ("tells" if state == "tells" else "")
                    return bool(found[0] == state and found[1].startswith(words))

                yield "layers.verdict", [kind, q, k], check_verdict
            yield "layers.count", [one, q, k], dict(layered.count_verdicts(name, q, k))
    mistral = layers.MODELS["Mistral 7B v0.1"]
    for n, steps in [(4_095, 1), (4_096, 2), (8_190, 2), (8_191, 3)]:
        # One layer can pass information over at most 4,095 positions.
        yield "layers.steps", [mistral, 20_000, 20_000 - n], steps


@field
def network() -> Asked:
    """Check the sentence, the shuffled orders and the outputs of the network in `leak`."""
    yield "network.SENTENCE", [], untrained.SENTENCE
    for n, count in product(range(100), (6, 16)):
        yield "network.shuffled", [n, count], untrained.shuffle_positions(n, count).tolist()
    for order in ([0, 1, 2, 3, 4, 5], [1, 0, 2, 3, 4, 5]):
        one = ex.LeakExplorer(order=order, shuffle=7)
        yield "leak.standing", [{**one.state(), "order": order}], untrained.find_order(one).tolist()
    for choices in product(BOTH, (1, 3), BOTH):
        names = dict(zip(("causal", "layers", "encoded"), choices, strict=True))
        one = ex.LeakExplorer(shuffle=7, order=[1, 0, 2, 3, 4, 5], **names)
        standing = untrained.find_order(one)

        def check_layers(layers: Any, one: Any = one, order: Any = standing) -> bool:
            last = layers[-1]
            sums, changes = untrained.outputs(one, order), untrained.changes(one)
            return (
                len(layers) == one.layers
                and np.allclose(np.array(last["sums"])[order], sums)
                and np.allclose(np.array(last["change"])[order], changes)
                and np.allclose(np.sum(last["weights"], axis=1), 1)
            )

        yield "network.reading", [standing, *choices], check_layers


@field
def recordings() -> Asked:
    """Check that the page's scripts unpack the recordings of training runs correctly."""
    text = required_arguments("circuit")["text"]
    for state in ("trained", "untrained"):
        shares = attended.layers(ex.CircuitExplorer(text=text, trained=state == "trained"))
        for map_, share in zip(text[state]["maps"], shares, strict=True):
            yield "circuit.weights", [map_], share
    recording = required_arguments("training")["recording"]
    for run in recording["runs"]:
        for name, low in (("similarity", -1), ("attention", 0), ("plane", -run["reach"])):
            high = run["reach"] if name == "plane" else 1
            exact = low + (high - low) * unpack_numbers(run[name])
            yield "training.unpacked", [run[name], low, high], exact
        for map_ in maps(recording, run["scheme"], "attention")[::5]:
            back = int((map_.argmax(axis=1)[1:] == np.arange(15)).sum())
            yield "training.backwards", [map_.ravel(), 16], back


@field
def products() -> Asked:
    """Check a matrix product that the script computes in groups of four columns plus three columns.

    The product is written into the middle of a larger matrix.
    """
    rng = np.random.default_rng(4)
    out, a, b = (rng.standard_normal(shape) for shape in [(5, 9), (3, 5), (5, 7)])
    for add in BOTH:
        made = out.copy()
        made[1:4, 1:8] = add * made[1:4, 1:8] + a @ b
        yield "adapters.multiplied", [out, a, b, add], [*made.ravel(), *(a @ b).T.ravel()]


@field
def transformer() -> Asked:
    """Check that the script's Transformer has the loss, gradients and Adam steps of `pe_lib`."""
    task, shapes = tasks.previous(), cycle([(4, 8, 1), (3, 7, 2), (2, 16, 2)])
    for seed, (scheme, causal) in enumerate(product(("none", "sinusoidal", "learned"), BOTH)):
        batch, length, deep = next(shapes)
        settings: dict[str, Any] = {"causal": causal, "layers": deep}
        model = Transformer(
            task.vocabulary, task.classes, scheme, max_length=16, dtype=np.float64, **settings
        )
        rng = np.random.default_rng(seed)
        # parameters that are zero would hide errors in their gradients
        for value in model.parameters.values():
            value += 0.1 * rng.standard_normal(value.shape)
        tokens, targets = task(rng, batch, length)
        loss, gradients = model.loss_and_gradients(tokens, targets)
        settings |= {"vocabulary": task.vocabulary, "classes": task.classes, "scheme": scheme}
        weights = {name: value.flatten() for name, value in model.parameters.items()}
        flat = {"tokens": tokens.ravel(), "targets": targets.ravel(), "weights": weights}
        asked = {"settings": settings | {"maxLength": 16}, "shape": [batch, length], **flat}
        found = {"loss": loss, "logits": model(tokens), "attention": model.attention(tokens)}
        for name, value in model.parameters.items():
            moments = np.zeros_like(value), np.zeros_like(value)
            for step in (1, 2):
                adam(value, gradients[name], *moments, step, 3e-3)
        found |= {"gradients": gradients, "values": model.parameters}
        yield "adapters.stepped", [asked], found


@field
def training() -> Asked:
    """Check the batches of a training run, and the snapshots taken before and during the run."""

    def the_word_before(found: Any) -> bool:
        tokens, targets = (np.reshape(found[name], (400, 7)) for name in ("tokens", "targets"))
        often = np.bincount(tokens.ravel(), minlength=8).min() > 0.8 * 350
        return often and (targets[:, 1:] == tokens[:, :-1]).all() and (targets[:, 0] == -1).all()

    yield "adapters.batch", [400, 7], the_word_before

    def sinusoids(found: Any) -> bool:
        rows = encode(range(8), 32) / 4  # dividing by 4 makes the length of each row 1
        maps = [np.reshape(one["attention"], (8, 8)) for one in found]
        return (
            np.allclose(found[1]["similarity"], (rows @ rows.T).ravel())
            and np.allclose(found[1]["rows"], encode(range(48), 32)[:, :2])
            and all(np.allclose(map_.sum(axis=1), 1) for map_ in maps)
            and np.allclose([np.triu(map_, 1).max() for map_ in maps], 0)
            and [len(found[1][name]) for name in ("losses", "far")] == [4, 47]
            and abs(found[0]["right"] - 1 / 8) < 0.1
        )

    settings = {"scheme": "sinusoidal", "length": 8, "causal": True, "seed": 0}
    yield "adapters.looks", [settings, 1], sinusoids

    def check_moved(found: Any) -> bool:
        """Return whether the loss fell and only rows for positions in the texts changed."""
        changed = np.ptp([one["rows"] for one in found], axis=0).max(axis=1) > 0
        losses = [np.mean(one["losses"]) for one in found[1:]]
        return changed.tolist() == [True] * 8 + [False] * 40 and losses[-1] < losses[0] < 3

    yield "adapters.looks", [settings | {"scheme": "learned"}, 3], check_moved
