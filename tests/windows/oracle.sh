#!/bin/sh
# Builds LLVM's runtime for Windows in the directory $1: DIRECTORY/libclang_rt.profile-x86_64.a.
set -eu
here=$(dirname "$(readlink -f "$0")")
"$here/../llvm-sources.sh" "$1"
cd "$1"
mkdir object
for file in source/compiler-rt/lib/profile/*.c source/compiler-rt/lib/profile/*.cpp; do
  case $file in *GCDA* | *Platform[!W]*) continue ;; esac
  "${CLANG:-clang-22}" -w --target=x86_64-w64-windows-gnu -Os -DCOMPILER_RT_HAS_ATOMICS=1 -Isource/compiler-rt/include -Isource/compiler-rt/lib/profile \
    -fno-exceptions -c "$file" -o "object/$(basename "$file").o"
done
"${AR:-llvm-ar-22}" rcs libclang_rt.profile-x86_64.a object/*.o
rm -r source object
