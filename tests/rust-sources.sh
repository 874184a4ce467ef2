# Finds a toolchain with the sources of the standard library: RUSTC, CARGO.
for RUSTC in rustc /usr/bin/rustc; do
  [ ! -f "$($RUSTC --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ] || break
done
RUSTC=$($RUSTC --print sysroot)/bin/rustc
export RUSTC CARGO="${RUSTC%rustc}cargo"
