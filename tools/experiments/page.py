"""What the explorer "train" shows where no script runs: trainings by the page's own script."""

import json
import subprocess
from typing import Any

import numpy as np

from pe_lib.course.explorers import TrainExplorer
from pe_lib.course.explorers.train import CHOICES, RUNS
from tools.experiments.models import packed, rounded

PAGE = """
import { begin, course, look } from "TRAINER";
const seen = ({ likeness, attention }) =>
  ({ likeness: likeness.map((map) => [...map]), attention: attention.map((map) => [...map]) });
console.log(JSON.stringify(SETTINGS.map((settings) => {
  const state = begin(settings), found = { settings, loss: [], looks: [seen(look(state))] };
  for (const { loss, shares } of course(state, 300)) {
    if (loss !== undefined) found.loss.push(loss);
    if (shares) found.right = Object.fromEntries(shares.map((one) => [one.length, one.right]));
  }
  found.looks.push(seen(look(state)));
  return found;
})));
"""


def page_run(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the page's own script makes of 300 steps with each of these settings."""
    code = PAGE.replace("TRAINER", RUNS.with_name("trainer.mjs").as_uri())
    code = code.replace("SETTINGS", json.dumps(settings))
    command = ["node", "--input-type=module", "--eval", code]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    runs: list[dict[str, Any]] = json.loads(printed)
    for run in runs:
        run["loss"] = rounded(np.reshape(run["loss"], (-1, 5)).mean(axis=1), 5)
        run["right"] = {length: round(share, 4) for length, share in run["right"].items()}
        for look in run["looks"]:
            likeness, attention = np.array(look["likeness"]), np.array(look["attention"])
            look["likeness"] = [packed(map_) for map_ in (likeness + 1) / 2]
            look["attention"] = [packed(map_) for map_ in attention]
    return runs


def record_page() -> list[dict[str, Any]]:
    """The trainings in its stories."""
    states = [state for story in TrainExplorer.stories.values()
              for _, state in story.states(TrainExplorer().state())]  # fmt: skip
    chosen = [{name: state[name] for name in CHOICES} for state in states]
    return page_run([one for n, one in enumerate(chosen) if one not in chosen[:n]])
