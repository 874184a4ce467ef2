#!/usr/bin/env bash
# counters.sh FILE FUNCTION: prints the counters of a function of a .gcda file, by its place in the file.
od -An -v -tu4 -w4 "$1" | awk -v wanted="$2" '
  { word[NR] = $1 }
  END {
    for (at = 4; at < NR && word[at]; at += 2 + word[at + 1]) {
      if (word[at] == 16777216) seen++
      if (word[at] == 27328512 && seen == wanted)
        for (i = 0; i < word[at + 1]; i += 2) printf "%s%.0f", i ? " " : "", word[at + 2 + i] + word[at + 3 + i] * 4294967296
    }
    print ""
  }'
