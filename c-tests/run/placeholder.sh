#!/usr/bin/env bash
# placeholder.sh: a process is killed at each of its last stops while it appends to `x.profraw`, which stays readable.
set -u
. "$SRC/stops.sh"
export LLVM_PROFILE_FILE=x.profraw __LLVM_PROFILE_RT_INIT_ONCE=1
main || exit 1
mv x.profraw saved
prepare() {
  rm -f x.profraw
  [ "$1" = no ] || cp saved x.profraw
}
# A tool that cannot write a function's name as text writes nothing, with status 0.
merged() { "$PROFDATA" merge -text x.profraw -o merged && grep -q ^long_work merged && echo yes; }
readable() {
  [ ! -e x.profraw ] || [ "$(asked x.profraw merged)" = yes ] || wrong "not readable $1"
}
check() {
  readable "after the kill"
  # Left for profdata.
  ! grep -aq profrt x.profraw 2> /dev/null || cp x.profraw torn.profraw
  main || wrong "the next run fails"
  readable "after the next run"
}
LAST=30 each_stop prepare check main
rm -f merged saved x.profraw
exit $bad
