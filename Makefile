# The steps of everyday work; `make` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# What `make run` runs, and further options for it: make run PROFILE=my.yaml ARGS='--controller auto'
PROFILE ?= heart-rate
ARGS ?=
# Further options for the tests and the benchmark.
SWIFT_TEST_ARGS ?=
PYTEST_ARGS ?=
BENCH_ARGS ?=
# How long each parser is fuzzed, and which; all when none are named.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?=

# Where `make install` puts the program, and where `make deb` and `make tarball` put their packages.
PREFIX ?= /usr/local
DESTDIR ?=
PACKAGES := .build/packages

# One module may be optimised into another, and the Swift runtime is part of the program: it starts faster and takes less memory.
# So are libyaml and the C++ library, where their static libraries are installed. Nothing loads the program as a library, so it exports nothing.
# Equal functions are stored once, addresses are fixed, and what a start calls lies together: docs/size.md says what each brings.
RELEASE := -c release -debug-info-format none -Xswiftc -cross-module-optimization -Xswiftc -Xfrontend -Xswiftc -function-sections --static-swift-stdlib \
  -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker --icf=all -Xlinker --no-pie \
  -Xlinker --symbol-ordering-file=$(CURDIR)/packaging/function-order -Xlinker --no-warn-symbol-ordering \
  $(if $(filter /%,$(shell cc -print-file-name=libyaml.a)),--pkg-config-path $(CURDIR)/scripts/pkgconfig)
STATIC_LIBRARIES := .build/static/libstdc++.a
# What `understudy --version` says beside the number.
COMMIT := $(shell git describe --always --dirty=+changes --abbrev=12 --exclude='*' 2>/dev/null)

SWIFT_SOURCES := Sources Tests Benchmarks Fuzzing Package.swift

# So many Swift tests run at a time. Their time limits count from their beginning, so that few that have begun should wait for a core.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4
VENV := .venv
# Newer than the requirements that the environment was made from.
VENV_STAMP := $(VENV)/.made

.PHONY: help
help: ## List these targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 22

.PHONY: dependencies
dependencies:
	@scripts/install-dependencies

.PHONY: browser
browser:
	@scripts/install-dependencies browser

.PHONY: run
run: dependencies ## Build, and run the heart-rate belt on the virtual radio (PROFILE=, ARGS=)
	@test -x .build/debug/understudy || echo 'The first build takes a few minutes.'
	@swift build --product understudy
	@exec .build/debug/understudy run $(PROFILE) $(ARGS)

# The seeds of the swarm that every run of the tests repeats.
FIXED_SEEDS := 1-500
# What `make build-tests` builds. SwiftPM says the same, but one that tests cannot be asked meanwhile.
BUILT := .build/debug
# So many tests in Python run at a time: they mostly wait. PYTEST_WORKERS=0 runs them in one process, for a debugger.
PYTEST_WORKERS ?= 6

.PHONY: test
test: dependencies browser build-tests ## Build and run all tests: board files, Swift, swarm, examples, interoperability (SWIFT_TEST_ARGS=, PYTEST_ARGS=)
	$(MAKE) --no-print-directory test-boards test-swift test-swarm test-documentation test-examples test-python

.PHONY: build-tests
build-tests: dependencies
	swift build --build-tests

.PHONY: test-boards
test-boards:
	Hardware/check

.PHONY: test-swift
test-swift: ## Run the tests in Swift alone, with the debug build that is there (SWIFT_TEST_ARGS=)
	swift test --skip-build $(SWIFT_TEST_ARGS)

.PHONY: test-swarm
test-swarm: ## Run the fixed seeds of the swarm, with the debug build that is there
	$(BUILT)/understudy-bench swarm --seeds $(FIXED_SEEDS)

.PHONY: test-documentation
test-documentation:
	scripts/build-documentation

.PHONY: test-examples
test-examples: ## Run the tests of the package in Examples
	scripts/test-examples

# The Python client with its example, then interoperability.
.PHONY: test-python
test-python: python-environment ## Run the tests in Python alone, with the debug build that is there (PYTEST_ARGS=, PYTEST_WORKERS=)
	$(VENV)/bin/mypy --config-file Clients/python/pyproject.toml
	export UNDERSTUDY="$${UNDERSTUDY:-$(CURDIR)/$(BUILT)/understudy}"; \
	failed=; for tests in Clients/python Tests/Interop; do \
	  $(VENV)/bin/python -m pytest $$tests --numprocesses $(PYTEST_WORKERS) --dist loadgroup --durations 20 $(PYTEST_ARGS) || failed="$$failed $$tests"; \
	done; \
	test -z "$$failed" || { echo "Tests failed in$$failed." >&2; exit 1; }

.PHONY: python-environment
python-environment: $(VENV_STAMP)

# What follows from something else and lies in the repository all the same, because others read it there. Tests hold it against its source.
.PHONY: generate
generate: dependencies ## Write anew what is generated: lists of embedded files, the schema, docs of keys and events, the events in Python
	scripts/embed-files
	swift build --product understudy
	$(BUILT)/understudy schema > Profiles/profile.schema.json
	$(BUILT)/understudy schema --markdown > docs/profile-keys.md
	$(BUILT)/understudy schema --events --markdown > docs/events.md
	Clients/python/scripts/generate_events.py $(BUILT)/understudy

.PHONY: documentation
documentation: dependencies ## Build the documentation of the Swift library (.build/documentation)
	swift build
	scripts/build-documentation

# The tests of the hosts, and every preset of the virtual radio but `full`, on which they run otherwise.
HOST_TESTS := PeripheralHostTests CentralHostTests ControllerSharingTests ConformanceTests SimulationTests
PRESETS ?= large-packets zephyr-hci-uart zephyr-extended nimble rootcanal 4.0 4.2 5.0

.PHONY: test-presets
test-presets: build-tests ## Run the tests of the hosts on the other virtual controllers (PRESETS='nimble 4.2')
	for preset in $(PRESETS); do \
	  UNDERSTUDY_TEST_PRESET=$$preset swift test --skip-build $(HOST_TESTS:%=--filter '^%\.') $(SWIFT_TEST_ARGS); \
	done

# One target of them on one preset: each commit has another, and the same again.
.PHONY: test-preset-slice
test-preset-slice:
	@slices=($(foreach preset,$(PRESETS),$(HOST_TESTS:%=$(preset):%))); \
	commit=$$(git rev-parse --short=7 HEAD 2>/dev/null || date +%Y%m%d); \
	slice=$${slices[16#$$commit % $${#slices[@]}]}; \
	echo "at commit $$commit: $${slice#*:} on the controller $${slice%:*}"; \
	UNDERSTUDY_TEST_PRESET=$${slice%:*} swift test --skip-build --filter "^$${slice#*:}\." $(SWIFT_TEST_ARGS)

# The client is installed as it lies in its folder, so that tests use it as others do. Avatar needs older packages than the tests, in an
# environment of its own.
$(VENV_STAMP): Tests/Interop/requirements.txt Tests/Interop/requirements-avatar.txt Clients/python/pyproject.toml
	rm -rf $(VENV)
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --requirement Tests/Interop/requirements.txt
	$(VENV)/bin/pip install --quiet --no-build-isolation --no-deps --no-index --editable Clients/python
	python3 -m venv $(VENV)/avatar
	$(VENV)/avatar/bin/pip install --quiet --requirement Tests/Interop/requirements-avatar.txt
	touch $@

.PHONY: bench
bench: dependencies $(STATIC_LIBRARIES) ## Measure a release build beside the smallest possible host (BENCH_ARGS=)
	UNDERSTUDY_COMMIT=$(COMMIT) swift build $(RELEASE) --product understudy
	Benchmarks/run "$$(swift build $(RELEASE) --show-bin-path)/understudy" $(BENCH_ARGS)

.PHONY: fuzz
fuzz: dependencies ## Fuzz every parser of octets from outside for a while (FUZZ_SECONDS=, FUZZ_TARGETS=)
	Fuzzing/run --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# How long the swarm takes at the most, and its seeds: others each time.
for ?= 10min
seeds ?= $(shell date +%s)000-$(shell date +%s)999999
.PHONY: swarm
swarm: dependencies ## Run random profiles, centrals and faults, and judge what must hold (for=30min, seeds=1-1000)
	swift build -c release --product understudy-bench
	"$$(swift build -c release --show-bin-path)/understudy-bench" swarm --seeds $(seeds) --for $(for)

# The linker looks here first, and finds only what is to become part of the program.
$(STATIC_LIBRARIES):
	mkdir -p $(@D)
	ln -sf "$$(cc -print-file-name=$(@F))" $@

.PHONY: release
release: dependencies $(STATIC_LIBRARIES) ## Build the program for use: fast, and in one file that needs no Swift runtime
	UNDERSTUDY_COMMIT=$(COMMIT) swift build $(RELEASE) --product understudy
	@echo "$$(swift build $(RELEASE) --show-bin-path)/understudy"

# What is packed is the release build, or another one that PROGRAM names.
PROGRAM ?= $(shell swift build $(RELEASE) --show-bin-path)/understudy

.PHONY: install
install: ## Install what `make release` has built, with its manual, completions and udev rules (PREFIX=, DESTDIR=)
	PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) scripts/install-files $(PROGRAM)

.PHONY: deb
deb: ## Make a Debian package of what `make release` has built
	scripts/make-deb $(PROGRAM) $(PACKAGES)

.PHONY: tarball
tarball: ## Make a tarball of it, in which everything lies below one folder; the same program gives the same octets
	scripts/make-tarball $(PROGRAM) $(PACKAGES)

.PHONY: format
format: dependencies ## Format all Swift sources in place
	swift format --in-place --parallel --recursive $(SWIFT_SOURCES)

.PHONY: lint
lint: dependencies ## Check the format of all Swift sources
	swift format lint --strict --parallel --recursive $(SWIFT_SOURCES)

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf .build $(VENV) Benchmarks/build Fuzzing/build
