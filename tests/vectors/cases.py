"""What the page's scripts are asked, and what pe_lib or an independent way says to it.

Each function yields the calls of one field: a script's function by its name or a method of an
explorer, so that one oracle judges both languages; the arguments; and what is expected: numbers
(to within 1e-9 or what stands behind), words (equal), or a function that judges what was found.
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
from pe_lib.course.attention import attention
from pe_lib.course.explorers import layers, leak, offset
from pe_lib.course.explorers._bundle import HERE, scene
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.training import adam
from tests import angles, computed, layered, patches
from tests.recorded import given, maps, packed

ADAPTERS = Path(__file__).with_name("adapters.mjs")
BOTH = (False, True)

Asked = Iterator[tuple[Any, ...]]
Field = Callable[[], Asked]
FIELDS: list[Field] = []


def field(cases: Field) -> Field:
    FIELDS.append(cases)
    return cases


def place(name: str) -> list[str]:
    """The address of a module and the name in it: "share.found" or "heatmap.done.main"."""
    module, function = name.split(".", 1)
    if module == "adapters":
        return [ADAPTERS.as_uri(), function]
    found = [path for path in (scene(module), *HERE.rglob(f"{module}.mjs")) if path.exists()]
    return [found[0].as_uri(), function]


def call(name: str, *args: Any) -> dict[str, Any]:
    """An argument that the script finds itself."""
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
    for scale, causal in product((1.0, 100.0), BOTH):
        q, k, v = scale * np.random.default_rng(0).standard_normal((3, 7, 8))
        yield "maths.attention", [q, k, v, causal], attention(q, k, v, causal=causal)


@field
def drawing() -> Asked:
    """Numbers as people write them."""
    for x, digits, said in [(-0.57114, 4, "−0.5711"), (-1e-5, 4, "0.0000")]:
        yield "controls.decimals", [x, digits], said


@field
def stories() -> Asked:
    """What lies between two states; a task is done in its answer and in no step before."""
    halfway = [(0, 8, "int", 4), (0, 5, "int", 3), (0, 5, "real", 2.5), (1, 10_000, "real", 100),
               (1, 9, "real", 5), (8, 64, "even", 64), (False, True, "bool", True)]  # fmt: skip
    for start, end, type_, between in halfway:
        yield "story.between", [start, end, 0.5, type_], between
        yield "story.between", [start, end, 1, type_], end
    for kind in ex.kinds():
        explorer = ex.of_kind(kind)
        for name, story in explorer.stories.items():
            start = explorer(story=name, **given(kind)).state()
            states = [state for _, state in story.states(start)]
            for state in states:
                yield f"{kind}.done.{name}", [state], ""
            answer = {**states[-1], **story.task.answer}
            yield f"{kind}.done.{name}", [answer], lambda said: 0 < len(said) <= 125


@field
def share() -> Asked:
    """An address and a call bring back what they were made from; nonsense brings nothing."""
    for kind in ex.kinds():
        explorer, here = ex.of_kind(kind), f"explorer-{kind}"
        start, traits = explorer(**given(kind)).state(), explorer.about()["traits"]
        answer = next(iter(explorer.stories.values())).task.answer
        state = {**start, **answer}
        made = call("share.address", f"https://a.b/c.html?old=1#{here}", here, state, start)
        changed = {name: one for name, one in answer.items() if one != start[name]}
        yield "share.found", [call("adapters.location", made), here, traits], changed
    traits = ex.HeatmapExplorer.about()["traits"]
    for query in ("positions=1e9", "dim=2.5", "position=", "position=NaN", "d_model=7", "x=1", "%",
                  "position=-1", "base=Infinity", "base=%3Cscript%3E", "__proto__=1"):  # fmt: skip
        there = call("adapters.location", f"https://a.b/c.html?{query}#here")
        yield "share.found", [there, "here", traits], {}
    for long in ({}, {"words": ["a long sentence"] * 10}):
        one = ex.HandsExplorer(playing=True, position=5.5, **long)

        def the_same(said: str, one: Any = one, long: Any = long) -> bool:
            return eval(said, {"HandsExplorer": ex.HandsExplorer, **long}).state() == one.state()

        yield "share.call", ["HandsExplorer", one.state(), one._given], the_same


@field
def distances() -> Asked:
    for heads in range(1, 17):
        yield "distances.slopes", [heads], alibi_slopes(heads)
    far = [-600, -128, -127, -91, -90, *range(-60, 61, 3), 90, 91, 127, 128, 599]
    for count, most, causal in product(range(4, 66, 6), (40, 48, 128, 512), BOTH):
        firsts = call("distances.borders", count if causal else count // 2, most)
        for k, bucket in zip(far, t5_buckets(far, count, most, not causal).tolist(), strict=True):
            yield "distances.bucket", [k, count, causal, firsts], bucket
    offsets = np.arange(-150, 151)
    settings = [{"heads": n, "head": h} for n, h in [(1, 1), (3, 3), (12, 10)]]
    settings += [{"scheme": "t5", "buckets": n, "max_distance": m} for n, m in [(4, 40), (32, 128)]]
    for state, causal, query in product(settings, BOTH, (0, 40, 67)):
        one = ex.BiasesExplorer(**state, causal=causal, query=query)
        weights = computed.weights(one)
        yield "biases.biases", [one.state(), offsets], computed.bias(one, offsets)
        yield "biases.weights", [one.state()], weights
        sums = np.cumsum(sorted(weights, reverse=True))
        yield "biases.nine", [weights], int(np.argmax(sums > 0.9 - 1e-12)) + 1


@field
def words() -> Asked:
    """Attention among a few words, and words that change places."""

    def attended(vectors: Any, at: Any, positions: bool, causal: bool = False) -> Any:
        """Rows as they are read, their weights and their outputs."""
        rows = np.array(vectors) + positions * encode(at, len(vectors[0]))
        weights = attention(rows, rows, np.eye(len(rows)), causal=causal)
        return {"inputs": rows, "weights": weights, "outputs": weights @ rows}

    vectors = [[k / 2, -k / 3] for k in range(5)]
    for positions, backwards in product(BOTH, BOTH):
        state = {"positions": positions, "backwards": backwards}
        one = ex.AttentionExplorer(words=[*"abcde"], vectors=vectors, **state)
        found = attended(vectors, range(4, -1, -1) if backwards else range(5), positions)
        yield "attention.attend", [vectors, positions, backwards], found
        yield one.outputs, [], found["outputs"]
    shuffled = [6, 3, 2, 0, 5, 1, 4]
    places = np.argsort(shuffled)
    for positions, causal, pooled in product(BOTH, BOTH, BOTH):
        one = ex.OrderExplorer(order=shuffled, positions=positions, causal=causal, pooled=pooled)
        before = attended(one.vectors, range(7), positions, causal)["outputs"][shuffled]
        after = attended(np.array(one.vectors)[shuffled], range(7), positions, causal)
        change = after["outputs"] - before
        changes = np.abs(change.mean(axis=0, keepdims=True) if pooled else change).max(axis=1)
        yield "order.changes", [one.vectors, shuffled, positions, causal, pooled], changes
        yield one.changes, [], changes
        mixed = {"outputs": after["outputs"][places]}
        yield "order.mixed", [one.vectors, places, positions, causal], mixed
    one = ex.OrderExplorer()
    on_the_way = np.array([0, 1, 3.3, 2.1, 4, 5, 6])  # each has the clocks of where it is
    mixed = {"outputs": attended(one.vectors, on_the_way, True)["outputs"]}
    yield "order.mixed", [one.vectors, on_the_way, True, False], mixed
    rows, permutation = np.array(one.vectors), np.eye(7)[shuffled]
    scores = [[math.fsum(q * k) / math.sqrt(8) for k in rows] for q in rows]
    yield "order.scored", [one.vectors, places, False], scores
    masked = ex.OrderExplorer(order=shuffled, causal=True)
    hidden = np.where(np.tri(7) > 0, permutation @ scores @ permutation.T, -np.inf)
    yield masked.scores, [], hidden
    yield "order.seen", [shuffled, 2, True], [6, 3, 2]


@field
def pairs() -> Asked:
    """Chord, offset, rotary and spectrum: hands, and the scores that they make."""
    for pair, k in product(range(8), (0, 0.5, 1, 7, 20)):
        here, there = encode([3, 3 + k], 16).reshape(2, 8, 2)[:, pair]
        yield "chord.chord", [pair, k], np.hypot(*(there - here))
    offsets = np.arange(-100, 101)
    for (d, base), at in product([(8, 100.0), (64, 1e6)], (100, 237.25)):
        for name in ("nothing", "rotation", "random"):
            one = ex.OffsetExplorer(d_model=d, base=base, between=name)
            yield "offset.scores", [at, name, d, base], angles.scores(one, at, offsets)
            state = {**one.state(), "position": at, "offset": -33.5}
            yield "offset.score", [state], angles.scores(one, at, -33.5)
    for vectors in ("ones", "random", "peak"):
        a, b = angles.unturned(vectors)
        q, k = a.view(float), b.view(float)
        yield "rotary.pair", [vectors], [q, k]
        turned = (call("rotary.rotate", *side) for side in [(q, 1016.5), (k, 1250)])
        yield "rotary.shares", [*turned], (a * b.conj() * angles.turns(-233.5)).real
        curve = angles.rotary(ex.RotaryExplorer(vectors=vectors), range(-250, 251))
        yield "rotary.curve", [q, k], curve
    widths = [2**n for n in range(1, 10)]
    for n, d, b in product((2, 7, 63, 2048, 100_000), widths, (2.0, 1e4, 1e6)):
        yield "spectrum.longer", [n, d, b], sum(w > n for w in wavelengths(d, b).tolist())
    for d in widths:
        spread = np.linspace(0, d // 2 - 1, min(8, d // 2))
        yield "spectrum.chosen", [d], np.floor(spread + 0.5)


@field
def clocks() -> Asked:
    """Reading positions off clocks, and counting on them."""
    settings = [(8, 400, 11), (2, 1000, 999), (12, 77, 0), (4, 10, 9)]
    for (d, n, t), (digits, cosines) in product(settings, [(1, False), (3, True), (6, False)]):
        state = {"d_model": d, "positions": n, "position": t, "digits": digits, "cosines": cosines}
        for i in range(d // 2):
            same = angles.alike(ex.PhaseExplorer(**state), i, cosines)
            yield "printed.agreeing", [i, t, n, d, digits, cosines], same
    for t, d, digits, off in [
        (137, 8, 1, 0.0),
        (399, 8, 6, 0.2),
        (300, 12, 2, 0.1),
        (1, 8, 1, 0.1),
    ]:
        state = {"d_model": d, "position": t, "digits": digits, "off": off, "story": "nearest"}
        one = ex.PhaseExplorer(**state, read=[*range(d // 2)])
        led = [{"pair": i, "guess": at} for i, at in angles.guesses(one)]
        yield "printed.guesses", [one.state()], led
        yield "phase.candidates", [one.state()], angles.candidates(one)
    places = [0, 0.25, 3, 7.4, 7.5, 9.3, 15]
    for roundness, t, b in product((0, 0.3, 1), places, range(4)):
        sine = math.sin(2 * math.pi * (t + 0.5) / 2 ** (b + 1))
        right = 0 if abs(sine) < 1e-12 else math.copysign(abs(sine) ** roundness, sine)
        yield "counter.shadow", [t, b, roundness], right
        yield "counter.digit", [t, b], int(f"{math.floor(t + 0.5):04b}"[3 - b])


@field
def context() -> Asked:
    score = offset.scrambled(128)
    methods = ("none", "interpolation", "ntk", "dynamic", "yarn")
    for method, factor in product(methods, (1, 3.75, 16)):
        one = ex.ContextExplorer(score=score.tolist(), method=method, factor=factor)
        offsets, scores = computed.scores(one)
        yield "context.scaled", [method, factor], computed.scaled(one)
        yield "context.scores", [score, method, factor], scores
        yield "context.offsets", [factor], offsets, 0
        for length in (0, 2048, 2300):
            now = max(1.0, length / 2048) if method == "dynamic" else factor
            angles = length * computed.scaled(one, now)
            arcs = np.minimum(2 * np.pi, 2048 * frequencies(128))
            new = (arcs < math.tau) & (angles > arcs + 1e-9)
            turned = [{"angle": angle, "seen": seen, "fresh": bool(fresh)}
                      for angle, seen, fresh in zip(angles, arcs, new, strict=True)]  # fmt: skip
            yield "context.hands", [method, factor, length], turned


@field
def grid() -> Asked:
    every = ("numbered", "axial", "rotary", "mixed", "coordinates")
    for scheme, base in product(every, (2.0, 1e6)):
        scores = patches.scores(ex.GridExplorer(scheme=scheme, base=base))
        for r, c in [(0, 1), (1, 0), (-3, 5), (7, 7)]:
            asked = [call("grid.vectors", scheme, base), 90, 90 + 14 * r + c]
            yield "grid.score", asked, scores[6, 6, 6 + r, 6 + c]


@field
def models() -> Asked:
    """What layers see and tell; and the questions of the chooser."""
    for kind in layered.KINDS:
        for q in (0, 127, 1_024, 8_191, 8_192, 8_299):
            yield "layers.reach", [kind, q], layered.seen(kind, q)
        frequencies = kind["values"] if kind["scheme"] == "rotary" else []

        def falls(marks: Any, frequencies: Any = frequencies) -> bool:
            """A pair's score falls at every step up to its mark, and no further."""
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

                def judged(found: Any, state: str = state, n: int = n) -> bool:
                    words = f"tells it: {n} of" if n else ("tells" if state == "tells" else "")
                    return bool(found[0] == state and found[1].startswith(words))

                yield "layers.verdict", [kind, q, k], judged
            yield "layers.count", [one, q, k], dict(layered.counted(name, q, k))
    mistral = layers.MODELS["Mistral 7B v0.1"]
    for n, steps in [(4_095, 1), (4_096, 2), (8_190, 2), (8_191, 3)]:
        yield "layers.steps", [mistral, 20_000, 20_000 - n], steps  # each hands on 4,095 further
    table = ex.ChooserExplorer.about()["table"]
    paths: list[tuple[list[str], str]] = [([], table["first"])]
    for answers, at in paths:  # each leads to the next
        for one in table["questions"].get(at, {"answers": []})["answers"]:
            paths.append(([*answers, one["answer"]], one["to"]))
    for answers, at in paths:
        below = [end for path, end in paths if path[: len(answers)] == answers]
        left = {scheme for end in below if end in table["advice"]
                for scheme in table["advice"][end]["schemes"]}  # fmt: skip
        yield "chooser.follow", [table, answers], {"at": at}
        yield "chooser.possible", [table, at], lambda found, left=left: set(found) == left
    for wrong in (["maybe"], ["yes", "no"], [1]):
        yield "chooser.follow", [table, wrong], None


@field
def network() -> Asked:
    """The untrained network."""
    yield "network.sequences", [], leak.sequences()
    for n in range(100):
        yield "network.shuffled", [n], leak.shuffled(n).tolist()
        yield "network.shuffled", [n, 6], leak.shuffled(n, 6).tolist()
    for letters, moved in [(6, [1, 0]), (6, [0, 1, 2, 3, 4, 6, 5]), (16, [1, 0])]:
        order = [*moved, *range(len(moved), 16)]
        one = ex.LeakExplorer(letters=letters, order=order, shuffle=7)
        base = leak.shuffled(7, 6 if len(moved) < letters == 6 else 16)
        yield "network.standing", [one.state()], [int(base[k]) for k in order[: len(base)]]
        yield one.standing, [], [int(base[k]) for k in order[: len(base)]]
    for causal, deep, encoded in product(BOTH, (1, 3), BOTH):
        one = ex.LeakExplorer(causal=causal, layers=deep, encoded=encoded, shuffle=7)
        yield "network.variances", [causal, deep, encoded], one.variances()
        yield "network.probe", [one.variances()], one.probe()
        order = one.standing()
        yield "network.changes", [causal, deep, encoded, order], one.changes()


@field
def recordings() -> Asked:
    """What was trained once, unpacked."""
    text = given("circuit")["text"]
    for state in ("trained", "untrained"):
        shares = ex.CircuitExplorer(text=text, trained=state == "trained").weights()
        for map_, share in zip(text[state]["maps"], shares, strict=True):
            yield "circuit.weights", [map_], share
    recording = given("schemes")["recording"]
    for task, causal, deep in product(("previous", "order", "counting"), BOTH, (1, 2)):
        one = ex.SchemesExplorer(recording=recording, task=task, causal=causal, layers=deep)
        rows = [[name, shares.T.tolist()] for name, shares in computed.chosen(one).items()]
        yield "schemes.chosen", [recording, task, causal, deep], rows
    recording = given("training")["recording"]
    for run in recording["runs"]:
        for name, low in (("similarity", -1), ("attention", 0), ("plane", -run["reach"])):
            high = run["reach"] if name == "plane" else 1
            yield (
                "training.unpacked",
                [run[name], low, high],
                low + (high - low) * packed(run[name]),
            )
        for map_ in maps(recording, run["scheme"], "attention")[::5]:
            back = int((map_.argmax(axis=1)[1:] == np.arange(15)).sum())
            yield "training.backwards", [map_.ravel(), 16], back


@field
def products() -> Asked:
    """Four columns at a time, with three left; into the middle of a larger matrix."""
    rng = np.random.default_rng(4)
    out, a, b = (rng.standard_normal(shape) for shape in [(5, 9), (3, 5), (5, 7)])
    for add in BOTH:
        made = out.copy()
        made[1:4, 1:8] = add * made[1:4, 1:8] + a @ b
        yield "adapters.multiplied", [out, a, b, add], [*made.ravel(), *(a @ b).T.ravel()]


@field
def transformer() -> Asked:
    """Loss, gradients and two steps of Adam, with and without positions and mask."""
    task, shapes = tasks.previous(), cycle([(4, 8, 1), (3, 7, 2), (2, 16, 2)])
    for seed, (scheme, causal) in enumerate(product(("none", "sinusoidal", "learned"), BOTH)):
        batch, length, deep = next(shapes)
        settings = {"causal": causal, "layers": deep}
        model = Transformer(
            task.vocabulary, task.classes, scheme, max_length=16, dtype=np.float64, **settings
        )
        rng = np.random.default_rng(seed)
        for value in model.parameters.values():  # zeros would hide what they multiply
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
    """What is asked, and what is seen of a table before it is trained and while it is."""

    def the_word_before(found: Any) -> bool:
        tokens, targets = (np.reshape(found[name], (400, 7)) for name in ("tokens", "targets"))
        often = np.bincount(tokens.ravel(), minlength=8).min() > 0.8 * 350
        return often and (targets[:, 1:] == tokens[:, :-1]).all() and (targets[:, 0] == -1).all()

    yield "adapters.batch", [400, 7], the_word_before

    def sinusoids(found: Any) -> bool:
        rows = encode(range(8), 32) / 4  # 16 pairs of length 1
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

    def moved(found: Any) -> bool:
        """The rows that texts reach, and no others; and it learns."""
        changed = np.ptp([one["rows"] for one in found], axis=0).max(axis=1) > 0
        losses = [np.mean(one["losses"]) for one in found[1:]]
        return changed.tolist() == [True] * 8 + [False] * 40 and losses[-1] < losses[0] < 3

    yield "adapters.looks", [settings | {"scheme": "learned"}, 3], moved
