"""Explorers: their JavaScript mathematics is pe_lib's, their bundles load, their state is whole."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import traitlets

from pe_lib import encode, frequencies
from pe_lib.course import explorers, figures
from pe_lib.course.explorers import HeatmapExplorer
from pe_lib.course.explorers._base import MIME
from pe_lib.course.explorers._bundle import HERE
from pe_lib.course.explorers._story import LONGEST
from tests.recorded import given

SETTINGS = [
    (positions, d_model, base)
    for positions in (2, 64, 512)
    for d_model in (2, 8, 20, 64, 512)
    for base in (2.0, 100.0, 10_000.0, 1e6)
]


def node(code: str) -> Any:
    """The JSON that an ES module prints."""
    program = shutil.which("node")
    assert program, (
        "node is missing; requirements.txt brings it: run through make, or activate .venv"
    )
    # a module alone lacks what a bundle puts before it
    alone = ["--import", "data:text/javascript,globalThis.ABOUT = {}"]
    command = [program, *alone, "--input-type=module", "--eval", code]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def from_module(name: str, expression: str) -> Any:
    url = (HERE / f"{name}.mjs").as_uri()
    return node(f"import * as m from {url!r}; console.log(JSON.stringify({expression}));")


def test_javascript_table_equals_encode() -> None:
    tables = from_module(
        "maths", f"{json.dumps(SETTINGS)}.map(([n, d, b]) => Array.from(m.encodeTable(n, d, b)))"
    )
    for (positions, d_model, base), table in zip(SETTINGS, tables, strict=True):
        expected = encode(range(positions), d_model, base)
        np.testing.assert_allclose(
            np.reshape(table, expected.shape), expected, rtol=0, atol=1e-9,
            err_msg=f"positions {positions}, d_model {d_model}, base {base}",
        )  # fmt: skip


def test_javascript_entry_and_frequency_equal_pe_lib() -> None:
    cells = [(p, j, d, b) for p, d, b in SETTINGS for j in (0, 1, d // 2, d - 1)]
    entries = from_module("maths", f"{json.dumps(cells)}.map((c) => m.entry(...c))")
    expected = [encode(p, d, b)[j] for p, j, d, b in cells]
    np.testing.assert_allclose(entries, expected, rtol=0, atol=1e-9)

    pairs = [(j // 2, d, b) for _, j, d, b in cells]
    omegas = from_module("maths", f"{json.dumps(pairs)}.map((c) => m.frequency(...c))")
    np.testing.assert_allclose(omegas, [frequencies(d, b)[i] for i, d, b in pairs], rtol=1e-12)


def test_javascript_colours_equal_the_figures() -> None:
    assert tuple(from_module("draw", "m.DIVERGING")) == figures.DIVERGING
    packed = np.array(from_module("draw", "Array.from(m.TIDE)"), dtype=np.uint32)
    drawn = packed.view(np.uint8).reshape(256, 4).astype(int)  # little-endian: r, g, b, alpha
    expected = np.round(figures.TIDE(range(256)) * 255).astype(int)
    assert np.abs(drawn - expected).max() <= 1


def test_javascript_chooses_the_ink_that_the_figures_choose() -> None:
    values = np.linspace(-1, 1, 401).round(3).tolist()
    dark = from_module("draw", f"{values}.map(m.dark)")
    chosen = [figures.ink_on(value) == "#fefefe" for value in values]
    assert sum(a != b for a, b in zip(dark, chosen, strict=True)) <= 2  # a step of the colour map
    assert dark[0] and dark[-1] and not dark[200]


def test_values_are_painted_over_the_whole_colour_map() -> None:
    paint = "((pixels) => (m.paint([-1, 0, 1], pixels), Array.from(pixels)))(new Uint32Array(3))"
    assert from_module("draw", f"{paint}.map((c) => m.TIDE.indexOf(c))") == [0, 128, 255]


@pytest.mark.parametrize(
    ("count", "most", "expected"),
    [(8, 10, list(range(8))), (64, 10, [0, 10, 20, 30, 40, 50, 60]), (512, 4, [0, 200, 400])],
)
def test_ticks_are_round_and_few(count: int, most: int, expected: list[int]) -> None:
    assert from_module("draw", f"m.ticks({count}, {most})") == expected


@pytest.mark.parametrize(
    ("x", "expected"), [(-0.57114, "−0.5711"), (-0.00001, "0.0000"), (1, "1.0000")]
)
def test_numbers_have_a_true_minus_and_no_negative_zero(x: float, expected: str) -> None:
    assert from_module("controls", f"m.decimals({x})") == expected


@pytest.mark.parametrize("kind", explorers.kinds())
def test_a_bundle_is_one_module_with_one_default_export(kind: str, tmp_path: Path) -> None:
    source = explorers.bundle(kind)
    assert not re.search(r"^\s*import\b", source, re.MULTILINE)
    assert len(re.findall(r"^export ", source, re.MULTILINE)) == 1
    module = tmp_path / "bundle.mjs"
    module.write_text(source, encoding="utf-8")
    url = module.as_uri()
    assert node(f"import x from {url!r}; console.log(JSON.stringify(typeof x.render));") == (
        "function"
    )


def test_every_explorer_is_listed() -> None:
    subclasses = {cls.kind for cls in vars(explorers).values() if hasattr(cls, "kind")}
    assert sorted(subclasses) == explorers.kinds()


def test_an_output_holds_state_picture_and_sentence() -> None:
    explorer = HeatmapExplorer(d_model=8, positions=10, position=5, dim=1)
    bundle = explorer._repr_mimebundle_()
    assert bundle is not None
    data, _ = bundle
    assert data[MIME]["kind"] == "heatmap"
    assert data[MIME]["state"] == {
        "d_model": 8, "base": 10_000.0, "positions": 10, "position": 5, "dim": 1,
        "story": next(iter(HeatmapExplorer.stories), ""),
    }  # fmt: skip
    assert "the value 0.2837" in data[MIME]["caption"]  # cos 5
    assert data["image/svg+xml"].startswith("<svg")
    assert data["text/plain"].startswith("HeatmapExplorer(base=10000.0, d_model=8, dim=1")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"d_model": 7}, "d_model must be even"),
        ({"d_model": 514}, "d_model"),
        ({"base": 1.0}, "base must be above 1"),
        ({"positions": 1}, "positions"),
        ({"positions": 10, "position": 10}, "position must be below positions = 10, got 10"),
        ({"d_model": 8, "dim": 8}, "dim must be below d_model = 8, got 8"),
        ({"dim": -1}, "dim"),
    ],
)
def test_settings_outside_are_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        HeatmapExplorer(**given)


def test_the_chosen_cell_stays_in_a_table_that_shrinks() -> None:
    explorer = HeatmapExplorer(d_model=64, position=60, dim=60)
    explorer.d_model, explorer.positions = 8, 10
    assert (explorer.position, explorer.dim) == (9, 7)
    assert HeatmapExplorer(positions=3).position == 2


def told_stories() -> list[Any]:
    classes = [explorers.of_kind(kind) for kind in explorers.kinds()]
    return [pytest.param(c, name, id=f"{c.kind}-{name}") for c in classes for name in c.stories]


@pytest.mark.parametrize(("explorer", "name"), told_stories())
def test_a_task_is_done_in_its_answer_alone(explorer: Any, name: str) -> None:
    """And every state of the story is one that the class allows."""
    story, start = explorer.stories[name], explorer(story=name, **given(explorer.kind)).state()
    states = [state for _, state in story.states(start)]
    for state in states:
        explorer(**state)
    answer = explorer(**{**states[-1], **story.task.answer}).state()
    # what is recorded is long, and given once
    changes = [{k: v for k, v in one.items() if v != start[k]} for one in (*states, answer)]
    call = f"m.done[{name!r}]({{ ...start, ...one }})"
    done = from_module(
        explorer.kind,
        f"((start) => {json.dumps(changes)}.map((one) => {call}))({json.dumps(start)})",
    )
    assert done[:-1] == [""] * len(states)
    assert done[-1] != "" and len(done[-1]) <= LONGEST


@pytest.mark.parametrize(("explorer", "name"), told_stories())
def test_what_is_ringed_is_a_part_of_the_scene(explorer: Any, name: str) -> None:
    source = (HERE / f"{explorer.kind}.mjs").read_text("utf-8")
    for step in explorer.stories[name].steps:
        assert not step.look or re.search(rf"\b{step.look}\b", source.split("parts:")[1])


@pytest.mark.parametrize(
    ("a", "b", "s", "type_", "expected"),
    [
        (0, 8, 0.5, "int", 4), (0, 5, 0.5, "int", 3), (0, 5, 0.5, "real", 2.5),
        (1, 10_000, 0.5, "real", 100), (1, 9, 0.5, "real", 5), (8, 64, 0.1, "even", 64),
        (False, True, 0, "bool", True), (3, 7, 1, "int", 7),
    ],
)  # fmt: skip
def test_what_lies_between_two_states(a: Any, b: Any, s: float, type_: str, expected: Any) -> None:
    found = from_module("story", f"m.between(...{json.dumps([a, b, s, type_])})")
    assert found == pytest.approx(expected)


def test_an_address_brings_back_what_it_was_made_from() -> None:
    traits = HeatmapExplorer.about()["traits"]
    state = {**HeatmapExplorer().state(), "position": 11, "base": 123.5}
    start = HeatmapExplorer().state()
    made = from_module(
        "share",
        f"m.address('https://a.b/c.html?old=1#x', 'explorer-heatmap', {json.dumps(state)},"
        f" {json.dumps(start)})",
    )
    assert made == "https://a.b/c.html?base=123.5&position=11#explorer-heatmap"
    read = f"((u) => m.found(u, 'explorer-heatmap', {json.dumps(traits)}))(new URL({made!r}))"
    assert from_module("share", read) == {"position": 11, "base": 123.5}


@pytest.mark.parametrize(
    "query",
    ["positions=1e9", "dim=2.5", "position=", "position=NaN", "d_model=7", "nothing=1", "%",
     "position=-1", "base=Infinity", "base=%3Cscript%3E", "__proto__=1", "constructor=1"],
)  # fmt: skip
def test_an_address_that_means_nothing_changes_nothing(query: str) -> None:
    traits = json.dumps(HeatmapExplorer.about()["traits"])
    url = f"new URL('https://a.b/c.html?{query}#explorer-heatmap')"
    assert from_module("share", f"m.found({url}, 'explorer-heatmap', {traits})") == {}


def test_the_call_makes_the_same_explorer() -> None:
    explorer = explorers.HandsExplorer(position=5.5, words=["one", "two’s"] * 4, playing=True)
    state, given = json.dumps(explorer.state()), explorer._given
    made = from_module("share", f"m.call('HandsExplorer', {state}, {given})")
    again = eval(made, {"HandsExplorer": explorers.HandsExplorer})
    assert again.state() == explorer.state()


@pytest.mark.parametrize("given", [{}, {"words": ["a long sentence"] * 10}])
def test_the_call_names_what_is_long_if_it_was_given(given: dict[str, Any]) -> None:
    explorer = explorers.HandsExplorer(**given)
    state = json.dumps(explorer.state())
    made = from_module("share", f"m.call('HandsExplorer', {state}, {explorer._given})")
    again = eval(made, {"HandsExplorer": explorers.HandsExplorer, **given})
    assert again.state() == explorer.state()


def test_every_block_of_the_style_is_closed() -> None:
    """A brace too many or too few, and a browser silently drops what follows."""
    style = re.sub(r"/\*.*?\*/", "", explorers.stylesheet(), flags=re.DOTALL)
    depth = np.cumsum([{"{": 1, "}": -1}.get(letter, 0) for letter in style])
    assert depth.min() == depth[-1] == 0 and depth.max() == 2


@pytest.mark.parametrize(
    "own",
    [
        explorers.OrderExplorer(words=["one", "two", "three"]),
        explorers.MaskExplorer(words=["one", "two", "three"]),
        explorers.BiasesExplorer(words=["one", "two", "three"] * 20),
        explorers.AttentionExplorer(words=["one", "two"], vectors=[[1, 0], [0, 1]], chosen=0),
        explorers.CircuitExplorer(),
    ],
)
def test_a_story_is_not_told_of_what_it_does_not_know(own: explorers.Explorer) -> None:
    assert own.story == "" and own.stories
