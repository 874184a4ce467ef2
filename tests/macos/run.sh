#!/bin/sh
# Prepares what the tests need in the target directory, and runs them: for `cargo xtask test windows`.
set -eu
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
export OVERLAY="$target/macos" PROFRT="$target/debug/profrt"
{
  for cpu in arm64:aarch64 x86_64:x86_64; do
    cargo xtask build --raw 10 --device "${cpu#*:}-apple-darwin"
    cargo xtask install --clang clang-22 --target "${cpu%:*}-apple-macos11" --archive "$target/dist" --prefix "$OVERLAY/${cpu%:*}"
  done
  cargo build --quiet --package=profrt-tool --package=unified --bin=profrt
} >&2
cd tests/macos
exec node --test --test-reporter=tap
