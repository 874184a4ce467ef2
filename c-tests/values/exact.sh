#!/usr/bin/env bash
# exact.sh THREADS ROUNDS: reads what llvm-profdata shows of stress.c and complains about each count that is not exact.
# Target tXY is the (8 (X - 1) + Y)th; site10 to site169 are the sites.
awk -v runs=$(($1 * $2)) '
  /^  site[0-9]+:/ { name = $1; sub("site", "", name); site = name - 10; inside = 1; next }
  /^  [A-Za-z_]/ { inside = 0 }
  inside && /^[ \t]*\[/ {
    split($0, part, ","); split(part[3], number, " "); target = part[2]; sub("^ *t", "", target)
    k = (substr(target, 1, 1) - 1) * 8 + substr(target, 2, 1)
    expected = runs * (k + site % 3 + 1)
    if (number[1] != expected) { print "site " site ", target " k ": " number[1] " instead of " expected; wrong++ }
    if (seen[site, k]++) { print "site " site ": target " k " twice"; wrong++ }
    pairs++
  }
  END { if (pairs != 160 * 16) { print pairs " values instead of 2560"; wrong++ } exit wrong > 0 }'
