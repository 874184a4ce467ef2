#!/usr/bin/env bash
# left.sh PROGRAM STEPS...: killed before and behind each system call, with files of an earlier run there: each file is the old one, a
# whole new one, or gone, and the next run leaves nothing of the earlier ones.
set -u
. "$SRC/../run/stops.sh"
mkdir ../old
mv * ../old
export LLVM_PROFILE_FILE=runs/app%c.profraw

prepare() {
  rm -rf runs
  cp -r ../old runs
  [ $1 = yes ] || rm runs/app.profraw
}
readable() { "$PROFDATA" show "$file" > /dev/null && echo yes; }
check() {
  local file
  [ ! -e runs/app-1.profraw ] || cmp -s runs/app-1.profraw ../old/app-1.profraw || wrong "another app-1.profraw"
  # What follows takes longer, and is the same without the first file.
  [ $1 = yes ] || return
  for file in $(ls -d runs/*.profraw 2> /dev/null); do
    cmp -s "$file" "../old/${file#runs/}" || [ "$(asked "$file" readable)" = yes ] || wrong "$file"
  done
  "${program[@]}" || wrong "the next run failed"
  [ "$(ls runs)" = app.profraw ] || wrong "left: $(ls runs)"
}
program=("$@")
MAPPED=1 each_stop prepare check "$@"
mv runs/app.profraw .
rm -rf runs ../old
exit $bad
