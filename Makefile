# Order Matters: all commands. `make` alone lists them.
PYTHON ?= python3
PORT   ?= 8000
# three test processes suit two cores, since a process often waits for a browser or a kernel
WORKERS ?= 3
ifeq ($(OS),Windows_NT)
  BIN := .venv/Scripts
else
  BIN := .venv/bin
endif
# node, npm and the Python tools are those of .venv, whatever else the machine has
export PATH := $(CURDIR)/$(BIN):$(PATH)
# with this set, each process of a build or a suite would compile all modules again
export PYTHONDONTWRITEBYTECODE :=
# the published implementations are large and need other versions, so they have their own environment
PEERS_BIN := $(subst .venv,.venv-peers,$(BIN))

# Jupyter refuses to run as root without this; in a container, for example, root is meant
IF_ROOT    = $(if $(filter 0,$(shell id -u 2>&1)),--allow-root)

READY      := .venv/ready
TEST_READY := .venv/ready-test
# JupyterLite has an environment of its own, since JupyterLab would load its kernel and fail
LITE       := .venv/lite/$(notdir $(BIN))
LITE_READY := .venv/ready-lite
# pip and npm fill a screen when they fail; this says below it in plain words what to do
STUCK       = { echo; echo "Not everything could be installed; the reason stands above. If the network was down, run the same command again."; exit 1; }
# `make plain` needs a newer Sphinx than Jupyter Book allows
PLAIN      := .venv/plain/$(notdir $(BIN))
PLAIN_READY := .venv/ready-plain
PEERS_READY := .venv-peers/ready
# No number in a notebook may depend on the processor; every PC can run the kernels of this old one
OTHER_CORE := $(if $(filter x86_64 amd64,$(shell uname -m 2>&1)),OPENBLAS_CORETYPE=Nehalem)
SITE       := _build/site/index.html
# the scripts of the explorers, which are built when a module has changed, and anew with a new esbuild
BUILT      := pe_lib/course/explorers/built
# the tests that need a browser
WITH_SITE  := tests/site
# apart from each other in `make check`, since nbval cannot measure coverage in a kernel, and would try
WITH_CODE  := pe_lib classroom _ext tools tests
NOTEBOOKS  := chapters exercises/solutions/04-sine-and-cosine.ipynb
# a newcomer's first command says which of its two steps it is at
FIRST      := $(if $(filter serve site,$(MAKECMDGOALS)),1 of 2: )
SECOND     := $(if $(FIRST),2 of 2: )
SOURCES    := _config.yml _toc.yml index.md CITATION.cff LICENSE LICENSE-text \
              $(wildcard CHANGELOG.md chapters/*.ipynb chapters/*.md exercises/*) \
              $(wildcard chapters/data/* chapters/data/*/*) \
              $(filter-out %/__pycache__ %.pyc $(BUILT) $(BUILT)/%,$(wildcard _ext/* _ext/*/* _ext/*/*/* \
                pe_lib/* pe_lib/*/* pe_lib/*/*/* pe_lib/*/*/*/*))

# The pages hold the address at which they will be published, so another address needs another build
ADDRESS    := _build/address
PUBLISHED  := $(SITE_URL) $(NOTEBOOKS_BRANCH) $(GITHUB_SERVER_URL) $(GITHUB_REPOSITORY) $(GITHUB_REF_NAME)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help serve site lite plain slides cards pdf test check style nightly fresh peers lab notebooks exercises links address prepare release bench speed experiments lock clean
.PHONY: browser always

help: ## list these commands
	@echo "Order Matters: positional encoding in Transformers, made executable"
	@echo
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-20s%s\n", $$1, $$2}'

serve: $(SITE) ## serve the site on http://localhost:8000; each change is built and shown in the browser
	@$(BIN)/python -m tools.watch --port $(PORT)

site: $(SITE) ## build the static site into _build/site

lite: $(SITE) $(LITE_READY) ## build the site with JupyterLite in it into _build/public
	$(LITE)/python -m tools.lite $(if $(PYODIDE),--pyodide "$(PYODIDE)")

plain: $(READY) $(PLAIN_READY) ## build the same site without Jupyter Book, with a newer Sphinx, into _build/plain/site
	$(PLAIN)/python -m tools.plain

slides: $(SITE) ## write slides of every chapter, with predictions to vote on, into _build/site/slides
	$(BIN)/python -m classroom.slides

cards: $(SITE) ## write cards for Anki into _build/site/slides/order-matters-anki.txt
	$(BIN)/python -m classroom.cards

pdf: browser $(SITE) ## print the whole book into _build/order-matters.pdf (nine minutes)
	$(BIN)/python -m tools.pdf

# tools/jupyter makes JupyterLab save the state of explorers, so that they come back without a kernel
lab: $(READY) ## open JupyterLab in the folder of the chapters
	JUPYTER_CONFIG_PATH="$(CURDIR)/tools/jupyter" $(BIN)/jupyter lab --notebook-dir=. --LabApp.default_url=/lab/tree/chapters $(IF_ROOT)

notebooks: $(READY) ## execute the notebooks that changed, and bring them into their committed form; ALL=1 executes all
	$(BIN)/python -m tools.notebooks $(if $(ALL),--all)

test: browser ## test everything: library, chapters, classroom, and the site in a browser (six minutes)
	@echo "1 of 2: the site is built, and beside it style and types are checked"
	@$(MAKE) --no-print-directory style > .venv/style.log 2>&1 & beside=$$!; \
	$(MAKE) --no-print-directory $(SITE); built=$$?; \
	wait $$beside; read=$$?; cat .venv/style.log; exit $$((built + read))
	@echo "2 of 2: library, chapters, exercises, classroom, audit, and the site in a real browser"
	$(BIN)/python -m pytest -n $(WORKERS)

# Code that runs in another process or in a kernel is not counted, so a low figure is a hint and no verdict.
# The library's own plugin would import the library before anything is counted
check: style ## test what needs neither the site nor a browser, and list the files covered least (six minutes)
	$(BIN)/python -m pytest -n $(WORKERS) -p no:pe-doctor --cov --cov-report= --ignore $(WITH_SITE) $(WITH_CODE)
	$(BIN)/python -m pytest -n $(WORKERS) $(NOTEBOOKS)
	@echo "The ten files that the tests cover least:"
	@$(BIN)/coverage report --sort=cover --skip-covered --skip-empty | sed -n 1,12p

style: $(TEST_READY) ## check style and types of Python and JavaScript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/npm run --silent lint
	$(BIN)/mypy
	$(BIN)/npm run --silent types

nightly: browser $(SITE) $(LITE_READY) ## test what takes long: all seeds, training, Firefox, JupyterLab, PDF, other processors, … (40 minutes)
	$(BIN)/python tools/browser.py --firefox
	HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -n $(WORKERS) -m "hypothesis or nightly" tests
	$(BIN)/python -m pytest -n $(WORKERS) tests/nightly exercises/solutions
	$(OTHER_CORE) $(BIN)/python -m pytest -n $(WORKERS) chapters exercises/solutions

fresh: ## serve and test a fresh clone of the last commit in a new system, which needs root
	@$(PYTHON) tools/fresh.py

peers: $(PEERS_READY) ## compare with PyTorch, transformers and other implementations; downloads some GB
	$(PEERS_BIN)/python -m pytest -m peers tests/library tests/chapters

bench: $(TEST_READY) $(SITE) ## measure the site and the library; prints tables, changes no file
	$(BIN)/python -m benchmarks.site
	$(BIN)/python -m benchmarks.library

speed: $(PEERS_READY) ## measure the library beside PyTorch, and record it for the appendix on speed; downloads some GB
	$(PEERS_BIN)/python -m benchmarks.library --record

exercises: $(READY) ## write the exercise notebooks anew from their sheets, beside those that somebody has edited
	$(BIN)/python -m tools.exercises

# A dead link is reported and is no failure, since a host may be down for an hour. A missing report is one
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

experiments: $(READY) ## train again what chapters 6, 7 and 10 to 13 show, and record it in chapters/data (two hours)
	$(BIN)/python -m tools.experiments

lock: $(READY) ## bring constraints.txt up to requirements.txt and pyproject.toml; make lock ALL=1 renews every version
	$(BIN)/pip install uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 $(if $(ALL),--upgrade) --no-header --no-annotate \
	  --no-emit-package pe-lib --extra test --extra lite requirements.txt pyproject.toml --output-file constraints.txt

clean: ## remove everything that was built or installed
	rm -rf .venv .venv-peers _build $(BUILT) node_modules *.egg-info build pe_lib/course/build classroom/build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(ADDRESS): always
	@mkdir -p $(@D)
	@echo "$(PUBLISHED)" | cmp -s - $@ || echo "$(PUBLISHED)" > $@

always:

$(SITE): $(READY) $(SOURCES) $(ADDRESS)
	@echo "$(SECOND)Building the site (half a minute, on a busy machine two; it says how far it is)"
	@# a build that warned must not leave parsed pages, or the next one would not warn again
	$(BIN)/python -m tools.build || { rm -rf _build/html _build/.doctrees; exit 1; }
	@touch $@

$(READY): requirements.txt constraints.txt pyproject.toml package-lock.json
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; $(PYTHON) is " + v + ". Name another with: make PYTHON=python3.12 ...")'
	@echo "$(FIRST)Making .venv and installing what requirements.txt lists (a minute, on a busy machine four; once)"
	$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -r requirements.txt || $(STUCK)
	@$(BIN)/npm ci --omit=dev --no-audit --no-fund || $(STUCK)
	@rm -rf $(BUILT)
	@$(BIN)/python -c "import pe_lib.course.explorers"
	@touch $@

$(TEST_READY): $(READY)
	@echo "Installing what the tests need (a minute, once)"
	@$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e ".[test]" || $(STUCK)
	@$(BIN)/npm ci --no-audit --no-fund || $(STUCK)
	@touch $@

# this comes before the first test, so that a missing browser is reported at once
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
