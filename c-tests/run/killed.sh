#!/usr/bin/env bash
# killed.sh PROGRAM: killed before and behind each system call, it leaves no file, the old one or the complete new one, and nothing
# else that looks like a profile. ALSO: more than one image writes to the file, so a killed run may leave the profiles of some.
set -u
. "$SRC/../run/stops.sh"
export LLVM_PROFILE_FILE=runs/p.profraw
program=$1
"$program" || exit 1
mv runs/p.profraw old
"$program" || exit 1
# The addresses in a profile of a fixed image do not change between runs.
[ -n "${ALSO:-}" ] || cmp -s runs/p.profraw old || exit 1

prepare() {
  rm -rf runs
  mkdir runs
  [ $1 = no ] || cp old runs/p.profraw
}
readable() { "$PROFDATA" show runs/p.profraw > /dev/null && echo yes; }
check() {
  local file
  for file in runs/*.profraw; do
    [ "$file" = 'runs/*.profraw' ] || [ $file = runs/p.profraw ] || wrong "$file is left"
  done
  if [ -e runs/p.profraw ] && ! cmp -s runs/p.profraw old; then
    [ -n "${ALSO:-}" ] && [ "$(asked runs/p.profraw readable)" = yes ] && return
    wrong "$(stat -c %s runs/p.profraw) bytes of $(stat -c %s old)"
  fi
}
each_stop prepare check "$program"
rm -rf runs old
exit $bad
