#!/bin/sh
# Prepares what the tests need in the target directory, and runs them: for `cargo xtask test wasm`. Without --all, what needs no programs of Cargo's registry.
set -eu
[ "${1-}" != --all ] || export ALL=yes
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
export OVERLAY="$target/wasm/overlay" PYTHON="$target/wasm/venv/bin/python" PROFRT="$target/debug/profrt"
{
  cargo xtask build --raw 10 --device wasm32-wasip1
  cargo xtask install --clang clang-22 --target wasm32-wasi --archive "$target/dist" --prefix "$OVERLAY"
  cargo build --quiet --package=profrt-tool --package=unified --bin=profrt
  if ! cmp -s tests/wasm/requirements.txt "$target/wasm/venv/made-from"; then
    python3 -m venv --clear "$target/wasm/venv"
    "$PYTHON" -m pip install --quiet -r tests/wasm/requirements.txt
    cp tests/wasm/requirements.txt "$target/wasm/venv/made-from"
  fi
  if [ -n "${ALL-}" ]; then
    # Not --locked: a mirror of the registry may not have the newest of the versions there.
    CARGO_TARGET_DIR="$target/wasm" cargo install --quiet --debug --root "$target/wasm" wasm-bindgen-cli@0.2.130 wasm-component-ld@0.5.31
  fi
} >&2
export PATH="$target/wasm/bin:$PATH"
. tests/rust-sources.sh
export CARGO_TARGET_DIR="$target/wasm"
cd tests/wasm
[ -n "${ALL-}" ] || printf 'test %s ... ignored, `cargo xtask test --all` runs it\n' component wasm-bindgen
exec node --test --test-reporter=tap
