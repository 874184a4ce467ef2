#!/usr/bin/env bash
# sandbox.sh [only-profiles]: `main` writes into a new file, adds to one, and merges into one, where some calls are refused.
set -u
bad=0
try() { # CALLS ERROR
  local calls=$1 error=$2
  for run in x.profraw %m.profraw 'x.profraw dump' '%m.profraw dump'; do
    name=${run% dump} dump=${run#* } work=3
    [ "$dump" = dump ] || dump='' work=1
    rm -rf p
    mkdir p
    inject=()
    for call in ${calls//,/ }; do inject+=(-e "inject=$call:error=$error"); done
    LLVM_PROFILE_FILE=p/$name strace -qq -o /dev/null -e trace="${calls:-none}" "${inject[@]}" main $dump 2> err
    [ $? = 7 ] || { echo "$calls $error: exit code"; bad=1; }
    # A second dump into a pool may go to a file of its own.
    case $run in
      %m*dump) [ "$(grep -vc 'the profile goes to' err)" = 0 ] && [ "$(ls -A p | grep -vc '\.profraw$')" = 0 ] ;;
      *) [ ! -s err ] && [ "$(ls -A p | wc -l)" = 1 ] ;;
    esac || { echo "$calls $error: $run: $(cat err; ls -A p)"; bad=1; }
    bash "$SRC/counts.sh" work=$work p/* || { echo "$calls $error: $run"; bad=1; }
  done
}
try '' ''
if [ "${1:-}" != only-profiles ]; then
  for error in EACCES EXDEV EPERM; do
    try linkat $error
    try linkat,renameat2 $error
    try linkat,renameat2,renameat $error
    try linkat,renameat $error
  done
fi
rm -rf p err
exit $bad
