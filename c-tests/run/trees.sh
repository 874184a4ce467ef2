#!/usr/bin/env bash
# trees.sh NAME FROM TO: the trees of these seeds, each with children that keep their parent's counts and without, write what they say.
set -u
bad=0
for seed in $(seq "$2" $(($3 - 1))); do
  for fork in inherit reset; do
    # All processes of a tree hold the pipe.
    LLVM_PROFILE_FORK=$fork ACCOUNT=$PWD/account LLVM_PROFILE_FILE=$PWD/d/$1 main "$seed" 2>said | cat
    mapfile -t files < <(find . -name '*.profraw')
    # All may have ended before they wrote.
    : > shown
    [ ${#files[@]} = 0 ] || { "$PROFDATA" merge "${files[@]}" -o merged && "$PROFDATA" show --counts --all-functions merged > shown; }
    if ! python3 "$SRC/trees.py" account shown; then
      echo "seed $seed, children $fork"
      sed 's/^/  /' said | head -5
      bad=1
    fi
    rm -rf d* account merged shown said
  done
done
exit $bad
