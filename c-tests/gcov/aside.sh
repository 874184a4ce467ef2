#!/usr/bin/env bash
# aside.sh: a damaged main.gcda, and something that has the name main.gcda.corrupt already.
set -u
umask 022
bad=0
export GCOV_PREFIX=d
chmod a+rx . "$(dirname "$(command -v main)")"
say() { echo "$what: $*"; bad=1; }

# begin WHAT MODE: an empty directory with this mode, and a damaged file of nobody.
begin() {
  what=$1
  rm -rf d
  mkdir -m "$2" d
  echo damaged > d/main.gcda
  chown 65534:65534 d/main.gcda
}
# moved COMMAND...: a run of the command moves the damaged file aside.
moved() {
  "$@" main count 2> err
  grep -q 'It is now "d/main.gcda.corrupt", and' err && [ "$(wc -l < err)" = 1 ] || say "$(cat err)"
  [ "$(cat d/main.gcda.corrupt)" = damaged ] || say "not moved: $(ls -lA d)"
  [ "$(bash "$SRC/counters.sh" d/main.gcda 1)" = 1 ] || say "not counted"
}
# kept COMMAND...: a run of the command leaves both.
kept() {
  ls -lAi d > before
  "$@" main count 2> err
  grep -q 'It is not moved aside: the name with .corrupt is taken. Delete it' err || say "$(cat err)"
  ls -lAi d | diff before - || say "changed"
}
other=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# Strangers may write in the directory.
for mode in 1777 775; do
  begin "the superuser's, mode $mode" $mode
  echo precious > d/main.gcda.corrupt
  kept env
  begin "another user's, mode $mode" $mode
  echo precious > d/main.gcda.corrupt
  chown 12345 d/main.gcda.corrupt
  kept env
  begin "an older one, mode $mode" $mode
  echo older > d/main.gcda.corrupt
  chown 65534 d/main.gcda.corrupt
  moved env
  begin "a link, mode $mode" $mode
  echo precious > precious
  ln -s ../precious d/main.gcda.corrupt
  chown -h 65534 d/main.gcda.corrupt
  moved env
  [ "$(cat precious)" = precious ] || say "the link was followed"
done
begin "another user's, for the owner of the directory" 1777
chown 65534:65534 d
echo precious > d/main.gcda.corrupt
kept "${other[@]}"
# Nobody else may write there, or the group shares it.
begin "ours, in our directory" 755
echo older > d/main.gcda.corrupt
moved env
begin "another's, in the group's directory" 775
chown 12345:65534 d
echo older > d/main.gcda.corrupt
moved "${other[@]}"
# No file.
for kind in mkdir mkfifo; do
  begin $kind 755
  $kind d/main.gcda.corrupt
  kept env
done
begin "a second name of the file" 755
ln d/main.gcda d/main.gcda.corrupt
moved env
rm -rf d err before precious
exit $bad
