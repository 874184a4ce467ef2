#!/usr/bin/env bash
# fire.sh PROGRAM: kills the program as it enters each system call from the first that has to do with the file (which is after it
# has left the one before). NAMED: the new file has a name, and may be left half written. SAME: a second run changes nothing.
set -eu
export LLVM_PROFILE_FILE=p/%m.profraw
program=$1
mkdir saved
for n in 1 2 3; do
  "$program"
  cp p/*.profraw "saved/$n"
done
pool=$(echo p/*.profraw)
[ -n "${SAME:-}" ] || ! cmp -s saved/1 saved/2
[ "$(ls -A p)" = "${pool#p/}" ]

# Which of the saved sums the file is; 0: there is none.
sum() {
  [ -e "$pool" ] || { echo 0; return; }
  for n in 1 2 3; do
    if cmp -s "$pool" "saved/$n"; then echo "$n"; return; fi
  done
  echo torn
}

bad=0
for old in 0 1; do
  prepare() {
    rm -rf p
    [ "$old" = 0 ] || { mkdir p; cp saved/1 "$pool"; }
  }
  prepare
  strace -o trace "$program"
  first=$(grep -n "$pool" trace | head -1 | cut -d: -f1)
  last=$(grep -n exit_group trace | cut -d: -f1)
  states=
  for n in $(seq "$first" "$last"); do
    prepare
    # strace counts each call for itself.
    call=$(sed -n "${n}s/(.*//p" trace)
    nth=$(head -n "$n" trace | grep -c "^$call(")
    code=0
    { strace -qq -o killed -e trace="$call" -e inject="$call:signal=KILL:when=$nth" "$program"; } 2> /dev/null || code=$?
    seen=$(sum)
    at="killed at $call $nth, old sum $old"
    if [ "$code" != 137 ]; then echo "$at: exit code $code"; bad=1; fi
    case $old$seen in
      00 | 01 | 11 | 12) ;;
      *) echo "$at: $seen"; bad=1; continue ;;
    esac
    states="$states $old$seen"
    for left in p/.profrt-*; do
      if [ -e "$left" ] && [ -z "${NAMED:-}" ] && ! cmp -s "$left" "saved/$((old + 1))"; then
        echo "$at: $left is not whole"
        bad=1
      fi
    done
    for left in p/*; do
      if [ -e "$left" ] && [ "$left" != "$pool" ]; then echo "$at: $left is left"; bad=1; fi
    done
    "$program"
    now=$(sum)
    if [ -z "${SAME:-}" ] && [ "$now" != $((seen + 1)) ]; then echo "$at: $now after $seen"; bad=1; fi
  done
  # Both must have been met, or the kills were somewhere else.
  for state in $old$old $old$((old + 1)); do
    case "$states" in
      *"$state"*) ;;
      *) [ -n "${SAME:-}" ] || { echo "old sum $old: no kill left $state:$states"; bad=1; } ;;
    esac
  done
done
rm -rf p saved trace killed
exit $bad
