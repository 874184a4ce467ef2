#!/bin/sh
# Fetches LLVM's runtime of Debian's source package to the directory source/ in $1, which the caller removes again: oracles are built from it.
set -eu
cd "$1"
mkdir parts lists source
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  case $list in *.list | *.sources) [ ! -f "$list" ] || sed -e 's/^deb /deb-src /' -e 's/^Types: *deb$/Types: deb-src/' "$list" >"parts/${list##*/}" ;; esac
done
apt="apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$PWD/parts -o Dir::State::Lists=$PWD/lists"
$apt update
# One of several files of the package.
uri=$($apt source --print-uris llvm-toolchain-19 | sed -n "s/^'\([^']*\.orig\.tar\.xz\)'.*/\1/p")
curl -sSf "$uri" | tar -xJ --strip-components=1 -C source --wildcards '*/compiler-rt/lib/profile/*' '*/compiler-rt/include/profile/*'
rm -r parts lists
