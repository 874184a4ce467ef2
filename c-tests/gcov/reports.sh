#!/usr/bin/env bash
# reports.sh VERSION READER...: compiles source.c for this version of gcov, runs it twice, and prints what the reader makes of its file.
set -eu
version=$1
shift
mkdir work && cd work
cp "$SRC/basic.c" source.c
"$CLANG" -w --coverage -Xclang "-coverage-version=$version" -c source.c
"$CLANG" -resource-dir "$RESOURCES" --coverage source.o -o program
./program > /dev/null
./program 1 > /dev/null
"$@" source.gcda 2>&1
cat source.c.gcov 2> /dev/null || true
cd .. && rm -r work
