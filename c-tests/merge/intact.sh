#!/usr/bin/env bash
# intact.sh REASON LINE: the line runs `main` in a place where it cannot write: exit code 7, one message with path and reason, the
# profile of two runs before as it was, and nothing else beside it. Afterwards a run adds to it.
set -u
export LLVM_PROFILE_FILE=p/%m.profraw
main
main
pool=$(echo p/*.profraw)
cp "$pool" old
bad=0
# By a pipe, for a limit of file sizes holds for messages too.
bash -c "$2" 2>&1 > /dev/null | cat > err
code=${PIPESTATUS[0]}
chmod 755 p
[ $code = 7 ] || { echo "exit code $code"; bad=1; }
grep -qx "LLVM Profile Error: Failed to write file \"$pool\": $1" err || { echo "message:"; cat err; bad=1; }
[ "$(wc -l < err)" = 1 ] || { echo "messages:"; cat err; bad=1; }
cmp "$pool" old || bad=1
[ "$(ls -A p)" = "${pool#p/}" ] || { ls -lA p; bad=1; }
main
cmp -s "$pool" old && { echo "the next run adds nothing"; bad=1; }
rm -rf p/* err old
rmdir p 2> /dev/null
exit $bad
