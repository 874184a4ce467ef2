#!/usr/bin/env bash
# A file that is cut at any byte, or has another tag or length, is moved aside with one message, and the next run counts again.
set -u
bad=0
main count
cp main.gcda whole
size=$(stat -c %s whole)
# check WHAT: runs with the file as it is.
check() {
  cp main.gcda damaged
  main count 2> err
  [ "$(bash "$SRC/counters.sh" main.gcda 1)" = 1 ] || { echo "$1: the counts are not those of one run"; bad=1; }
  [ "$(wc -l < err)" = 1 ] && grep -q 'cannot be merged' err || { echo "$1: messages"; cat err; bad=1; }
  [ "$(ls -A | grep corrupt)" = main.gcda.corrupt ] && cmp -s main.gcda.corrupt damaged || { echo "$1: it is not moved aside"; bad=1; }
  rm -f main.gcda*
}
for cut in $(seq $((size - 1))); do
  head -c "$cut" whole > main.gcda
  check "cut at $cut"
done
for at in 0 4 8 12 16 20 24; do
  cp whole main.gcda
  printf '\x7f' | dd of=main.gcda bs=1 seek="$at" conv=notrunc status=none
  check "byte $at"
done
(cat whole; echo more) > main.gcda
check "with more behind"
rm -f whole damaged err
exit $bad
