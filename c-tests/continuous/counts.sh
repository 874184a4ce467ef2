#!/usr/bin/env bash
# counts.sh FILES FUNCTION COUNTS [FUNCTION COUNTS]...: complains unless the counters of each function are these in the sum of
# all files that the pattern matches. `FILES` may be several patterns; each file must be readable for itself.
set -uo pipefail
wrong=0
for file in $1; do
  # llvm-profdata takes an empty one without a word.
  test -s "$file" || wrong=1
done
text=$("$PROFDATA" merge --text -o - $1 | sed 's/^[^ :]*[:;]\([a-z_]*\)$/\1/') || wrong=1
shift
while [ $# -gt 0 ]; do
  found=$(printf '%s\n' "$text" | awk -v name="$1" '
    $0 == name { inside = 1; next }
    inside && /^$/ { exit }
    inside && /^# Counter Values/ { counters = 1; next }
    inside && counters && /^[0-9]+$/ { line = line (line == "" ? "" : " ") $0; next }
    counters { exit }
    END { print line }')
  if [ "$found" != "$2" ]; then
    echo "$1: $found instead of $2"
    wrong=1
  fi
  shift 2
done
exit $wrong
