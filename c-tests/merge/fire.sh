#!/usr/bin/env bash
# fire.sh PROGRAM: killed before and behind each system call. NAMED: a new file has a name from its beginning, so that an empty one may be left,
# and a half written one under the second name. SAME: a second run changes nothing.
set -u
. "$SRC/../run/stops.sh"
export LLVM_PROFILE_FILE=p/%m.profraw
program=$1
mkdir saved
for n in 1 2 3; do
  "$program" || exit 1
  cp p/*.profraw "saved/$n"
done
pool=$(echo p/*.profraw)
if [ -z "${SAME:-}" ] && cmp -s saved/1 saved/2; then exit 1; fi
[ "$(ls -A p)" = "${pool#p/}" ] || exit 1

# Which of the saved sums the file is; 0: there is none.
sum() {
  [ -e "$pool" ] || { echo 0; return; }
  [ -z "${NAMED:-}" ] || [ -s "$pool" ] || { echo 0; return; }
  for n in 1 2 3; do
    if cmp -s "$pool" "saved/$n"; then echo "$n"; return; fi
  done
  echo torn
}

prepare() {
  rm -rf p
  [ "$1" = no ] || { mkdir p; cp saved/1 "$pool"; }
}
states=
check() {
  local was=0 seen left now
  [ "$1" = no ] || was=1
  seen=$(sum)
  case $was$seen in
    00 | 01 | 11 | 12) ;;
    *) wrong "the file is $seen"; return ;;
  esac
  states="$states $was$seen"
  # The new profile before it has the name, or the old one behind that.
  for left in $(ls -A p 2> /dev/null | sed -n 's:^\.:p/.:p'); do
    [ "$left" = "p/.${pool#p/}.profrt" ] || wrong "$left is left"
    if [ -e "$left" ] && [ -z "${NAMED:-}" ] && ! cmp -s "$left" "saved/$((was + 1))" && ! cmp -s "$left" "saved/$was"; then
      wrong "$left is not whole"
    fi
  done
  for left in p/*; do
    if [ -e "$left" ] && [ "$left" != "$pool" ]; then wrong "$left is left"; fi
  done
  "$program"
  now=$(sum)
  if [ -z "${SAME:-}" ] && [ "$now" != $((seen + 1)) ]; then wrong "$now after $seen"; fi
  [ "$(ls -A p)" = "${pool#p/}" ] || wrong "after the next run: $(ls -A p)"
}
each_stop prepare check "$program"
# All must have been met, or the kills were somewhere else.
for state in 00 01 11 12; do
  case "$states" in
    *"$state"*) ;;
    *) [ -n "${SAME:-}" ] || { echo "no kill left $state:$states"; bad=1; } ;;
  esac
done
rm -rf p saved
exit $bad
