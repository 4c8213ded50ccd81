"""What every explorer keeps, whatever its kind: limits, stories, words, pictures and outputs."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
import traitlets

from pe_lib.course import explorers as ex
from pe_lib.course.explorers import MIME, _printed
from tests.recorded import given, made, rows, values

KINDS = ex.kinds()


@pytest.mark.parametrize(("kind", "text", "message"), rows("refused"))
def test_what_does_not_fit_is_refused_by_name(kind: str, text: str, message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        made(kind, text)


@pytest.mark.parametrize("kind", KINDS)
def test_each_trait_keeps_its_limits(kind: str) -> None:
    for name, trait in ex.of_kind(kind).about()["traits"].items():
        wrong: list[Any] = {"bool": ["maybe"], "enum": ["magic"]}.get(trait["type"], [])
        wrong += [trait["min"] - 1] if trait.get("min") is not None else []
        wrong += [2 * trait["max"] + 2] if trait.get("max") is not None else []
        wrong += [3] if trait["type"] == "even" else []
        for value in wrong:
            with pytest.raises(traitlets.TraitError, match=name):
                ex.of_kind(kind)(**given(kind) | {name: value})
    with pytest.raises(traitlets.TraitError, match="story must be one of"):
        made(kind, 'story="other"')


@pytest.mark.parametrize(("kind", "text", "said"), rows("captions"))
def test_the_caption_says_the_state(kind: str, text: str, said: str) -> None:
    assert said in made(kind, text).caption()


@pytest.mark.parametrize(("kind", "text", "change", "expected"), rows("followed"))
def test_what_depends_follows(kind: str, text: str, change: str, expected: str) -> None:
    one = made(kind, text)
    for name, value in values(change).items():
        setattr(one, name, value)
    assert {name: getattr(one, name) for name in values(expected)} == values(expected)


@pytest.mark.parametrize(("kind", "text"), rows("own"))
def test_a_story_is_not_told_of_what_it_does_not_know(kind: str, text: str) -> None:
    assert made(kind, text).story == "" and made(kind).story


@pytest.mark.parametrize("kind", KINDS[::6])  # each in node; the others' are in the chapters
def test_an_output_holds_state_picture_and_sentence(kind: str) -> None:
    one = made(kind)
    bundled = one._repr_mimebundle_()
    assert bundled is not None
    data, _ = bundled
    assert data[MIME] == {"kind": kind, "state": one.state(), "caption": one.caption()}
    assert data["text/plain"].startswith(f"{type(one).__name__}(")
    assert data["text/plain"].endswith(one.caption()) and len(data["text/plain"]) < 3_000
    picture = ElementTree.fromstring(data["image/svg+xml"])  # as a page takes it in
    size = {name: picture.attrib[name].removesuffix("px") for name in ("width", "height")}
    assert picture[0].attrib == {**size, "style": "fill: #ffffff;"}  # readable on a dark ground
    alt = re.search(r'^<svg role="img" aria-label="([^"]+)"', data["image/svg+xml"])
    assert alt and re.findall(r"\w+", alt[1])[:5] == re.findall(r"\w+", one.caption())[:5]


def test_without_node_a_scene_says_that_its_picture_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_printed, "node", lambda: None)
    bundled = made("counter")._repr_mimebundle_()
    assert bundled is not None
    data, _ = bundled
    assert "image/svg+xml" not in data and "printed by node" in data["text/plain"]
    assert data[MIME]["state"] == made("counter").state()  # what a page needs is there


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_has_its_own_text_and_a_bundle_is_one_module(kind: str) -> None:
    start, (main, *_) = made(kind), ex.of_kind(kind).stories.values()
    *_, (_, last) = main.states(start.state())
    answer = type(start)(**last | main.task.answer)
    assert repr(answer) != repr(start)  # which a notebook is compared by
    source = str(ex.of_kind(kind)._esm)  # of an instance it is a trait
    assert not re.search(r"^\s*import\b", source, re.MULTILINE)
    assert len(re.findall(r"^export ", source, re.MULTILINE)) == 1
    assert source.endswith(ex.own(kind))  # made with the class, it knows every trait
