#!/bin/sh
# Builds LLVM's runtime for WASI from Debian's source package, which is fetched to the directory $1 and removed again: DIRECTORY/libclang_rt.profile.a.
set -eu
here=$(dirname "$(readlink -f "$0")")
cd "$1"
mkdir parts lists source object
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  case $list in *.list | *.sources) [ ! -f "$list" ] || sed -e 's/^deb /deb-src /' -e 's/^Types: *deb$/Types: deb-src/' "$list" >"parts/${list##*/}" ;; esac
done
apt="apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$PWD/parts -o Dir::State::Lists=$PWD/lists"
$apt update
# One of several files of the package.
uri=$($apt source --print-uris llvm-toolchain-19 | sed -n "s/^'\([^']*\.orig\.tar\.xz\)'.*/\1/p")
curl -sSf "$uri" | tar -xJ --strip-components=1 -C source --wildcards '*/compiler-rt/lib/profile/*' '*/compiler-rt/include/profile/*'
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
rm -r parts lists source object
