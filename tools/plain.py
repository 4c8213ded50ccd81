"""Build the site with Sphinx instead of Jupyter Book, into _build/plain: python -m tools.plain.

Jupyter Book 1 reads _config.yml and calls Sphinx. If Jupyter Book 1 is no longer maintained, this
command can replace it. It passes the settings in _config.yml to the installed versions of Sphinx
and MyST-NB.
"""

from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent


def sphinx_settings(config: dict[str, Any]) -> dict[str, Any]:
    """Return the settings in _config.yml in the form that Sphinx expects."""
    return {
        "project": config["title"],
        "author": config["author"],
        "copyright": config["copyright"],
        "exclude_patterns": ["_build", "**.ipynb_checkpoints", *config["exclude_patterns"]],
        "external_toc_path": "_toc.yml",
        "external_toc_exclude_missing": config["only_build_toc_files"],
        "nb_execution_mode": config["execute"]["execute_notebooks"],
        "myst_enable_extensions": config["parse"]["myst_enable_extensions"],
        "nitpicky": True,
        **config["sphinx"]["config"],
    }


def main() -> None:
    """Build all pages from scratch, and exit with the status that Sphinx returns."""
    built = ROOT / "_build" / "plain" / "html"
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    app = Sphinx(
        ROOT,
        None,
        built,
        built.parent / ".doctrees",
        "html",
        sphinx_settings(config),
        freshenv=True,
        warningiserror=True,
    )
    app.build(force_all=True)
    raise SystemExit(app.statuscode)


if __name__ == "__main__":
    main()
