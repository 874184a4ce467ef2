#!/usr/bin/env bash
# Kills a run before and after each of its system calls: the file is absent, or has the counts before or after the run; nothing that another
# run would add; and the next run adds to it.
set -u
. "$SRC/../run/stops.sh"
prepare() {
  rm -rf -- * .*.profrt 2> /dev/null
  [ "$1" = no ] || main count
}
check() {
  local before=0 count=0
  [ "$1" = no ] || before=1
  [ ! -e main.gcda ] || count=$(bash "$SRC/counters.sh" main.gcda 1)
  [ "$count" = $before ] || [ "$count" = $((before + 1)) ] || wrong "count $count"
  [ $before = 0 ] || [ -e main.gcda ] || wrong "the old file is gone"
  main count
  [ "$(bash "$SRC/counters.sh" main.gcda 1)" = $((count + 1)) ] || wrong "the next run does not add to $count"
  [ "$(ls -A | grep -cv '^stops$')" = 1 ] || wrong "there is more: $(ls -A | tr '\n' ' ')"
}
mkdir work && cd work || exit 1
each_stop prepare check main count
cd .. && rm -rf work
exit $bad
