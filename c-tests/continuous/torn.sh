#!/usr/bin/env bash
# torn.sh PROGRAM STEPS...: killed before and behind each system call, with no profile there and with one of an earlier run: there
# is no file, the old one, or a whole one that counts `work` 0, 3 or 7 times.
set -u
. "$SRC/../run/stops.sh"
export LLVM_PROFILE_FILE=runs/a%c.profraw
"$@" || exit 1
mv runs/a.profraw old

prepare() {
  rm -rf runs
  mkdir runs
  [ $1 = no ] || cp old runs/a.profraw
}
counted() {
  # Names of other functions, and of their files, may contain the name.
  "$PROFDATA" show --counts --function=work runs/a.profraw 2>&1 | awk '
    /^  [^ ].*:$/ { ours = $0 ~ /^  (.*[:;])?work:$/ }
    ours && /(Function count: |Block counts: \[)[0-9]/ { gsub(/[^0-9 ]/, ""); print $1; exit }'
}
check() {
  local counts
  if [ -e runs/a.profraw ] && ! cmp -s runs/a.profraw old; then
    counts=$(asked runs/a.profraw counted)
    case $counts in 0 | 3 | 7) ;; *) wrong "counts $counts" ;; esac
  fi
}
MAPPED=1 each_stop prepare check "$@"
rm -rf runs old
exit $bad
