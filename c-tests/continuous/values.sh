#!/usr/bin/env bash
# values.sh FILES VALUES: complains unless the sites of `values` in language.c have these values in the sum of the files.
found=$("$PROFDATA" merge --text -o - $1 | grep -E '^(twice|thrice|5):[0-9]+$' | sort | tr '\n' ' ')
[ "$found" = "$2 " ] || { echo "$found instead of $2"; exit 1; }
