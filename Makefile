# Everything is installed into $(VENV) in this folder and nowhere else. python3, pip and make are enough to begin with.

PYTHON      ?= python3
VENV        ?= .venv
ARGS        ?=
N           ?= 20000
STATES      ?= 100000
EVENINGS    ?= 75
BASE        ?=
CASES       ?= 20
PYTEST_ARGS ?=
UV          ?= uv
DIST        ?= dist
DEBIAN      ?= trixie
BOARDS      ?= direct-4x4 hall-4x4 matrix-5x5 hall-5x5 neotrellis-4x4 usb-direct-4x4 usb-hall-4x4 usb-matrix-5x5

BIN     := $(VENV)/bin
PLAYING := $(VENV)/.ready-to-play
TESTING := $(VENV)/.ready-to-test
COMPILED := $(VENV)/.ready-to-compare
EXTRA    := $(VENV)/.ready-for-
LOG     := $(VENV)/set-up.log
PI      := $(filter aarch64 armv6l armv7l,$(shell uname -m))

export ARCH
.NOTPARALLEL:
unexport PYTHONDONTWRITEBYTECODE # where it is set, every run would make the asserts of all tests anew
.PHONY: help help-all play test check behaviour test-long campaign diagnose soak power kernel test-kernel kicad carriers hw fast hardware study train cluster bench picture man messages docs dist deb test-deb test-arm lock clean web

PLAYERS  := play|test|web|docs|clean|help-all
PLAY     := play|web|fast
WORK     := messages|man|picture|docs|bench|train|study|cluster|clean|help-all
TESTS    := test|check|behaviour|test-long|campaign|diagnose|power|soak|kernel|test-kernel|hw
HARDWARE := hardware|kicad|carriers
RELEASES := dist|deb|test-deb|test-arm|lock
MENU = @awk -F ':.*\#\# ' '/^($(1)):.*\#\# / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

help:
	$(call MENU,$(PLAYERS))

play: $(PLAYING) ## play here, no hardware needed; ARGS="--dark level-4"
	@$(BIN)/pond play $(ARGS)

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

campaign: $(TESTING) ## simulated people play N=20000 actions; ARGS="--seed 7"
	@$(BIN)/python -m tests.campaign --actions $(N) --jobs 2 $(ARGS)

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

kicad: ## install KiCad in its own folder, to check schematics (root)
	@$(PYTHON) -m tests.fabrication.kicad.build

carriers: $(TESTING) ## design carrier boards again; one board: BOARDS=kitchen.toml
	@$(BIN)/python -m tools.carrier $(BOARDS)
	@$(BIN)/python -m tests.fabrication.kicad.exports

hw: $(COMPILED) ## compile the libraries of a Pi, to test every driver (Linux)

fast: $(EXTRA)fast ## compile the engine: faster opponents (needs a C compiler)
	@$(BIN)/python -m pond_hw.engine.packed.build

hardware: $(EXTRA)hardware ## make hardware/ again; one board: BOARDS=kitchen.toml
	@for board in $(BOARDS); do $(BIN)/pond hardware build "$$board" $(ARGS) || exit; done

study: $(EXTRA)study ## install what draws the pictures of `pond study --plots`
	@echo "$(BIN)/pond study --plots FOLDER can draw its pictures now."

train: fast $(EXTRA)study ## learn from games what positions are worth; takes hours
	@$(BIN)/python -m tools.training $(ARGS)

cluster: $(EXTRA)cluster ## install Dask, for `pond tournament --cluster`
	@echo "$(BIN)/pond tournament --cluster can play on a Dask cluster now; $(BIN)/dask starts one."

web: $(EXTRA)web ## install what the page for phones needs, `pond web`
	@echo "$(BIN)/pond web --spectators can serve its page now."

bench: $(TESTING) ## measure rules, search and lights on this machine
	@$(BIN)/python tests/bench.py $(ARGS)

picture: $(TESTING) ## draw the pictures of the manual again
	@$(BIN)/python -m tools.terminal_picture $(ARGS)
	@$(BIN)/python -m tools.lamp_animations
	@$(BIN)/python -m tools.mistake_pictures
	@$(BIN)/python -m tools.fairness_picture

messages: $(TESTING) ## compile the messages after you have changed one
	@$(BIN)/python -m tools.catalogues

docs: $(EXTRA)docs ## build the manual as a web site: docs/_site/docs/index.html
	@$(BIN)/sphinx-build -q -W --keep-going -b html -c docs . docs/_site
	@echo "docs/_site/docs/index.html"

dist: $(PLAYING) ## build the wheel and the source distribution, in dist/
	@mkdir -p $(DIST); rm -f $(DIST)/pond_hw-*
	@$(BUILD) build_sdist $(abspath $(DIST)) >$(LOG) || { tail -n 20 $(LOG); exit 1; }
	@unpacked=$$(mktemp -d); trap 'rm -rf $$unpacked' EXIT; tar -xzf $(DIST)/pond_hw-*.tar.gz -C $$unpacked --strip-components 1; \
		cd $$unpacked && $(BUILD) build_wheel $(abspath $(DIST)) >$(abspath $(LOG)) || { tail -n 20 $(abspath $(LOG)); exit 1; }
	@ls $(DIST)/pond_hw-*

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

man: $(TESTING) ## write the man page and the generated pages again
	@$(BIN)/python -m tools.manpage
	@$(BIN)/python -m tools.profile_page
	@$(BIN)/python -m tools.puzzles_page
	@$(BIN)/python -m tools.commands_page

lock: ## choose locked versions again; newest: LOCK_ARGS=--upgrade
	@command -v $(UV) >/dev/null || { echo "make lock needs uv, for example from: pipx install uv"; exit 1; }
	@$(BACKEND) | $(COMPILE) -o requirements.lock pyproject.toml -
	@$(BACKEND) | $(COMPILE) -o requirements-dev.lock -c requirements.lock --extra dev pyproject.toml -
	@for extra in hw fast hardware study cluster web docs; do \
		$(ASKED) $$extra | $(COMPILE) -o requirements-$$extra.lock -c requirements-dev.lock - || exit; done

clean: ## remove .venv and everything else that was made here
	@[ ! -f $(VENV)/pyvenv.cfg ] || rm -rf $(VENV)
	@rm -rf .kernel build dist docs/_site *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find pond_hw tests tools -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

help-all: ## show all targets
	@echo "Play"
	$(call MENU,$(PLAY))
	@echo "Work on it"
	$(call MENU,$(WORK))
	@echo "Tests"
	$(call MENU,$(TESTS))
	@echo "Boards and hardware"
	$(call MENU,$(HARDWARE))
	@echo "Releases"
	$(call MENU,$(RELEASES))

# The backend that pyproject.toml names, asked as pip asks it. The wheel is made of what the source distribution holds.
BUILD = $(abspath $(BIN))/python -W ignore -c 'import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])'

# The build backend is locked with the rest, so that installing the project itself asks nobody for anything.
# uv's own settings and those of this machine stay out: they would put addresses into the file.
BACKEND = $(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")'
ASKED = $(PYTHON) -c 'import sys, tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"][sys.argv[1]], sep="\n")'
COMPILE = $(UV) --no-config pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-annotate $(LOCK_ARGS)

# A stamp tells that $(VENV) holds what its lock asks for; with a fresh stamp nothing is started and no network is needed.
$(PLAYING): pyproject.toml requirements.lock
	$(call set-up,requirements.lock,usually 10 to 20 seconds)

# The second lock holds all of the first, in the same versions.
$(TESTING): pyproject.toml requirements.lock requirements-dev.lock
	$(call set-up,requirements-dev.lock,usually about a minute)
	@touch $(PLAYING) $@

# The third holds only what a compiler must make, in the versions that a Pi gets.
$(COMPILED): $(TESTING) requirements-hw.lock
	@$(BIN)/python -c 'import sys; from pond_hw.engine.packed.build import missing_compiler; sys.exit(missing_compiler())'
	$(call set-up,requirements-hw.lock,usually about a minute)

# The others hold what an extra of pyproject.toml asks for; none of them needs the tests.
$(EXTRA)%: $(PLAYING) requirements-%.lock
	$(call set-up,requirements-$*.lock,usually less than a minute)

# On a Pi the virtual environment sees the system's packages, for lgpio. Debian without python3-venv can make one only
# without pip; the system's pip then installs into it from outside, which it has been able to since 22.3.
# A package whose marker is for another machine is not counted, unless this is a Pi, for which most of them are.
define set-up
@say() { printf '%s\n' "$$*"; }; \
"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	say "Pond needs Python 3.11 or newer as $(PYTHON); name another one with: make PYTHON=python3.12"; exit 1; }; \
if [ -d "$(VENV)" ] && [ ! -f "$(VENV)/pyvenv.cfg" ]; then \
	say "$(VENV) is there but is not a virtual environment; name another place with: make VENV=.venv2"; exit 1; fi; \
packages=$$(grep '==' $(1) | grep -vc '$(if $(PI),^$$,platform_machine)'); \
say "setting up $(VENV): about $$packages packages to download, $(2)$(if $(PI),; longer on a Pi) ..."; \
if ! "$(BIN)/python" -c '' 2>/dev/null; then \
	"$(PYTHON)" -m venv --clear $(if $(PI),--system-site-packages) "$(VENV)" >/dev/null 2>&1 || \
	"$(PYTHON)" -m venv --clear $(if $(PI),--system-site-packages) --without-pip "$(VENV)" || exit 1; fi; \
if "$(BIN)/python" -m pip --version >/dev/null 2>&1; then pip() { "$(BIN)/python" -m pip "$$@"; }; \
elif "$(PYTHON)" -c 'import pip, sys; sys.exit([int(n) for n in pip.__version__.split(".")[:2]] < [22, 3])' 2>/dev/null; \
then pip() { "$(PYTHON)" -m pip --python "$(BIN)/python" "$$@"; }; \
else say "pip is missing for $(PYTHON), or older than 22.3; on Debian it comes with: sudo apt install python3-pip"; exit 1; fi; \
progress() { number=0; while IFS= read -r line; do printf '%s\n' "$$line" >&3; case "$$line" in \
	Collecting*) number=$$((number + 1)); line=$${line#Collecting }; say "$$number of $$packages: $${line%% *}" ;; \
	Building* | Installing\ collected*) say "$${line%%:*} ..." ;; esac; done; }; \
shown() { if [ -t 1 ]; then while read -r line; do printf '\r\033[K  %s' "$$line"; done; printf '\r\033[K'; else cat >/dev/null; fi; }; \
options="--no-input --disable-pip-version-check --progress-bar off"; rm -f $@; \
{ pip install $$options --require-hashes -r $(1) && pip install $$options --no-deps --no-build-isolation -e . && touch $@; } \
	2>&1 | progress 3>"$(LOG)" | shown; \
[ -f $@ ] || { \
	if grep -qE 'connection broken by|from versions: none|ConnectionError|timed out' "$(LOG)"; \
	then say "No network? Pond's packages are downloaded once; after that it needs no network. Connect, then try again."; \
	else tail -n 20 "$(LOG)"; fi; \
	say "The set-up stopped; all that pip said is in $(LOG)."; \
	$(if $(PI),say "If a hardware package could not be built: sudo apt install python3-dev gcc";) exit 1; }
endef
