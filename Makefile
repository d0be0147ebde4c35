# `make book` and `make test` need nothing but Python, make and a package registry.
# `make help` lists the rest.

PYTHON ?= python3
PIP_ARGS ?=
PROFILE ?= meadow
JOBS ?= 2
PORT ?= 8000
SHEEP_DATA ?=
MUSHROOM_DATA ?=
COCO_DATA ?=
SHEEP_FEATURES ?=
export SHEEP_DATA MUSHROOM_DATA COCO_DATA SHEEP_FEATURES

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# A stamp for each version of Python, so that another PYTHON makes the environment anew.
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
READY := $(VENV)/ready-$(VERSION)
MODELS := $(VENV)/models-$(VERSION)

.DELETE_ON_ERROR:
.PHONY: help book test serve bench meadow clean

help:
	@echo 'make book     run the notebooks and build the book: _build/html/index.html'
	@echo 'make test     check style, types and behaviour'
	@echo 'make serve    show the book at http://127.0.0.1:$(PORT)/'
	@echo 'make bench    print how much faster than the straightforward way'
	@echo 'make meadow   train the miniature models of the embedded corpus anew, in about 75 minutes on two cores'
	@echo 'make clean    remove what was built; the environment in $(VENV) stays'
	@echo
	@echo 'Variables, with their values now:'
	@echo '  PROFILE=$(PROFILE)    meadow (offline), sheep, mushroom or coco (real data)'
	@echo '  SHEEP_DATA=$(SHEEP_DATA)    directory or zip of the data of PROFILE=sheep'
	@echo '  SHEEP_FEATURES=$(SHEEP_FEATURES)    directory of what sheep features extract kept, if not in the cache'
	@echo '  MUSHROOM_DATA=$(MUSHROOM_DATA)    directory of the data of PROFILE=mushroom'
	@echo '  COCO_DATA=$(COCO_DATA)    directory of captions, objects and synonyms of PROFILE=coco'
	@echo '  JOBS=$(JOBS)    notebooks, tests and trainings to run at once'
	@echo '  PYTHON=$(PYTHON)    3.11 to 3.13'
	@echo '  PIP_ARGS=$(PIP_ARGS)    such as --index-url ADDRESS'

book: $(MODELS)
	$(BIN)/sheep run --profile $(PROFILE) --jobs $(JOBS)
	$(BIN)/python -m sheeplib.book $(PROFILE)

test: $(MODELS)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -q -n $(JOBS)

serve: $(READY)
	@test -f _build/html/index.html || { echo 'No book yet: make book' >&2; exit 1; }
	@echo 'http://127.0.0.1:$(PORT)/ (Ctrl-C ends it)'
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

bench: $(MODELS)
	@for case in benchmarks/bench_*.py; do $(BIN)/python "$$case" || exit 1; done

# What is finished is kept in _build/meadow, so that a second run goes on where one stopped.
meadow: $(MODELS)
	$(BIN)/sheep meadow train --directory _build/meadow --workers $(JOBS)
	$(BIN)/sheep meadow harvest --directory _build/meadow --workers $(JOBS)
	$(BIN)/sheep meadow features --directory _build/meadow --workers $(JOBS)
	$(BIN)/sheep meadow abilities --directory _build/meadow
	$(BIN)/sheep meadow install --directory _build/meadow
	$(BIN)/sheep meadow verify

clean:
	rm -rf _build book/notebooks book/pictures results .pytest_cache .ruff_cache .mypy_cache .hypothesis

# The lock is complete, so nothing is resolved: a test dependency claims older libraries than it needs.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo 'Python 3.11, 3.12 or 3.13 is needed, and "$(PYTHON)" is not one: make PYTHON=python3.12 ...' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) install -q $(PIP_ARGS) --no-deps -r requirements.lock
	$(PIP) install -q $(PIP_ARGS) --no-deps --no-build-isolation -e .
	@touch $@

# torch first and with what it needs: others that need torch would choose a larger build.
$(MODELS): requirements-models.lock $(READY)
	$(PIP) install -q $(PIP_ARGS) -c requirements.lock -c requirements-models.lock "$$(grep '^torch==' requirements-models.lock)"
	$(PIP) install -q $(PIP_ARGS) --no-deps -r requirements-models.lock
	@touch $@
