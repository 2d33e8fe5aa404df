# Every target does all of its own set-up. Needed beforehand: Rust (stable, 1.89 or newer), Python 3.11, Node 20, a C
# compiler. `make fuzz` also needs a nightly Rust.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# Cargo plugins of a fixed version live in a folder of the checkout that git ignores.
TOOLS := $(CURDIR)/.tools
CARGO_DENY_VERSION := 0.20.2
CARGO_FUZZ_VERSION := 0.13.2
export PATH := $(TOOLS)/bin:$(PATH)

FUZZ_SECONDS ?= 60
BENCH_ARCH ?=

BENCH_HOSTS ?= native,node,chromium,firefox,webkit

.PHONY: help demo test test-targets npm npm-docs test-npm check bench bench-hosts fuzz nightly clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: ## Encrypted scoring and statistics on real data: client, server and wire
	cargo build --release --locked -p phoca-cli
	cargo run --release --locked --quiet -p phoca-cli -- demo

test: ## Every test, with live interoperability against SEAL, node-seal and TenSEAL
	scripts/test.sh

test-targets: ## The kernels for 64-bit Arm (QEMU) and WebAssembly (Node), where the machine can run them
	scripts/test-targets.sh

npm: ## The npm packages, in bindings/npm/*/dist
	scripts/build-npm.sh

npm-docs: npm ## The reference of the npm package, in target/npm-docs
	cd bindings/npm && npm run --silent docs

test-npm: ## The tests of the npm packages in Node, Chromium and Firefox
	scripts/test-npm.sh

check: $(TOOLS)/cargo-deny-$(CARGO_DENY_VERSION) ## Formatting, lints, no_std, documentation, licences and banned crates
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo clippy --locked -p phoca-ring -p phoca-rlwe -p phoca-tfhe --no-default-features -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked
	cargo deny --locked check licenses bans sources

bench: ## Every benchmark next to Microsoft SEAL, recorded in bench/results (BENCH_ARCH=ifma: one set of kernels)
	scripts/bench.sh $(BENCH_ARCH)

bench-hosts: ## The npm package next to node-seal in Node and browsers, recorded in bench/results (BENCH_HOSTS=node,firefox)
	HOSTS=$(BENCH_HOSTS) scripts/bench.sh

fuzz: nightly $(TOOLS)/cargo-fuzz-$(CARGO_FUZZ_VERSION) ## Each fuzz target for FUZZ_SECONDS=60; needs a nightly Rust
	for target in $$(cargo +nightly fuzz list); do \
		found=target/fuzz-corpus/$$target; seeds=fuzz/corpus/$$target; \
		mkdir -p $$found $$seeds; \
		echo "== $$target: $(FUZZ_SECONDS) s"; \
		cargo +nightly fuzz run $$target $$found $$seeds -- -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1; \
	done
	@echo "fuzz: every target ran for $(FUZZ_SECONDS) s without a crash"

nightly:
	@cargo +nightly --version >/dev/null 2>&1 || { \
		echo "make fuzz needs a nightly Rust, which is not installed: rustup toolchain install nightly" >&2; exit 1; }

clean: ## Remove what the other targets built or installed inside the checkout
	rm -rf target .tools .peers fuzz/target fuzz/artifacts fuzz/coverage \
		bindings/npm/node_modules bindings/npm/*/dist bindings/npm/phoca/wasm bindings/npm/examples/vite/dist \
		bindings/npm/phoca-seal6/*_wasm_*

# The stamp's name holds the version, so that a new pin installs anew.
$(TOOLS)/cargo-%:
	name=$(word 1,$(subst -, ,$*)); version=$(lastword $(subst -, ,$*)); \
	cargo install --root $(TOOLS) --locked --force --version $$version cargo-$$name
	touch $@
