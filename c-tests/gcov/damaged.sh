#!/usr/bin/env bash
# A file that is cut at any byte, or has another tag or length, is replaced by that of a run, with one message. One without the magic is not ours.
set -u
main count
cp main.gcda whole
size=$(stat -c %s whole)
# check WHAT [MESSAGE FILE]: runs with the file as it is, after which it is this one.
check() {
  main count 2> err
  cmp main.gcda "${3:-whole}" || { echo "$1: not the right file"; exit 1; }
  local told=${2:-'Warning: "main.gcda" cannot be merged: .*\. Its counts are replaced\.'}
  [ "$(wc -l < err)" = 1 ] && grep -qx "LLVM Profile $told" err || { echo "$1: messages"; cat err; exit 1; }
}
for cut in $(seq $((size - 1))); do
  head -c "$cut" whole > main.gcda
  check "cut at $cut"
done
for at in 4 8 12 16 20 24; do
  cp whole main.gcda
  printf '\x7f' | dd of=main.gcda bs=1 seek="$at" conv=notrunc status=none
  check "byte $at"
done
(cat whole; echo more) > main.gcda
check "with more behind"
cp whole damaged
printf x | dd of=damaged bs=1 conv=notrunc status=none
cp damaged main.gcda
check "another magic" 'Error: Failed to write file "main.gcda": it is no .gcda file' damaged
rm -f main.gcda whole damaged err
