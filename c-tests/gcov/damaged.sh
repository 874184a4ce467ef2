#!/usr/bin/env bash
# A file that is cut at any byte, or has another tag or length, stays, and the counts of a run are in a file beside it, with one message.
set -u
bad=0
main count
cp main.gcda whole
size=$(stat -c %s whole)
# check WHAT: runs with the file as it is.
check() {
  cp main.gcda damaged
  main count 2> err
  local beside
  beside=$(ls -A | grep '^main-[0-9]*\.gcda$')
  [ "$(bash "$SRC/counters.sh" "$beside" 1)" = 1 ] || { echo "$1: the counts are not those of one run"; bad=1; }
  [ "$(wc -l < err)" = 1 ] && grep -q "\"main.gcda\".*\"$beside\"" err || { echo "$1: messages"; cat err; bad=1; }
  cmp main.gcda damaged || { echo "$1: changed"; bad=1; }
  rm -f main*.gcda
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
