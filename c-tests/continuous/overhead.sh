#!/usr/bin/env bash
# Instructions that callgrind counts in `main` of loop.c: without pages, with them, and in continuous mode.
set -u
count() {
  LLVM_PROFILE_FILE=$2 valgrind -q --tool=callgrind --callgrind-out-file=out "$1" || exit 1
  callgrind_annotate --inclusive=no out | sed -n 's/^ *\([0-9,]*\) .*[:?]main \[.*/\1/p' | tr -d ,
  rm out
}
plain=$(count plain plain.profraw)
pages=$(count main pages.profraw)
mapped=$(count main mapped%c.profraw)
[ "$plain" -gt 3000000 ] && [ "$plain" = "$pages" ] && [ "$plain" = "$mapped" ] || {
  echo "plain $plain, whole pages $pages, mapped $mapped"
  exit 1
}
"$PROFDATA" merge --text -o mapped mapped.profraw && "$PROFDATA" merge --text -o pages pages.profraw && cmp mapped pages && rm mapped pages
