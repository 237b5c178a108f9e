# The everyday tasks; `make` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The profile that `make run` runs, and further options: make run PROFILE=my.yaml ARGS='--controller auto'
PROFILE ?= heart-rate
ARGS ?=
# Further options for the tests and the benchmark.
SWIFT_TEST_ARGS ?=
PYTEST_ARGS ?=
BENCH_ARGS ?=
# Further options for the debug build.
BUILD_ARGS ?=
# How long each parser is fuzzed, and which parsers; default: all.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?=

# The destination of `make install`, and the folder for the packages of `make deb` and `make tarball`.
PREFIX ?= /usr/local
DESTDIR ?=
PACKAGES := .build/packages

# Optimization crosses modules, and the Swift runtime is linked into the program, which makes it start faster and use less memory.
# So are libyaml and the C++ library, if their static libraries are installed. Nothing loads the program as a library, so it exports nothing.
# Equal functions are stored once, addresses are fixed, and functions that a start calls are placed together: docs/size.md lists the savings.
RELEASE := -c release -debug-info-format none -Xswiftc -cross-module-optimization -Xswiftc -Xfrontend -Xswiftc -function-sections --static-swift-stdlib \
  -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker --icf=all -Xlinker --no-pie \
  -Xlinker --symbol-ordering-file=$(CURDIR)/packaging/function-order -Xlinker --no-warn-symbol-ordering \
  $(if $(filter /%,$(shell cc -print-file-name=libyaml.a)),--pkg-config-path $(CURDIR)/scripts/pkgconfig)
STATIC_LIBRARIES := .build/static/libstdc++.a
# The commit that `understudy --version` prints after the number.
COMMIT := $(shell git describe --always --dirty=+changes --abbrev=12 --exclude='*' 2>/dev/null)

SWIFT_SOURCES := Sources Tests Benchmarks Fuzzing Package.swift

# The number of Swift tests that run at a time. Their time limits count from their start, so few started tests should wait for a core.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4
VENV := .venv
# A file that is newer than the requirements of the environment.
VENV_STAMP := $(VENV)/.made
# The environment that builds the documentation's site, and its pages.
SITE_VENV := .build/site-venv
SITE_STAMP := $(SITE_VENV)/.made
SITE := .build/site

.PHONY: help
help: ## List these targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 22

.PHONY: dependencies
dependencies:
	@scripts/install-dependencies

.PHONY: browser
browser:
	@scripts/install-dependencies browser

.PHONY: linux
linux:
	@scripts/install-dependencies linux

.PHONY: run
run: dependencies ## Build, and run the heart-rate belt on the virtual radio (PROFILE=, ARGS=)
	@test -x .build/debug/understudy || echo 'The first build takes a few minutes.'
	@swift build --product understudy
	@exec .build/debug/understudy run $(PROFILE) $(ARGS)

# The swarm seeds that every run of the tests repeats.
FIXED_SEEDS := 1-500
# The output folder of `make build-tests`. SwiftPM could print it, but not while it runs tests.
BUILT := .build/debug
# The number of Python tests that run at a time: they mostly wait. PYTEST_WORKERS=0 runs them in one process, for a debugger.
PYTEST_WORKERS ?= 6

.PHONY: test
test: dependencies browser linux build-tests ## Build and run all tests: board files, Swift, swarm, examples, interoperability (SWIFT_TEST_ARGS=, PYTEST_ARGS=)
	$(MAKE) --no-print-directory test-boards test-swift test-swarm test-documentation test-examples test-python

.PHONY: build-tests
build-tests: dependencies
	swift build --build-tests $(BUILD_ARGS)

.PHONY: test-boards
test-boards:
	Hardware/check

.PHONY: test-swift
test-swift: ## Run only the Swift tests, with the existing debug build (SWIFT_TEST_ARGS=)
	swift test --skip-build $(SWIFT_TEST_ARGS)

.PHONY: test-swarm
test-swarm: ## Run the fixed seeds of the swarm, with the existing debug build
	$(BUILT)/understudy-bench swarm --seeds $(FIXED_SEEDS)

.PHONY: test-documentation
test-documentation:
	scripts/build-documentation

.PHONY: test-examples
test-examples: ## Run the tests of the package in Examples
	scripts/test-examples

# The tests of the Python client and its example, then the interoperability tests. They run in real time, and beside other work a central can
# miss a time limit that is not ours. So what fails is run once more, alone; the output shows both.
.PHONY: test-python
test-python: python-environment ## Run only the Python tests, with the existing debug build (PYTEST_ARGS=, PYTEST_WORKERS=)
	$(VENV)/bin/mypy --config-file Clients/python/pyproject.toml
	export UNDERSTUDY="$${UNDERSTUDY:-$(CURDIR)/$(BUILT)/understudy}"; \
	failed=; for tests in Clients/python Tests/Interop; do \
	  $(VENV)/bin/python -m pytest $$tests --numprocesses $(PYTEST_WORKERS) --dist loadgroup --durations 20 $(PYTEST_ARGS) \
	    || { echo "== alone, once more: the tests of $$tests that failed beside others"; \
	      $(VENV)/bin/python -m pytest $$tests --last-failed --last-failed-no-failures none $(PYTEST_ARGS); } \
	    || failed="$$failed $$tests"; \
	done; \
	test -z "$$failed" || { echo "Tests failed in$$failed." >&2; exit 1; }

.PHONY: python-environment
python-environment: $(VENV_STAMP) $(SITE_STAMP)

# The generated files that are in the repository because others read them there. Tests compare them with their sources.
.PHONY: generate
generate: dependencies ## Regenerate lists of embedded files, the schema, docs of keys, rules, events and Core Bluetooth, the events in Python
	scripts/embed-files
	swift build --product understudy
	$(BUILT)/understudy schema > Profiles/profile.schema.json
	$(BUILT)/understudy schema --markdown > docs/profile-keys.md
	$(BUILT)/understudy lint --markdown > docs/lint-rules.md
	$(BUILT)/understudy schema --events --markdown > docs/events.md
	Clients/python/scripts/generate_events.py $(BUILT)/understudy
	scripts/index-tests
	scripts/list-core-bluetooth

.PHONY: documentation
documentation: dependencies ## Build the documentation of the Swift library (.build/documentation)
	swift build
	scripts/build-documentation

# It includes the Swift library if `make documentation` has run, and the control API's requests if the program is built.
.PHONY: site
site: $(SITE_STAMP) ## Build the documentation as pages for a browser (.build/site/index.html), and check their links
	$(SITE_VENV)/bin/python scripts/build-site $(SITE)
	$(SITE_VENV)/bin/python scripts/check-links $(SITE)
	@echo "$(CURDIR)/$(SITE)/index.html"

$(SITE_STAMP): docs/site/requirements.txt
	@scripts/install-dependencies site
	rm -rf $(SITE_VENV)
	python3 -m venv $(SITE_VENV)
	$(SITE_VENV)/bin/pip install --quiet --requirement $<
	touch $@

# The tests of the hosts, and every preset of the virtual radio except `full`, their default.
HOST_TESTS := PeripheralHostTests CentralHostTests ControllerSharingTests ConformanceTests SimulationTests
PRESETS ?= large-packets zephyr-hci-uart zephyr-extended nimble rootcanal 4.0 4.2 5.0

.PHONY: test-presets
test-presets: build-tests ## Run the tests of the hosts on the other virtual controllers (PRESETS='nimble 4.2')
	for preset in $(PRESETS); do \
	  UNDERSTUDY_TEST_PRESET=$$preset swift test --skip-build $(HOST_TESTS:%=--filter '^%\.') $(SWIFT_TEST_ARGS); \
	done

# One of these targets on one preset. The commit determines which, so different commits test different combinations.
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
fuzz: dependencies ## Fuzz every parser of external input for a while (FUZZ_SECONDS=, FUZZ_TARGETS=)
	Fuzzing/run --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# The time limit of the swarm, and its seeds, which are different each time.
for ?= 10min
seeds ?= $(shell date +%s)000-$(shell date +%s)999999
.PHONY: swarm
swarm: dependencies ## Run random profiles, centrals and faults, and check the rules that must hold (for=30min, seeds=1-1000)
	swift build -c release --product understudy-bench
	"$$(swift build -c release --show-bin-path)/understudy-bench" swarm --seeds $(seeds) --for $(for)

# The linker searches this folder first; it contains only the libraries to link into the program.
$(STATIC_LIBRARIES):
	mkdir -p $(@D)
	ln -sf "$$(cc -print-file-name=$(@F))" $@

.PHONY: release
release: dependencies $(STATIC_LIBRARIES) ## Build the program for use: fast, and in one file that needs no Swift runtime
	UNDERSTUDY_COMMIT=$(COMMIT) swift build $(RELEASE) --product understudy
	@echo "$$(swift build $(RELEASE) --show-bin-path)/understudy"

# The program to package: the release build, or the one that PROGRAM names.
PROGRAM ?= $(shell swift build $(RELEASE) --show-bin-path)/understudy

.PHONY: install
install: ## Install the release build, with its manual, completions and udev rules (PREFIX=, DESTDIR=)
	PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) scripts/install-files $(PROGRAM)

.PHONY: deb
deb: ## Make a Debian package of the release build
	scripts/make-deb $(PROGRAM) $(PACKAGES)

.PHONY: tarball
tarball: ## Make a tarball of the release build, with one top-level folder; the same program gives the same octets
	scripts/make-tarball $(PROGRAM) $(PACKAGES)

.PHONY: format
format: dependencies ## Format all Swift sources in place
	swift format --in-place --parallel --recursive $(SWIFT_SOURCES)

.PHONY: lint
lint: dependencies ## Check the format of all Swift sources, and what follows from their text (scripts/test-swarm, docs/tests.md, docs/core-bluetooth-api.md)
	swift format lint --strict --parallel --recursive $(SWIFT_SOURCES)
	scripts/test-swarm --check
	scripts/index-tests --check
	scripts/list-core-bluetooth --check

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf .build $(VENV) Benchmarks/build Fuzzing/build
