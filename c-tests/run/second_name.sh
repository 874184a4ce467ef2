#!/usr/bin/env bash
# second_name.sh start|child|pool|left: what killed writers leave beside the profile `runs/NAME`, and that the next one removes it.
set -u
. "$SRC/stops.sh"
how=$1
export LLVM_PROFILE_FILE=runs/p.profraw
case $how in
  child) export __LLVM_PROFILE_RT_INIT_ONCE=1 ;;
  pool | left) LLVM_PROFILE_FILE=runs/%m.profraw ;;
esac
# The same file after one, two and three runs.
mkdir saved
for n in 1 2 3; do
  main || exit 1
  cp runs/*.profraw saved/$n
done
name=$(ls -A runs)
second=.$name.profrt

# How many runs the file has: 0, if there is none.
runs() {
  local n
  # Where every file has a name, it is empty before it is complete.
  [ -s "runs/$name" ] || { echo 0; return; }
  # A killed writer leaves padding.
  [ $how != child ] || { asked "runs/$name" counted; return; }
  for n in 1 2 3; do
    if cmp -s "runs/$name" saved/$n; then echo $n; return; fi
  done
  echo torn
}
counted() {
  local n
  for n in 1 2 3; do
    if bash "$SRC/counts.sh" main=$n "runs/$name" > /dev/null; then echo $n; return; fi
  done
  echo torn
}
prepare() {
  rm -rf runs
  mkdir runs
  [ "$1" = no ] || cp saved/1 "runs/$name"
}
check() {
  local was=0 seen now file
  [ "$1" = no ] || was=1
  seen=$(runs)
  case $how$was$seen in
    *00 | *01 | *11) ;;
    # The start has removed the old file.
    start10) ;;
    child12 | pool12) ;;
    *) wrong "the file is $seen" ;;
  esac
  for file in $(ls -A runs); do
    [ "$file" = "$name" ] || [ "$file" = "$second" ] || wrong "$file is left"
  done
  main || wrong "the next run fails"
  now=$(runs)
  [ $how != start ] || seen=0
  [ "$now" = $((seen + 1)) ] || wrong "$now after $seen"
  # A write that appends has no second name; only one over an empty file has.
  case $how in child | start) rm -f "runs/$second" ;; esac
  [ "$(ls -A runs)" = "$name" ] || wrong "after the next run: $(ls -A runs | xargs)"
}
if [ "$how" != left ]; then
  each_stop prepare check main
else
  old=yes stop=none
  for what in whole torn 'another name of the profile'; do
    prepare yes
    case $what in
      whole) cp saved/2 "runs/$second" ;;
      torn) head -c 100 saved/2 > "runs/$second" ;;
      *) ln "runs/$name" "runs/$second" ;;
    esac
    : > runs/.other.profrt
    main
    [ "$(runs)" = 2 ] || wrong "$what: $(runs)"
    rm runs/.other.profrt || wrong "$what: another name is gone"
    [ "$(ls -A runs)" = "$name" ] || wrong "$what: $(ls -A runs | xargs)"
  done
  # Whoever may write in the directory has put something there. Where that cannot be removed, the profile is written in the last way.
  for what in link pipe directory; do
    prepare yes
    echo precious > precious
    case $what in
      link) ln -s ../precious "runs/$second" ;;
      pipe) mkfifo "runs/$second" ;;
      *) mkdir "runs/$second" ;;
    esac
    timeout 20 main 2> told || wrong "$what: $(cat told)"
    [ "$(cat precious)" = precious ] || wrong "$what: written through"
    bash "$SRC/counts.sh" work=2 runs/*.profraw || wrong "$what: counts, $(ls -lA runs; cat told)"
    rm -f precious told
  done
  # At once, where each has the second name for a moment.
  prepare no
  for n in $(seq 3); do main & done
  wait
  [ "$(runs)" = 3 ] && [ "$(ls -A runs)" = "$name" ] || wrong "at once: $(runs), $(ls -A runs | xargs)"
fi
rm -rf runs saved
exit $bad
