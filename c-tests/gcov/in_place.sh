#!/usr/bin/env bash
# No new file can take the place of the existing one, which may be written itself: the run is counted in it.
set -u
bad=0
export GCOV_PREFIX=d
other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
chmod a+rx . "$(dirname "$(command -v main)")"
# counted WHAT RUNS COMMAND...: runs the command, after which the file has so many runs.
counted() {
  local what=$1 runs=$2
  shift 2
  "$@" 2> err || { echo "$what: exit code $?"; bad=1; }
  [ ! -s err ] || { echo "$what:"; cat err; bad=1; }
  local found
  found=$(bash "$SRC/counters.sh" d/main.gcda 1)
  [ "$found" = "$runs" ] || { echo "$what: $found runs instead of $runs"; bad=1; }
}
umask 0
mkdir -m 755 d
main count
counted "another's directory" 2 "${other[@]}" main count
: > d/main.gcda
counted "an empty file" 1 "${other[@]}" main count
chmod 1777 d
counted "a sticky directory" 2 "${other[@]}" main count
touch other
mv d/main.gcda other
touch d/main.gcda
mount --bind other d/main.gcda && {
  counted "a mount point" 3 main count
  umount d/main.gcda
}
rm -r d
mkdir d
mount -t tmpfs -o size=32k none d && {
  cp other d/main.gcda
  head -c 64k /dev/zero > d/full 2> /dev/null
  counted "a full file system" 4 main count
  umount d
}
# refused WHAT REASON COMMAND...: the command prints one line for each of three attempts, and leaves the file as it is.
refused() {
  local what=$1 reason=$2
  shift 2
  cp d/large.gcda before
  # Not into a file, which has the limit too.
  "$@" count dump count dump count 2>&1 | cat > err
  [ "$(grep -c "Failed to write file \"d/large.gcda\": $reason" err)" = 3 ] && [ "$(wc -l < err)" = 3 ] || { echo "$what:"; cat err; bad=1; }
  cmp d/large.gcda before || { echo "$what: changed"; bad=1; }
}
mount -t tmpfs -o size=64k none d && {
  large count
  fallocate --dig-holes d/large.gcda
  head -c 64k /dev/zero > d/full 2> /dev/null
  refused "holes in a full file system" "No space left on device" large
  umount d
}
rm -r d other err before
exit $bad
