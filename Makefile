# `make` lists the targets for players, `make help-all` all targets. You need Python 3.11 or newer, pip and make.
# tools/install-packages installs everything else into $(VENV), in this folder.

PYTHON      ?= python3
VENV        ?= .venv
ARGS        ?=
PYTEST_ARGS ?=
GAMES       ?= 40
STATES      ?= 100000
EVENINGS    ?= 75
SCHEDULES   ?= 100000
BASE        ?=
CASES       ?= 20
BOARDS      ?= direct-4x4 hall-4x4 owner-4x4 matrix-5x5 hall-5x5 neotrellis-4x4 usb-direct-4x4 usb-hall-4x4 usb-matrix-5x5
DIST        ?= dist
DEBIAN      ?= trixie
UV          ?= uv
LOCK_ARGS   ?=

BIN := $(VENV)/bin

# A stamp file is made once the packages of a lock file are installed. While it is newer than the lock file, make installs
# nothing and needs no network. $(EXTRA)web is the stamp of requirements-web.lock.
PLAYING  := $(VENV)/.ready-to-play
TESTING  := $(VENV)/.ready-to-test
COMPILED := $(VENV)/.ready-to-compare
EXTRA    := $(VENV)/.ready-for-

export ARCH
unexport PYTHONDONTWRITEBYTECODE # if set, pytest would rewrite all assertions on every run
.NOTPARALLEL:
.PHONY: help help-all play web link card fast test check behaviour test-long test-all test-link test-home campaign diagnose power soak kernel test-kernel hw \
	messages man picture docs docs-serve browser browser-serve bench train study cluster clean hardware carriers row-boards kicad dist deb test-deb test-arm test-card release try-release lock

help:
	@awk -F ':.*## ' '/^(play|test|web|docs|clean|help-all):/ { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

##@ Play
play: $(PLAYING) ## play here, no hardware needed; ARGS="--dark level-4"
	@$(BIN)/pond play $(ARGS)

web: $(EXTRA)web ## install the packages that the phone page needs
	@echo "You can now run $(BIN)/pond web --spectators."

link: $(EXTRA)link ## install the packages that a game of two homes needs
	@echo "You can now run $(BIN)/pond link invite mqtts://BROKER."

card: $(EXTRA)card ## install the package that pond sd-card needs
	@echo "You can now run $(BIN)/pond sd-card IMAGE PACKAGE BOARD."

fast: $(EXTRA)fast ## compile the engine: faster opponents (needs a C compiler)
	@$(BIN)/python -m pond_hw.engine.packed.build

##@ Tests
test: $(TESTING) ## run the fast tests, about a minute; PYTEST_ARGS="-k rules"
	@echo "running the fast tests on two cores, usually about a minute ..."
	@$(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)

check: $(TESTING) ## check style, English, types; run all but the long tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tools.check_english
	$(BIN)/python -m pytest -n 2 -m "not long" $(PYTEST_ARGS)

behaviour: $(TESTING) ## replay recorded conversations; BASE=main: also compare
	@$(BIN)/python -m tests.behaviour replay $(ARGS)
	@$(if $(BASE),$(BIN)/python -m tests.behaviour compare $(BASE) --most $(CASES))

test-long: $(TESTING) ## run the long tests; a quarter: PYTEST_ARGS="--part 1/4"
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m long $(PYTEST_ARGS)

test-all: $(TESTING) ## run all tests and campaigns once; about a day (root)
	@$(BIN)/python -m tests.all_checks $(ARGS)

test-link: $(TESTING) ## test two linked homes over a hostile relay; needs mosquitto
	@$(BIN)/python -m tests.link.relay --schedules $(SCHEDULES) --jobs 2 $(ARGS)
	@$(BIN)/python -m tests.mqtt.relay --schedules $(SCHEDULES) --jobs 2 $(ARGS)
	@$(BIN)/python -m tests.mqtt.processes --schedules 500 $(ARGS)

test-home: $(TESTING) ## test a board in a real Home Assistant; needs mosquitto
	@$(BIN)/python -m tests.home_assistant.build
	@$(BIN)/python -m pytest -m long tests/home_assistant $(PYTEST_ARGS)

campaign: $(TESTING) ## simulate clumsy players with pieces; compare: BASE=main
	@$(BIN)/python -m tests.campaign.rows --games $(GAMES) --jobs 2 $(if $(BASE),--base $(BASE)) $(ARGS)

diagnose: $(TESTING) ## test that set-up finds faults; EVENINGS=75 random boards
	@$(BIN)/python -m tests.setup.fault_injection --jobs 2 $(ARGS)
	@$(BIN)/python -m tests.setup.random_setups --jobs 2 --runs $(EVENINGS)

power: $(TESTING) ## cut the power at STATES=100000 points; ARGS="--kills 10"
	@$(BIN)/python -m tests.journal.power --states $(STATES) --jobs 2 $(ARGS)

soak: $(TESTING) ## play a month of evenings as fast as possible
	@$(BIN)/python -m tests.soak $(ARGS)
	@$(BIN)/python -m tests.soak.restart_benchmark

kernel: ## build the simulated Pi, to test drivers (Linux on x86-64)
	@$(PYTHON) -m tests.kernel.build

test-kernel: $(COMPILED) ## test the drivers in the simulated Pi; ARGS="--part 1/3"
	@$(BIN)/python -m tests.kernel $(ARGS)

hw: $(COMPILED) ## compile the Pi's libraries, to test every driver (Linux)

##@ Development
messages: $(TESTING) ## compile the messages after a change
	@$(BIN)/python -m tools.compile_catalogues

man: $(TESTING) ## rebuild the man page and the generated pages
	@$(BIN)/python -m tools.manpage
	@$(BIN)/python -m tools.profile_page
	@$(BIN)/python -m tools.puzzles_page
	@$(BIN)/python -m tools.commands_page
	@$(BIN)/python -m tools.first_board_page

picture: $(TESTING) ## redraw the manual's pictures
	@$(BIN)/python -m tools.terminal_picture $(ARGS)
	@$(BIN)/python -m tools.lamp_animations
	@$(BIN)/python -m tools.mistake_pictures
	@$(BIN)/python -m tools.fairness_picture

docs: $(EXTRA)docs ## build the manual as a web site: docs/_site/docs/index.html
	@if command -v node >/dev/null && command -v npm >/dev/null; then $(BIN)/python -m tools.browser.build docs/_site/browser; \
		else echo "without live boards: they need node and npm (sudo apt install nodejs npm)"; fi
	@$(BIN)/sphinx-build -q -W --keep-going -b html -c docs . docs/_site
	@echo "docs/_site/docs/index.html"

docs-serve: ## serve the manual on this machine, with live boards
	@$(BIN)/python -m tools.browser.serve docs/_site --page docs/index.html $(ARGS)

browser: $(PLAYING) ## build the page that runs in a browser alone (needs npm)
	@$(BIN)/python -m tools.browser.build $(DIST)/browser

browser-serve: ## serve that page on this machine; ARGS="--port 8080"
	@$(BIN)/python -m tools.browser.serve $(DIST)/browser $(ARGS)

bench: $(TESTING) ## measure rules, search and lights on this machine
	@$(BIN)/python -m tools.bench $(ARGS)

train: fast $(EXTRA)study ## learn position values from games; takes hours
	@$(BIN)/python -m tools.training $(ARGS)

study: $(EXTRA)study ## install matplotlib, for `pond study --plots`
	@echo "You can now run $(BIN)/pond study --plots FOLDER."

cluster: $(EXTRA)cluster ## install Dask, for `pond tournament --cluster`
	@echo "You can now run $(BIN)/pond tournament --cluster. $(BIN)/dask starts a cluster."

clean: ## remove .venv and all other generated files
	@[ ! -f $(VENV)/pyvenv.cfg ] || rm -rf $(VENV)
	@rm -rf .kernel build dist docs/_site *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find pond_hw tests tools -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

help-all: ## show all targets
	@awk -F ':.*## ' '/^##@/ { print substr($$0, 5) } /^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

##@ Boards and hardware
hardware: $(EXTRA)hardware ## rebuild hardware/; one board: BOARDS=kitchen.toml
	@for board in $(BOARDS); do $(BIN)/pond hardware build "$$board" $(ARGS) || exit; done

carriers: $(TESTING) ## redesign carrier boards; one board: BOARDS=kitchen.toml
	@$(BIN)/python -m tools.carrier $(BOARDS)
	@$(BIN)/python -m tests.fabrication.kicad.exports

row-boards: $(TESTING) ## redesign the row boards
	@$(BIN)/python -m tools.row_boards
	@$(BIN)/python -m tests.fabrication.kicad.exports

kicad: ## install KiCad and MicroPython in a folder, for tests (root)
	@$(PYTHON) -m tests.fabrication.kicad.build

##@ Releases
dist: $(PLAYING) ## build the wheel and the source distribution, in dist/
	@$(BIN)/python -m tools.dist $(DIST)

deb: ## build the package for DEBIAN=trixie (root); Pi: ARCH=arm64
	@.ci/deb $(DEBIAN)

test-deb: ## test the package in a fresh Debian, also booted (root)
	@.ci/packages $(DEBIAN)
	@.ci/wheel $(DEBIAN)
	@.ci/boot $(DEBIAN)

test-arm: export ARCH := $(or $(ARCH),arm64)
test-arm: dist $(EXTRA)card ## build and test the package for a Pi; an hour or more (root)
	@.ci/deb $(DEBIAN)
	@$(MAKE) --no-print-directory test-deb DEBIAN=$(DEBIAN)
	@.ci/first-day $(DEBIAN)

test-card: export ARCH := $(or $(ARCH),arm64)
test-card: $(EXTRA)card ## cut the power in a card's first start (root)
	@.ci/boot $(DEBIAN) first_boot

release: $(EXTRA)release ## build all downloads, in dist/ (root); a part: ARGS=pico
	@$(BIN)/python -m tools.release "$(DIST)" $(ARGS)

try-release: $(TESTING) ## try the downloads in dist/, as their users would; ARGS=pip
	@$(BIN)/python -m tests.tools.release.trial $(DIST) $(ARGS)

lock: ## rebuild the lock files; newest: LOCK_ARGS=--upgrade
	@$(PYTHON) -m tools.lock $(UV) $(LOCK_ARGS)

# Installing packages from the lock files.

SET_UP = tools/install-packages "$(PYTHON)" "$(VENV)"

$(PLAYING): pyproject.toml requirements.lock
	@$(SET_UP) requirements.lock $@ "usually 10 to 20 seconds"

# This lock file includes all packages of requirements.lock, in the same versions.
$(TESTING): pyproject.toml requirements.lock requirements-dev.lock
	@$(SET_UP) requirements-dev.lock $@ "usually about a minute"
	@touch $(PLAYING) $@

# These packages are compiled, in the versions for a Pi.
$(COMPILED): $(TESTING) requirements-hw.lock
	@$(BIN)/python -c 'import sys; from pond_hw.engine.packed.build import missing_compiler; sys.exit(missing_compiler())'
	@$(SET_UP) requirements-hw.lock $@ "usually about a minute"

# The extras of pyproject.toml. None needs the test packages.
$(EXTRA)%: $(PLAYING) requirements-%.lock
	@$(SET_UP) requirements-$*.lock $@ "usually less than a minute"
