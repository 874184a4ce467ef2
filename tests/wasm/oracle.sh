#!/bin/sh
# Builds LLVM's runtime for WASI in the directory $1: DIRECTORY/libclang_rt.profile.a.
set -eu
here=$(dirname "$(readlink -f "$0")")
"$here/../llvm-sources.sh" "$1"
cd "$1"
mkdir object
compile() {
  "${CLANG:-clang-22}" -w --target=wasm32-wasi --sysroot=/usr -Os -DCOMPILER_RT_HAS_ATOMICS=1 -DCOMPILER_RT_HAS_UNAME=1 '-Dgetpagesize()=65536' \
    -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_GETPID -Isource/compiler-rt/include -Isource/compiler-rt/lib/profile -c "$1" -o "object/$(basename "$1").o"
}
for name in '' Buffer File Internal Merge MergeFile NameVar Util Value VersionVar Writer; do
  compile "source/compiler-rt/lib/profile/InstrProfiling$name.c"
done
compile source/compiler-rt/lib/profile/InstrProfilingRuntime.cpp
compile "$here/platform.c"
"${AR:-llvm-ar-22}" rcs libclang_rt.profile.a object/*.o
rm -r source object
