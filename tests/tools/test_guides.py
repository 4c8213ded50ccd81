"""The pages for contributors: what they tell one to do, done."""

import json
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pe_lib import encode
from pe_lib.course import explorers
from pe_lib.course.explorers import _bundle

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests" / "pe_lib" / "course" / "explorers"))


def test_the_explorer_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from test_explorers import node

    guide = (ROOT / "contributing" / "explorer.md").read_text("utf-8")
    (python,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    (script,) = re.findall(r"```js\n(.*?)```", guide, re.DOTALL)
    here = tmp_path / "explorers"
    shutil.copytree(_bundle.HERE, here, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (here / "hand.mjs").write_text(script, "utf-8")
    monkeypatch.setattr(_bundle, "HERE", here)
    assert "hand" in explorers.kinds()
    module = ModuleType("hand")
    exec(python, vars(module))
    explorer = module.HandExplorer(position=5)
    assert explorer.state() == {"position": 5, "story": "main"}
    story = explorer.stories["main"]
    (*_, (_, last)) = story.states({"position": 0})
    assert explorer.caption() == "Position 5: sine −0.9589, cosine 0.2837."
    (line,) = explorer.picture().axes[0].lines
    assert line.get_xydata()[1].tolist() == pytest.approx(encode(5, 2).tolist(), rel=1e-14)
    assert "import" not in re.findall(r"^\w+", explorer._esm, re.MULTILINE)
    found = node(
        f"import {{ pair }} from {(here / 'hand.mjs').as_uri()!r};"
        "console.log(JSON.stringify([0, 5, 100].map(pair)))"
    )
    done = node(
        f"import {{ done }} from {(here / 'hand.mjs').as_uri()!r};"
        f"console.log(JSON.stringify({json.dumps([last, story.task.answer])}.map(done.main)))"
    )
    assert done == ["", "Found: at 3 it points down."]
    for position, (sine, cosine) in zip((0, 5, 100), found, strict=True):
        assert [sine, cosine] == pytest.approx(encode(position, 2).tolist(), abs=1e-12)
