#!/usr/bin/env bash
# Another user may not create a file in the directory, or not write the one in it; and the system refuses calls of a merge. Each time: one
# message with the name and a reason, the exit code of the program, the old file as it was, and nothing beside it.
set -u
export EXIT=7
bad=0
# refused WHAT COMMAND...: runs the command, which may not write.
refused() {
  local what=$1 code=0
  shift
  "$@" 2> err || code=$?
  [ $code = 7 ] || { echo "$what: exit code $code"; bad=1; }
  [ "$(wc -l < err)" = 1 ] && grep -q '^LLVM Profile Error: Failed to write file "d/main.gcda": [A-Z]' err || { echo "$what: messages"; cat err; bad=1; }
}
other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
export GCOV_PREFIX=d
chmod a+rx . "$(dirname "$(command -v main)")"
umask 022
mkdir d
refused "no file" "${other[@]}" main count
[ "$(ls -A d)" = "" ] || { echo "no file: there is $(ls -A d)"; bad=1; }
main count
cp d/main.gcda old
refused "another's file" "${other[@]}" main count
# The calls that touch the file are the last ones of the process.
for call in pread64 writev; do
  cp old d/main.gcda
  strace -o calls -e trace=$call main count
  cp old d/main.gcda
  refused $call strace -o /dev/null -e trace=$call -e "inject=$call:error=EIO:when=$(grep -vc '^+++' calls)" main count
  cmp old d/main.gcda || bad=1
  [ "$(ls -A d)" = main.gcda ] || { echo "$call: there is $(ls -A d)"; bad=1; }
done
cmp old d/main.gcda || bad=1
rm -r d old err calls
exit $bad
