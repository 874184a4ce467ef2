#!/usr/bin/env bash
# beside.sh CASE: `main` finds a pool file that it cannot merge into.
set -u
export LLVM_PROFILE_FILE=p/x%m.profraw
chmod a+rx . "$(dirname "$(command -v main)")"
bad=0 what=
say() { echo "$what: $*"; bad=1; }
main > pid
pool=$(echo p/*)
mv "$pool" good
LLVM_PROFILE_FILE=foreign other > pid
size=$(stat -c %s good)
# found FILE: the pool file is this one.
found() {
  rm -rf p
  mkdir p
  cp "$1" "$pool"
}
# check REASON COUNT COMMAND...: a run beside what is there, which stays.
check() {
  local reason=$1 count=$2 beside
  shift 2
  cp -p "$pool" before
  "$@" > pid 2> err
  [ $? = 7 ] || say "exit code"
  beside=${pool%.profraw}-$(cat pid).profraw
  cmp "$pool" before || say "changed"
  [ "$(stat -c '%u %g %a %Y' "$pool")" = "$(stat -c '%u %g %a %Y' before)" ] || say "changed: $(stat "$pool")"
  [ "$(ls -A p | sort | xargs)" = "$(printf '%s\n' "${pool#p/}" "${beside#p/}" | sort | xargs)" ] || say "$(ls -A p | xargs)"
  bash "$SRC/../run/counts.sh" one=$count "$beside" || say "counts"
  grep -q "^LLVM Profile Warning: .*\"$pool\".*$reason.*\"$beside\"" err || grep -q "^LLVM Profile Warning: .*\"$pool\".*\"$beside\".*$reason" err || say "$(cat err)"
  [ "$(wc -l < err)" = 1 ] || say "$(cat err)"
  rm -f "$beside" before
}

damaged() {
  for what in text zeros short longer twice magic version counters; do
    case $what in
      text) echo 'this is no profile' > wrong ;;
      zeros) head -c "$size" /dev/zero > wrong ;;
      short) head -c $((size - 8)) good > wrong ;;
      longer) { cat good; printf xxxxxxxx; } > wrong ;;
      twice) cat good good > wrong ;;
      *)
        cp good wrong
        case $what in magic) at=0 ;; version) at=8 ;; *) at=40 ;; esac
        printf '\x63' | dd of=wrong bs=1 seek=$at conv=notrunc 2> /dev/null
        ;;
    esac
    found wrong
    check '[a-z]' 1 main
    # Each run has a file of its own, and says so.
    check '[a-z]' 1 main
  done
  # Empty is not damaged.
  what=empty
  : > wrong
  found wrong
  main > pid 2> err
  [ ! -s err ] || say "$(cat err)"
  bash "$SRC/../run/counts.sh" one=1 "$pool" || say "counts"
}
foreign() {
  what=foreign
  found foreign
  check '[a-z]' 1 main
  cmp "$pool" foreign || say "changed"
}
other_user() {
  found good
  chmod 777 p
  chmod 644 "$pool"
  what="another user's"
  check 'Permission denied' 1 setpriv --reuid=65534 --regid=65534 --clear-groups main
  chmod 600 "$pool"
  what="another user's, not to be read"
  check 'Permission denied' 1 setpriv --reuid=65534 --regid=65534 --clear-groups main
}
locked() {
  found good
  what=locked
  main hold "$pool" &
  holder=$!
  until [ -e held ]; do sleep 0.02; done
  check locked 1 timeout 20 main
  kill -9 $holder
  wait $holder 2> /dev/null
  rm -f held
}
mounted() {
  found good
  mount --bind "$pool" "$pool" && mount -o remount,bind,ro "$pool" || exit 1
  what="a file that cannot be written"
  check 'Read-only file system' 1 main
  umount "$pool"
}
several_writes() {
  echo 'this is no profile' > wrong
  found wrong
  what="several writes"
  check '[a-z]' 3 main again
}
continuous() {
  export LLVM_PROFILE_FILE=p/x%c%m.profraw
  found foreign
  what=continuous
  main > pid 2> err
  cmp "$pool" foreign || say "changed"
  [ "$(ls p | wc -l)" = 2 ] || say "$(ls p)"
  bash "$SRC/../run/counts.sh" one=1 $(ls -d p/* | grep -vx "$pool") || say "counts"
}

"$1"
rm -rf p good foreign wrong err pid
exit $bad
