# Two commands for a first visit: `make demo` (the main job) and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# of pytest
WORKERS ?= 2

.PHONY: demo test test-all test-rest check bench docs clean

demo: $(VENV)/.installed
	$(BIN)/python examples/town.py out
	$(BIN)/partitope compare --starts 3 --report out/report.html

# one thread of BLAS and OpenMP for each worker: with more, threads that wait for each other take half of the cores
test test-rest: export OMP_NUM_THREADS ?= 1
test test-rest: export OPENBLAS_NUM_THREADS ?= 1
test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not full" $(PYTEST_ARGS)

test-all: test test-rest

# the course, the papers' studies, commands in processes of their own, contracts of scikit-learn, examples in docstrings
test-rest: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m full --doctest-modules tests src studies $(PYTEST_ARGS)

check: $(VENV)/.installed-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/check_circles.py
	$(BIN)/python .ci/check_docstrings.py

bench: $(VENV)/.installed
	$(BIN)/python -m pip install -q -r benchmarks/requirements.txt
	$(BIN)/python -m benchmarks

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e .
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e '.[test]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-check: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e '.[test,check]'
	@touch $@ $(VENV)/.installed $(VENV)/.installed-test

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e '.[docs]'
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build dist out site *.egg-info
