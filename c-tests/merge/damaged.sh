#!/usr/bin/env bash
# damaged.sh: `main` meets a damaged profile of its own. VALUES: it has value sites.
set -u
export LLVM_PROFILE_FILE=p/%m.profraw
main
pool=$(echo p/*.profraw)
mv "$pool" good
size=$(stat -c %s good)
bad=0

# try WHAT MESSAGE: a run that finds `wrong`, which stays, and writes a profile of its own beside it.
try() {
  rm -rf p
  mkdir p
  cp wrong "$pool"
  main 2> err || { echo "$1: exit code"; bad=1; }
  local beside
  beside=$(ls p/* | grep -vx "$pool")
  grep -q "^LLVM Profile Warning: .*\"$pool\".*$2" err && grep -qF "\"$beside\"" err && [ "$(wc -l < err)" = 1 ] || { echo "$1: $(cat err)"; bad=1; }
  cmp "$pool" wrong || { echo "$1: changed"; bad=1; }
  if [ -n "${VALUES:-}" ]; then
    "$PROFDATA" show --ic-targets --function=main "$beside" | grep -Eq '[ :]one, *3 ' || { echo "$1: no values"; bad=1; }
  else
    "$SRC/count.sh" "$beside" main 1 || bad=1
  fi
}

patch() { # OFFSET: another byte
  cp good wrong
  local byte
  byte=$(od -An -tu1 -j "$1" -N 1 good)
  printf "$(printf '\\x%02x' $((byte ^ 1)))" | dd of=wrong bs=1 seek="$1" conv=notrunc 2> /dev/null
}

# Words of the header: 3 is NumData, 5 is NumCounters.
differs='it is damaged, or of another program'
patch 24
try NumData "$differs"
patch 40
try NumCounters "$differs"
# The first record: hash of its name, hash of the function.
words=$((RAW == 8 ? 11 : RAW == 9 ? 14 : 16))
ids=$(od -An -tu8 -j 16 -N 8 good)
record=$((words * 8 + ids))
patch $record
try NameRef "$differs"
patch $((record + 8))
try FuncHash "$differs"
if [ -n "${VALUES:-}" ]; then
  # Of one function, which has one site with two values: sizes and numbers of kinds, of sites, of values, and these.
  values=$((8 + 8 + 8 + 2 * 16))
  head -c $((size - values)) good > wrong
  try "no value data" 'it ends too early'
  head -c $((size - 16)) good > wrong
  try "half of the value data" 'its parts contradict each other'
fi
rm -rf p good wrong err
exit $bad
