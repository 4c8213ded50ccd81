# Order Matters: all commands. `make` alone lists them.
PYTHON ?= python3
PORT   ?= 8000
# for two cores: browsers and kernels make a worker wait
WORKERS ?= 3
ifeq ($(OS),Windows_NT)
  BIN := .venv/Scripts
else
  BIN := .venv/bin
endif
# node, npm and the Python tools come from .venv, whatever else the machine has
export PATH := $(CURDIR)/$(BIN):$(PATH)
# a build and a suite are many processes: each would compile what another has compiled
export PYTHONDONTWRITEBYTECODE :=
# the published implementations are large, and their pins are not ours: an environment of their own
PEERS_BIN := $(subst .venv,.venv-peers,$(BIN))

# who is root is so on purpose, in a container for example; Jupyter refuses unless it is told
IF_ROOT    = $(if $(filter 0,$(shell id -u 2>&1)),--allow-root)

READY      := .venv/ready
TEST_READY := .venv/ready-test
# JupyterLite has an environment of its own: JupyterLab would load its kernel, which runs only there
LITE       := .venv/lite/$(notdir $(BIN))
LITE_READY := .venv/ready-lite
# a line in plain words below what pip or npm say, which fills a screen
STUCK       = { echo; echo "Not all could be installed, see above. Without a network? With one, the same command goes on."; exit 1; }
# another Sphinx than Jupyter Book allows
PLAIN      := .venv/plain/$(notdir $(BIN))
PLAIN_READY := .venv/ready-plain
PEERS_READY := .venv-peers/ready
# Numbers on a page must not depend on the processor: the kernels of an old one, which each PC has
OTHER_CORE := $(if $(filter x86_64 amd64,$(shell uname -m 2>&1)),OPENBLAS_CORETYPE=Nehalem)
SITE       := _build/site/index.html
# what a browser looks at; all else in tests/ needs none
WITH_SITE  := tests/site
# what a newcomer's first command does, and how far it is
FIRST      := $(if $(filter serve site,$(MAKECMDGOALS)),1 of 2: )
SECOND     := $(if $(FIRST),2 of 2: )
SOURCES    := _config.yml _toc.yml index.md CITATION.cff LICENSE LICENSE-text \
              $(wildcard CHANGELOG.md chapters/*.ipynb chapters/*.md exercises/*) \
              $(wildcard chapters/data/* chapters/data/*/*) \
              $(filter-out %/__pycache__ %.pyc,$(wildcard _ext/* _ext/*/* _ext/*/*/* \
                pe_lib/* pe_lib/*/* pe_lib/*/*/* pe_lib/*/*/*/*))

# what the environment tells a build of where the site will lie: another address is another site
ADDRESS    := _build/address
TOLD       := $(SITE_URL) $(NOTEBOOKS_BRANCH) $(GITHUB_SERVER_URL) $(GITHUB_REPOSITORY) $(GITHUB_REF_NAME)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help serve site lite plain slides cards pdf test check style nightly fresh peers lab notebooks exercises links address prepare release bench speed experiments lock clean
.PHONY: browser always

help: ## list these commands
	@echo "Order Matters: positional encoding in Transformers, made executable"
	@echo
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-20s%s\n", $$1, $$2}'

serve: $(SITE) ## serve the site on http://localhost:8000; what you change is built, and the browser follows
	@$(BIN)/python -m tools.watch --port $(PORT)

site: $(SITE) ## build the static site into _build/site

lite: $(SITE) $(LITE_READY) ## the site with JupyterLite in it, into _build/public
	$(LITE)/python -m tools.lite $(if $(PYODIDE),--pyodide "$(PYODIDE)")

plain: $(READY) $(PLAIN_READY) ## build the same site with a newer Sphinx, without Jupyter Book, into _build/plain/site
	$(PLAIN)/python -m tools.plain

slides: $(SITE) ## slides of every chapter, with predictions to vote on, into _build/site/slides
	$(BIN)/python -m classroom.slides

cards: $(SITE) ## cards for Anki, _build/site/slides/order-matters-anki.txt
	$(BIN)/python -m classroom.cards

pdf: browser $(SITE) ## print the whole book into _build/order-matters.pdf (nine minutes)
	$(BIN)/python -m tools.pdf

# tools/jupyter has JupyterLab save the state of explorers, so that they come back without a kernel
lab: $(READY) ## open JupyterLab on the chapters; the exercises lie beside them
	JUPYTER_CONFIG_PATH="$(CURDIR)/tools/jupyter" $(BIN)/jupyter lab --notebook-dir=. --LabApp.default_url=/lab/tree/chapters $(IF_ROOT)

notebooks: $(READY) ## execute the notebooks that changed, and bring them into the form that is committed; all of them with ALL=1
	$(BIN)/python -m tools.notebooks $(if $(ALL),--all)

test: browser ## check everything: library, chapters, site, in a real browser (six minutes)
	@echo "1 of 2: the site is built, and beside it style and types are checked"
	@$(MAKE) --no-print-directory style > .venv/style.log 2>&1 & beside=$$!; \
	$(MAKE) --no-print-directory $(SITE); built=$$?; \
	wait $$beside; read=$$?; cat .venv/style.log; exit $$((built + read))
	@echo "2 of 2: library, chapters, exercises, classroom, audit, and the site in a real browser"
	$(BIN)/python -m pytest -n $(WORKERS)

check: style ## the part of it that needs no site and no browser (three minutes)
	$(BIN)/python -m pytest -n $(WORKERS) $(addprefix --ignore ,$(WITH_SITE))

style: $(TEST_READY) ## the first part of that: style and types, of Python and JavaScript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/npm run --silent lint
	$(BIN)/mypy
	$(BIN)/npm run --silent types

nightly: browser $(SITE) $(LITE_READY) ## what takes long and seldom changes: all seeds, training again, Firefox, JupyterLab, PDF, … (half an hour)
	$(BIN)/python tools/browser.py --firefox
	HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -n $(WORKERS) -m "hypothesis or nightly" tests
	$(BIN)/python -m pytest -n $(WORKERS) tests/nightly exercises/solutions
	$(OTHER_CORE) $(BIN)/python -m pytest -n $(WORKERS) chapters exercises/solutions

fresh: ## serve and test an empty clone of the last commit on a machine like new; as root in a system of its own
	@$(PYTHON) tools/fresh.py

peers: $(PEERS_READY) ## compare with published implementations: PyTorch, transformers, …; downloads some GB
	$(PEERS_BIN)/python -m pytest -m peers tests/library tests/chapters

bench: $(TEST_READY) $(SITE) ## measure the site and the library; prints tables, changes no file
	$(BIN)/python -m benchmarks.site
	$(BIN)/python -m benchmarks.library

speed: $(PEERS_READY) ## measure the library beside PyTorch, and record it for the appendix on speed; downloads some GB
	$(PEERS_BIN)/python -m benchmarks.library --record

exercises: $(READY) ## write the exercise notebooks anew from their sheets; nobody's work is touched
	$(BIN)/python -m tools.exercises

# a dead link is a report and no failure, since a host may be down for an hour; no report is one
LINKS      := _build/links.txt
links: $(READY) ## visit every link to another host, and report in _build/links.txt which are dead
	@rm -rf _build/links
	-$(BIN)/jupyter-book build . --path-output _build/links --builder linkcheck
	@cp _build/links/_build/html/output.txt $(LINKS)
	@echo "$(LINKS) lists the links that are dead or lead elsewhere:" $$(grep -c . $(LINKS))

address: $(READY) ## write where the course is published into README and citation: make address SITE_URL=https://…
	@$(BIN)/python -m tools.address "$(SITE_URL)" $(if $(REPOSITORY),"$(REPOSITORY)")

prepare: $(READY) ## write version and day of a release into all files: make prepare TAG=v1.2.3
	@$(BIN)/python -m tools.prepare "$(TAG)" $(DAY)

release: $(READY) ## gather the files of a release in _build/release: make release TAG=v1.2.3
	$(BIN)/python -m tools.release "$(TAG)" --check
	$(MAKE) pdf
	$(BIN)/python -m tools.release "$(TAG)" _build/order-matters.pdf

experiments: $(READY) ## train again what chapters 6, 7 and 10 to 13 show, and record it in chapters/data (an hour)
	$(BIN)/python -m tools.experiments

lock: $(READY) ## bring constraints.txt up to requirements.txt and pyproject.toml; make lock ALL=1 renews every version
	$(BIN)/pip install uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 $(if $(ALL),--upgrade) --no-header --no-annotate \
	  --no-emit-package pe-lib --extra test --extra lite requirements.txt pyproject.toml --output-file constraints.txt

clean: ## remove everything that was built or installed
	rm -rf .venv .venv-peers _build node_modules pe_lib.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(ADDRESS): always
	@mkdir -p $(@D)
	@echo "$(TOLD)" | cmp -s - $@ || echo "$(TOLD)" > $@

always:

$(SITE): $(READY) $(SOURCES) $(ADDRESS)
	@echo "$(SECOND)Building the site (half a minute, on a busy machine two; it says how far it is)"
	@# what is kept of a failed build would hide its warnings from the next one
	$(BIN)/python -m tools.build || { rm -rf _build/html _build/.doctrees; exit 1; }
	@touch $@

$(READY): requirements.txt constraints.txt pyproject.toml package-lock.json
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; $(PYTHON) is " + v + ". Name another with: make PYTHON=python3.12 ...")'
	@echo "$(FIRST)Making .venv and installing what requirements.txt lists (a minute, on a busy machine four; once)"
	$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -r requirements.txt || $(STUCK)
	@$(BIN)/npm ci --omit=dev --no-audit --no-fund || $(STUCK)
	@touch $@

$(TEST_READY): $(READY)
	@echo "Installing what the tests need (a minute, once)"
	@$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e ".[test]" || $(STUCK)
	@$(BIN)/npm ci --no-audit --no-fund || $(STUCK)
	@touch $@

# before the first test: who can't have one is told at once
browser: $(TEST_READY)
	$(BIN)/python tools/browser.py

$(LITE_READY): $(READY)
	$(PYTHON) -m venv .venv/lite
	$(LITE)/python -m pip install --disable-pip-version-check -c constraints.txt -e ".[course,lite]"
	@touch $@

$(PLAIN_READY): $(READY)
	$(PYTHON) -m venv .venv/plain
	$(PLAIN)/python -m pip install --disable-pip-version-check -e ".[course,plain]"
	@touch $@

$(PEERS_READY): pyproject.toml
	$(PYTHON) -m venv .venv-peers
	$(PEERS_BIN)/python -m pip install --disable-pip-version-check -e ".[course,test,peers]"
	@touch $@
