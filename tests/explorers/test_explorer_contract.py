"""Test that every kind of explorer rejects invalid values, and outputs its state and a picture."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import traitlets

from pe_lib.course import explorers as ex
from pe_lib.course.explorers import MIME, _printed
from tests.explorers.states import CAPTIONS, FOLLOWERS, REFUSED, UNTOLD, Values
from tests.recorded import make_explorer, required_arguments

KINDS = ex.kinds()


@pytest.mark.parametrize(("kind", "values", "message"), REFUSED)
def test_what_does_not_fit_is_refused_by_name(kind: str, values: Values, message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        make_explorer(kind, **values)


@pytest.mark.parametrize("kind", KINDS)
def test_each_trait_keeps_its_limits(kind: str) -> None:
    for name, trait in ex.of_kind(kind).about()["traits"].items():
        wrong: list[Any] = {"bool": ["maybe"], "enum": ["magic"]}.get(trait["type"], [])
        wrong += [trait["min"] - 1] if trait.get("min") is not None else []
        wrong += [2 * trait["max"] + 2] if trait.get("max") is not None else []
        wrong += [3] if trait["type"] == "even" else []
        for value in wrong:
            with pytest.raises(traitlets.TraitError, match=name):
                ex.of_kind(kind)(**required_arguments(kind) | {name: value})
    with pytest.raises(traitlets.TraitError, match="story must be one of"):
        make_explorer(kind, story="other")


@pytest.mark.parametrize(("kind", "values", "part"), CAPTIONS)
def test_the_caption_says_the_state(kind: str, values: Values, part: str) -> None:
    assert part in make_explorer(kind, **values).caption()


@pytest.mark.parametrize(("kind", "values", "change", "expected"), FOLLOWERS)
def test_what_depends_follows(kind: str, values: Values, change: Values, expected: Values) -> None:
    explorer = make_explorer(kind, **values)
    for name, value in change.items():
        setattr(explorer, name, value)
    assert {name: getattr(explorer, name) for name in expected} == expected


@pytest.mark.parametrize(("kind", "values"), UNTOLD)
def test_a_story_is_not_told_of_what_it_does_not_know(kind: str, values: Values) -> None:
    assert make_explorer(kind, **values).story == "" and make_explorer(kind).story


# the chapters' tests cover all other kinds of explorers
@pytest.mark.parametrize("kind", KINDS[::6])
def test_an_output_holds_state_picture_and_sentence(kind: str) -> None:
    explorer = make_explorer(kind)
    bundle = explorer._repr_mimebundle_()
    assert bundle is not None
    data, _ = bundle
    assert data[MIME] == {
        "kind": kind,
        "state": explorer.state(),
        "caption": explorer.caption(),
    }
    assert data["text/plain"].startswith(f"{type(explorer).__name__}(")
    assert data["text/plain"].endswith(explorer.caption()) and len(data["text/plain"]) < 3_000
    # the picture is also parsed as XML on a page
    picture = ElementTree.fromstring(data["image/svg+xml"])
    size = {name: picture.attrib[name].removesuffix("px") for name in ("width", "height")}
    assert picture[0].attrib == {**size, "style": "fill: #ffffff;"}  # white, for dark pages
    alt = re.search(r'^<svg role="img" aria-label="([^"]+)"', data["image/svg+xml"])
    assert alt and re.findall(r"\w+", alt[1])[:5] == re.findall(r"\w+", explorer.caption())[:5]


def test_without_node_a_scene_says_that_its_picture_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_printed, "node", lambda: None)
    bundle = make_explorer("counter")._repr_mimebundle_()
    assert bundle is not None
    data, _ = bundle
    assert "image/svg+xml" not in data and "printed by node" in data["text/plain"]
    # If the output contains the state, the web page can draw the picture itself.
    assert data[MIME]["state"] == make_explorer("counter").state()


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_has_its_own_text_and_a_bundle_is_one_module(kind: str) -> None:
    start, (main, *_) = make_explorer(kind), ex.of_kind(kind).stories.values()
    *_, (_, last) = main.states(start.state())
    answer = type(start)(**last | main.task.answer)
    # tests of notebooks compare the repr, so different states must have different reprs
    assert repr(answer) != repr(start)
    source = str(ex.of_kind(kind)._esm)  # on an instance, `_esm` would be read as a trait
    assert not re.search(r"\bimport\b *[({\"]", source)
    assert source.endswith(f"export default {ex.script(kind)};\n")  # every trait is in the data


def test_a_bundle_refuses_a_name_that_no_module_exports(tmp_path: Path) -> None:
    """Check that such an import stops the build. A browser would read the name as undefined."""
    numbers = tmp_path / "numbers.mjs"
    numbers.write_text("export const one = 1,\n  two = 2;\n", "utf-8")
    module = 'import {{ {0} }} from "{1}"; console.log({0});'
    assert "console.log(2)" in ex.esbuild(module.format("two", numbers.as_posix()), "--bundle")
    with pytest.raises(RuntimeError, match=r'No matching export in .* for import "three"'):
        ex.esbuild(module.format("three", numbers.as_posix()), "--bundle")
