#!/bin/sh
# Prepares what the tests need in the target directory, and runs them: for `cargo xtask test windows`; with --all also the tool.
set -eu
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
export OVERLAY="$target/windows/overlay" PROFRT="$target/debug/profrt" DIST="$target/dist" WINE=/usr/lib/wine/wine64 WINEPREFIX="$target/windows/prefix"
mkdir -p "$WINEPREFIX"
{
  for device in x86_64-pc-windows-gnu x86_64-pc-windows-msvc i686-pc-windows-gnu aarch64-pc-windows-gnullvm \
    aarch64-linux-android x86_64-linux-android; do
    cargo xtask build --raw 10 --device $device
  done
  cargo xtask install --clang clang-22 --target x86_64-w64-windows-gnu --archive "$target/dist" --prefix "$OVERLAY"
  cargo build --quiet --package=profrt-tool --package=unified --bin=profrt
  # Else each program would start one.
  /usr/lib/wine/wineserver64 -p || true
  DISPLAY= WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml= "$WINE" wineboot -i
} >&2
. tests/rust-sources.sh
export CARGO_TARGET_DIR="$target/windows"
cd tests/windows
trap '/usr/lib/wine/wineserver64 -k || true' EXIT
node --test --test-concurrency=2 --test-reporter=tap ./*.test.js ${1:+./*.all.js}
