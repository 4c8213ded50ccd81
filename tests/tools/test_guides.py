"""Test that the examples in the guides for contributors work as described."""

import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from pe_lib.course import explorers
from pe_lib.course.explorers import _bundle, _esbuild

ROOT = Path(__file__).parents[2]


def test_the_explorer_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (ROOT / "contributing" / "explorer.md").read_text("utf-8")
    (python,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    (script,) = re.findall(r"```js\n(.*?)```", guide, re.DOTALL)
    here = tmp_path / "explorers"
    shutil.copytree(_bundle.HERE, here, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (story,) = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)
    (here / "hand").mkdir()
    (here / "hand" / "scene.mjs").write_text(script, "utf-8")
    (here / "hand" / "story.toml").write_text(story, "utf-8")
    for bundler in (_bundle, _esbuild):
        monkeypatch.setattr(bundler, "HERE", here)
    assert "hand" in explorers.kinds()
    module = ModuleType("hand")
    exec(python, vars(module))
    explorer = module.HandExplorer(position=5)
    assert explorer.state() == {"position": 5, "story": "main"}
    story = explorer.stories["main"]
    (_, first), *_ = story.states(explorer.state())
    assert first["position"] == 0, "its first step says noon, wherever it was placed"
    assert explorer.caption() == "A clock with one hand. Position 5: sine −0.9589, cosine 0.2837."
    assert "import" not in re.findall(r"^\w+", explorer._esm, re.MULTILINE)
