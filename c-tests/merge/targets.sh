#!/usr/bin/env bash
# targets.sh RUNS KIND PROGRAM NAME=COUNT...: runs the program that often into %m; the targets (KIND: ic) or vtables (KIND:
# vtables) that llvm-profdata then shows in its profiles are exactly these, all sites of all images together, each value once a
# site. `?` is the name of what readers do not know.
set -eu
runs=$1 kind=$2 program=$3
shift 3
for _ in $(seq "$runs"); do
  LLVM_PROFILE_FILE=d/%m.profraw "$program"
done
[ "$kind" = ic ] && flag=--ic-targets || flag=--show-vtables
for file in d/*; do
  "$PROFDATA" show --all-functions "$flag" "$file"
done | awk -v kind="$kind" '
    /Indirect Target Results/ { on = kind == "ic" }
    /VTable Results/ { on = kind == "vtables" }
    on && /^[ \t]*\[/ {
      split($0, part, ","); split(part[3], number, " ")
      name = part[2]; gsub(/[ \t]/, "", name); sub(/^.*[;:]/, "", name)
      if (name == "") name = "?"
      site = part[1]; sub(/^.*\[/, "", site)
      print name "=" number[1]
    }' | sort > seen
rm -r d
printf '%s\n' "$@" | sort | cmp -s - seen && rm seen && exit 0
echo "expected:" "$@"
echo "seen:" $(cat seen)
rm seen
exit 1
