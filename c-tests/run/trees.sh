#!/usr/bin/env bash
# trees.sh NAME FROM TO: the trees of these seeds, each with children that keep their parent's counts and without, write what they say.
set -u
# DIRECTORY...: all files there have what all accounts there say.
check() {
  mapfile -t files < <(find "$@" -name '*.profraw')
  # All may have ended before they wrote.
  : > shown
  [ ${#files[@]} = 0 ] || { "$PROFDATA" merge "${files[@]}" -o merged && "$PROFDATA" show --counts --all-functions merged > shown; } || return
  cat "${@/%//account}" | python3 "$SRC/trees.py" shown
}
trees=()
for seed in $(seq "$2" $(($3 - 1))); do
  for fork in inherit reset; do
    mkdir "$seed-$fork"
    [ -z "${SMALL-}" ] || { mkdir "$seed-$fork/d" && mount -t tmpfs -o size=2m none "$seed-$fork/d"; } || exit 1
    # All processes of a tree hold the pipe.
    (cd "$seed-$fork" && LLVM_PROFILE_FORK=$fork ACCOUNT=$PWD/account LLVM_PROFILE_FILE=$PWD/d/$1 main "$seed" 2>said | cat)
    trees+=("$seed-$fork")
  done
done
bad=0
if ! check "${trees[@]}" > sum; then
  for tree in "${trees[@]}"; do
    check "$tree" > wrong || { bad=1; cat sum; echo "seed and children: $tree"; cat wrong; head -5 "$tree/said"; }
  done
  [ $bad = 1 ] || { bad=1; cat sum; }
fi
[ -z "${SMALL-}" ] || umount "${trees[@]/%//d}"
rm -rf "${trees[@]}" merged shown sum wrong
exit $bad
