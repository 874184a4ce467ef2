# each_stop PREPARE CHECK PROGRAM ARGUMENTS...: kills the program behind each of its system calls, with no old file (`PREPARE no`) and
# with one (`PREPARE yes`). CHECK with the same word then looks at what is there, and calls `wrong`, which ends the script.
# `killer` is killer.c. Nothing but system calls changes files, so no other moment is different. MAPPED: stores do, too, so it is also
# killed before each. LAST: only at so many of its last stops.
bad=0
wrong() {
  echo "killed at stop $stop, old file $old: $*"
  exit 1
}
each_stop() {
  local prepare=$1 check=$2 stop old code stops
  shift 2
  stops=$PWD/stops
  for old in no yes; do
    "$prepare" $old
    killer "$stops" "$@" > /dev/null 2>&1 || stop=none wrong "the program itself fails"
    # The odd ones are behind a call.
    for stop in $(seq 1 $((${MAPPED:+-1} + 2)) "$(cat "$stops")" | tail -n "${LAST:-+1}"); do
      "$prepare" $old
      code=0
      { killer "$stop" "$@"; } > /dev/null 2>&1 || code=$?
      [ $code = 137 ] || wrong "exit code $code"
      "$check" $old
    done
  done
  rm "$stops"
}
# asked FILE COMMAND...: what the command prints, which is asked once for all files of the same bytes. Most kills leave one of a few.
asked() {
  local answer
  answer=$(md5sum < "$1")
  answer=../answers/${answer%% *}
  shift
  if [ ! -e "$answer" ]; then
    mkdir -p ../answers
    "$@" > "$answer" 2>&1
  fi
  cat "$answer"
}
