"""Test that the library reference has an entry for every public name, and that its examples run."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from built import SITE, parse_page
from sphinx.errors import ExtensionError

import pe_lib
from _ext.library import uses

MODULES = [name for _, name, _ in pkgutil.iter_modules(pe_lib.__path__) if name[0] != "_"]
MODULES.remove("course")
every_module = pytest.mark.parametrize("module", MODULES)


def list_offered_functions(module: str) -> set[str]:
    own = importlib.import_module(f"pe_lib.{module}")
    return {name for name in own.__all__ if callable(getattr(own, name))}


@every_module
def test_each_name_has_a_line_in_the_table_and_an_entry(site: Path, module: str) -> None:
    page = parse_page(SITE / f"chapters/library-{module}.html")
    entries = {entry["id"]: entry for entry in page.select("section.om-entry")}
    assert list_offered_functions(module) == {name for name in entries if "." not in name}
    first = parse_page(SITE / "chapters/library.html").select("td:first-child a")
    told = {link["href"]: link.find_parent("tr").get_text(" ", strip=True) for link in first}
    for name in list_offered_functions(module):
        line = told[f"library-{module}.html#{name}"]
        assert line.startswith(name) and len(line) > len(name) + 15, line
        head = entries[name].select_one("pre").get_text()
        assert re.match(rf"{name}\(|class {name}[:(]", head)
        assert entries[name].select(".om-uses a"), f"{name} leads to no chapter"


@every_module
def test_the_examples_run_as_they_stand(site: Path, module: str) -> None:
    """Check that each entry's examples run when a reader pastes them into a new Python session."""
    for entry in parse_page(SITE / f"chapters/library-{module}.html").select("section.om-entry"):
        code = "\n".join(b.get_text() for b in entry.select(":scope > .highlight-pycon"))
        test = doctest.DocTestParser().get_doctest(code, {}, entry["id"], None, 0)
        told: list[str] = []
        result = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
        assert not result.failed, "".join(told)
        assert result.attempted > 1 or isinstance(
            getattr(importlib.import_module(f"pe_lib.{module}"), entry["id"].split(".")[0]), type
        ), f"{entry['id']} shows no example"


def test_a_chapter_leads_to_what_it_names_in_text_and_in_code(site: Path) -> None:
    chapter = parse_page(SITE / "chapters/08-rotary.html")
    for where in ("p", "pre"):
        links = chapter.select(f"main {where} a[href^='library-'][href*='#']")
        named = {link.get_text().partition("(")[0].split(".")[-1] for link in links}
        assert named and named == {link["href"].split("#")[1] for link in links}
    (module,) = chapter.select("main a[href='library-rotary.html']")
    assert module.get_text() == "pe_lib.rotary"
    built = "pre:-soup-contains('def rotate(') a[href$='#rotate']"
    assert not chapter.select(built), "its own function is not the library's"


def test_a_parameter_that_is_called_like_a_function_is_no_link(site: Path) -> None:
    page = parse_page(SITE / "chapters/library-rotary.html")
    rotate = page.select_one("#rotate")
    assert not [a for a in rotate.select("p:not(.om-uses) a") if a.get_text() == "frequencies"]
    assert not page.select("#rotate p:not(.om-uses) a[href='#rotate']")


def test_an_unknown_name_in_explained_yml_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    explained = {"02-the-formula#the-formula-2": "encode, encoode"}
    monkeypatch.setattr(uses.yaml, "safe_load", lambda text: explained)
    with pytest.raises(ExtensionError, match=r"encoode.*which pe_lib does not offer"):
        uses.explanations.__wrapped__()
