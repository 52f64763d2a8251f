# `make` shows what players need, `make help-all` everything. Python 3.11, pip and make are enough to begin with: all else is
# installed into $(VENV) in this folder and nowhere else, by tools/install-packages.

PYTHON      ?= python3
VENV        ?= .venv
ARGS        ?=
PYTEST_ARGS ?=
GAMES       ?= 40
STATES      ?= 100000
EVENINGS    ?= 75
BASE        ?=
CASES       ?= 20
BOARDS      ?= direct-4x4 hall-4x4 owner-4x4 matrix-5x5 hall-5x5 neotrellis-4x4 usb-direct-4x4 usb-hall-4x4 usb-matrix-5x5
DIST        ?= dist
DEBIAN      ?= trixie
UV          ?= uv
LOCK_ARGS   ?=

BIN := $(VENV)/bin

# Each of these files says that $(VENV) holds what a lock asks for. With a fresh one nothing is started, and no network is
# needed. $(EXTRA)web says it of requirements-web.lock.
PLAYING  := $(VENV)/.ready-to-play
TESTING  := $(VENV)/.ready-to-test
COMPILED := $(VENV)/.ready-to-compare
EXTRA    := $(VENV)/.ready-for-

export ARCH
unexport PYTHONDONTWRITEBYTECODE # where it is set, every run would make the asserts of all tests anew
.NOTPARALLEL:
.PHONY: help help-all play web fast test check behaviour test-long campaign diagnose power soak kernel test-kernel hw \
	messages man picture docs bench train study cluster clean hardware carriers kicad dist deb test-deb test-arm lock

help:
	@awk -F ':.*## ' '/^(play|test|web|docs|clean|help-all):/ { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

##@ Play
play: $(PLAYING) ## play here, no hardware needed; ARGS="--dark level-4"
	@$(BIN)/pond play $(ARGS)

web: $(EXTRA)web ## install what the page for phones needs, `pond web`
	@echo "$(BIN)/pond web --spectators can serve its page now."

fast: $(EXTRA)fast ## compile the engine: faster opponents (needs a C compiler)
	@$(BIN)/python -m pond_hw.engine.packed.build

##@ Tests
test: $(TESTING) ## run the fast tests, under a minute; PYTEST_ARGS="-k rules"
	@echo "running the fast tests on two cores, usually less than a minute ..."
	@$(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)

check: $(TESTING) ## check style, types, imports; run all tests but the long ones
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest -n 2 -m "not long" $(PYTEST_ARGS)

behaviour: $(TESTING) ## hold recorded conversations again; BASE=main: compare more
	@$(BIN)/python -m tests.behaviour replay $(ARGS)
	@$(if $(BASE),$(BIN)/python -m tests.behaviour compare $(BASE) --most $(CASES))

test-long: $(TESTING) ## run the long tests; a quarter: PYTEST_ARGS="--part 1/4"
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m long $(PYTEST_ARGS)

campaign: $(TESTING) ## simulated people with pieces: a table of figures; BASE=main
	@$(BIN)/python -m tests.campaign.rows --games $(GAMES) --jobs 2 $(if $(BASE),--base $(BASE)) $(ARGS)

diagnose: $(TESTING) ## set-up finds the faults of EVENINGS=75 simulated boards
	@$(BIN)/python -m tests.setup.diagnosis --jobs 2 $(ARGS)
	@$(BIN)/python -m tests.setup.evenings --jobs 2 --runs $(EVENINGS)

power: $(TESTING) ## cut the power in STATES=100000 ways; ARGS="--kills 10"
	@$(BIN)/python -m tests.journal.power --states $(STATES) --jobs 2 $(ARGS)

soak: $(TESTING) ## play a month of evenings as fast as possible
	@$(BIN)/python -m tests.soak $(ARGS)
	@$(BIN)/python -m tests.soak.back

kernel: ## build a simulated Pi to test drivers (Linux on x86-64)
	@$(PYTHON) -m tests.kernel.build

test-kernel: $(COMPILED) ## run the real drivers in it; ARGS="--only hall-4x4"
	@$(BIN)/python -m tests.kernel $(ARGS)

hw: $(COMPILED) ## compile the libraries of a Pi, to test every driver (Linux)

##@ Work on it
messages: $(TESTING) ## compile the messages after you have changed one
	@$(BIN)/python -m tools.compile_catalogues

man: $(TESTING) ## write the man page and the generated pages again
	@$(BIN)/python -m tools.manpage
	@$(BIN)/python -m tools.profile_page
	@$(BIN)/python -m tools.puzzles_page
	@$(BIN)/python -m tools.commands_page

picture: $(TESTING) ## draw the pictures of the manual again
	@$(BIN)/python -m tools.terminal_picture $(ARGS)
	@$(BIN)/python -m tools.lamp_animations
	@$(BIN)/python -m tools.mistake_pictures
	@$(BIN)/python -m tools.fairness_picture

docs: $(EXTRA)docs ## build the manual as a web site: docs/_site/docs/index.html
	@$(BIN)/sphinx-build -q -W --keep-going -b html -c docs . docs/_site
	@echo "docs/_site/docs/index.html"

bench: $(TESTING) ## measure rules, search and lights on this machine
	@$(BIN)/python -m tools.bench $(ARGS)

train: fast $(EXTRA)study ## learn from games what positions are worth; takes hours
	@$(BIN)/python -m tools.training $(ARGS)

study: $(EXTRA)study ## install what draws the pictures of `pond study --plots`
	@echo "$(BIN)/pond study --plots FOLDER can draw its pictures now."

cluster: $(EXTRA)cluster ## install Dask, for `pond tournament --cluster`
	@echo "$(BIN)/pond tournament --cluster can play on a Dask cluster now; $(BIN)/dask starts one."

clean: ## remove .venv and everything else that was made here
	@[ ! -f $(VENV)/pyvenv.cfg ] || rm -rf $(VENV)
	@rm -rf .kernel build dist docs/_site *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find pond_hw tests tools -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

help-all: ## show all targets
	@awk -F ':.*## ' '/^##@/ { print substr($$0, 5) } /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

##@ Boards and hardware
hardware: $(EXTRA)hardware ## make hardware/ again; one board: BOARDS=kitchen.toml
	@for board in $(BOARDS); do $(BIN)/pond hardware build "$$board" $(ARGS) || exit; done

carriers: $(TESTING) ## design carrier boards again; one board: BOARDS=kitchen.toml
	@$(BIN)/python -m tools.carrier $(BOARDS)
	@$(BIN)/python -m tests.fabrication.kicad.exports

kicad: ## install KiCad in its own folder, to check schematics (root)
	@$(PYTHON) -m tests.fabrication.kicad.build

##@ Releases
dist: $(PLAYING) ## build the wheel and the source distribution, in dist/
	@$(BIN)/python -m tools.dist $(DIST)

deb: ## build the package for DEBIAN=trixie (root); a Pi: ARCH=arm64
	@.ci/deb $(DEBIAN)

test-deb: ## install, upgrade, remove, boot it in a fresh Debian (root)
	@.ci/packages $(DEBIAN)
	@.ci/wheel $(DEBIAN)
	@.ci/boot $(DEBIAN)

test-arm: export ARCH := $(or $(ARCH),arm64)
test-arm: dist ## build and test it for a Pi; an hour or more (root)
	@.ci/deb $(DEBIAN)
	@$(MAKE) --no-print-directory test-deb DEBIAN=$(DEBIAN)
	@.ci/first-day $(DEBIAN)

lock: ## choose locked versions again; newest: LOCK_ARGS=--upgrade
	@$(PYTHON) -m tools.lock $(UV) $(LOCK_ARGS)

# What is installed for the targets above, each from its lock.

SET_UP = tools/install-packages "$(PYTHON)" "$(VENV)"

$(PLAYING): pyproject.toml requirements.lock
	@$(SET_UP) requirements.lock $@ "usually 10 to 20 seconds"

# This lock holds all of the first, in the same versions.
$(TESTING): pyproject.toml requirements.lock requirements-dev.lock
	@$(SET_UP) requirements-dev.lock $@ "usually about a minute"
	@touch $(PLAYING) $@

# Only what a compiler must make, in the versions that a Pi gets.
$(COMPILED): $(TESTING) requirements-hw.lock
	@$(BIN)/python -c 'import sys; from pond_hw.engine.packed.build import missing_compiler; sys.exit(missing_compiler())'
	@$(SET_UP) requirements-hw.lock $@ "usually about a minute"

# What an extra of pyproject.toml asks for. None of them needs the tests.
$(EXTRA)%: $(PLAYING) requirements-%.lock
	@$(SET_UP) requirements-$*.lock $@ "usually less than a minute"
