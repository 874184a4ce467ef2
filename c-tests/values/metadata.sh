#!/usr/bin/env bash
# Reads LLVM assembly; prints each function, branch, select, call and load that has profile metadata, with the metadata itself.
awk '
  /^!([0-9]+) = / { text[$1] = substr($0, index($0, "= ") + 2) }
  /^define / { match($0, /@[A-Za-z0-9_.$]+/); name = substr($0, RSTART + 1, RLENGTH - 1) }
  /!prof !/ {
    match($0, /!prof ![0-9]+/); number = substr($0, RSTART + 6, RLENGTH - 6)
    what = /^define/ ? "function" : / br /  ? "branch" : / switch / ? "switch" : / select / ? "select" : / call / ? "call" : / load / ? "load" : "other"
    line[++lines] = name " " what; of[lines] = number
  }
  END { for (i = 1; i <= lines; i++) print line[i] ": " text[of[i]] }'
